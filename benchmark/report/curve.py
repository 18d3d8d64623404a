"""The curve of evidence recall over the tokens of context, a line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from benchmark.report.account import Account
from benchmark.report.axes import scale_of
from benchmark.report.drawing import COLUMN, SIZE, Dot, Drawing, Line, Mark, Words, shortened
from benchmark.report.phrases import Phrases
from benchmark.report.readings import measured_budgets
from benchmark.report.scatter import SMALL, shown_name

_INKS = ("blue", "red", "green", "pink", "orange", "sky", "dark")
_NAMES = 84.0


def matched(account: Account, say: Phrases) -> Drawing | None:
    """Each run's name stands at the end of its line, so that colour is not needed to tell them apart."""
    budgets = measured_budgets(account.analysis)
    if len(budgets) < 2:
        return None
    left, right, top, bottom = 22.0, COLUMN - _NAMES, 8.0, 150.0
    steps = (right - left) / (len(budgets) - 1)  # each budget is twice the one before, so the axis is a logarithm
    across = [left + steps * place for place in range(len(budgets))]
    up, marks = scale_of([0.0, 1.0], bottom, top, unit=True)
    drawn: list[Mark] = [Line(left, up(mark), right, up(mark), "grid", 0.5) for mark in marks]
    drawn += [Words(left - 3, up(mark) + 2, f"{mark:g}", "end", "muted", size=SMALL) for mark in marks]
    drawn += [
        Words(x, bottom + 9, str(one.tokens), "middle", "muted", size=SMALL)
        for x, one in zip(across, budgets, strict=True)
    ]
    ends: list[tuple[float, str, str]] = []
    rivals = 0
    for run in account.runs:
        found = [one.recall[run.name].mean if run.name in one.recall else None for one in budgets]
        places = [(x, up(value)) for x, value in zip(across, found, strict=True) if value is not None]
        if not places:
            continue
        ink = "muted" if run.row.yardstick else _INKS[rivals % len(_INKS)]
        rivals += not run.row.yardstick
        drawn += [Line(*start, *end, ink, 1.0, dashed=run.row.yardstick) for start, end in pairwise(places)]
        told = [f"{one.tokens}: {value:.2f}" for one, value in zip(budgets, found, strict=True) if value is not None]
        drawn += [Dot(x, y, 1.6, ink, run.row.yardstick, f"{run.name}: {'; '.join(told)}") for x, y in places]
        ends.append((places[-1][1], shown_name(run), ink))
    for (y, name, ink), at in zip(sorted(ends), _apart([y for y, *_ in sorted(ends)], bottom), strict=True):
        drawn += [
            Line(right + 2, y, right + 9, at, ink, 0.5),
            Words(right + 11, at + 2.4, shortened(name, _NAMES - 12, SMALL), ink="ink", size=SMALL),
        ]
    drawn.append(Words((left + right) / 2, bottom + 19, say("figure.matched.axis"), "middle", "muted", size=SMALL))
    about = say("figure.matched.about")
    height = max(bottom + 24, *(mark.y + 4 for mark in drawn if isinstance(mark, Words)))
    return Drawing("matched", say("figure.matched"), about, COLUMN, height, tuple(drawn))


def _apart(wanted: Sequence[float], bottom: float) -> list[float]:
    """Heights from the top down, each as near to the wanted one as its neighbours let it be.

    >>> _apart([10.0, 12.0, 40.0], 100.0)
    [10.0, 17.0, 40.0]
    """
    found: list[float] = []
    for y in wanted:
        found.append(max(y, found[-1] + SIZE) if found else y)
    over = max(0.0, (found[-1] if found else 0.0) - bottom)
    for place in range(len(found) - 1, -1, -1):
        limit = found[place + 1] - SIZE if place + 1 < len(found) else found[place] - over
        found[place] = min(found[place], limit)
    return found
