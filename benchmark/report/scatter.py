"""Pictures of one quality over one cost, a dot for each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmark.report.account import Account, ReportedRun
from benchmark.report.axes import scale_of
from benchmark.report.drawing import COLUMN, SIZE, Dot, Drawing, Line, Mark, Words, shortened, width_of
from benchmark.report.leaderboard import label_of
from benchmark.report.phrases import Phrases

SMALL = 6.2
_WIDEST = 112.0
NAMED = 9
"""Of more runs not all names find room: those stand that matter, and the page tells the others at their dots."""


def ends_of(account: Account, key: str, run: ReportedRun) -> tuple[float, float, float]:
    """Low, mean and high; the mean itself where there is no interval."""
    one = account.measured_by(key)[run.name]
    mean = one.mean or 0.0
    return (mean if one.low is None else one.low), mean, (mean if one.high is None else one.high)


def shown_name(run: ReportedRun) -> str:
    """A bound stands in brackets."""
    return f"({run.name})" if run.row.yardstick else run.name


def over_tokens(account: Account, say: Phrases) -> Drawing | None:
    """Quality over the tokens that the generator had to read, with both intervals."""
    label = say.said(label_of(account.headline)) if account.headline else ""
    return _over(
        account,
        "cost/context_tokens",
        name="tokens",
        title=say("figure.tokens", metric=label),
        axis=say("figure.tokens.axis"),
        about=say("figure.tokens.about"),
        is_filled=lambda run: not run.row.yardstick,
        notes={},
    )


def pareto(account: Account, say: Phrases) -> Drawing | None:
    """Quality over seconds: filled are the runs that no other beats in quality, tokens and seconds at once.

    Beside each name stands in which share of resampled exams it is so.
    """
    read = account.analysis.headline
    if read is None or len(read.front.places) < 2:
        return None
    front = read.front
    return _over(
        account,
        "cost/seconds",
        name="pareto",
        title=say("figure.pareto", metric=say.said(label_of(account.headline or ""))),
        axis=say("figure.pareto.axis"),
        about=say("figure.pareto.about"),
        is_filled=lambda run: run.name in front.places and front.places[run.name].on_front,
        notes={name: f" {100 * place.share:.0f} %" for name, place in front.places.items()},
    )


def _over(
    account: Account,
    cost: str,
    *,
    name: str,
    title: str,
    axis: str,
    about: str,
    is_filled: Callable[[ReportedRun], bool],
    notes: Mapping[str, str],
) -> Drawing | None:
    key, costs = account.headline, account.measured_by(cost)
    shown = [
        run
        for run in account.runs
        if key is not None and run.row.mean(key) is not None and costs[run.name].mean is not None
    ]
    if key is None or len(shown) < 2:
        return None
    left, right, top, bottom = 26.0, COLUMN - 8, 8.0, 138.0
    ends = {run.name: ends_of(account, cost, run) for run in shown}
    across, x_ticks = scale_of([end for found in ends.values() for end in found], left, right, unit=False)
    up, y_ticks = scale_of([end for run in shown for end in ends_of(account, key, run)], bottom, top, unit=False)
    drawn: list[Mark] = [Line(across(t), top, across(t), bottom, "grid", 0.5) for t in x_ticks]
    drawn += [Line(left, up(t), right, up(t), "grid", 0.5) for t in y_ticks]
    drawn += [Words(across(t), bottom + 9, f"{t:g}", "middle", "muted", size=SMALL) for t in x_ticks]
    drawn += [Words(left - 3, up(t) + 2, f"{t:g}", "end", "muted", size=SMALL) for t in y_ticks]
    dots_at = [(across(ends[run.name][1]), up(ends_of(account, key, run)[1])) for run in shown]
    taken = [(x - 3, x + 3, y + 2.5) for x, y in dots_at]
    for run in shown:
        (x_low, x, x_high), (low, mean, high) = ends[run.name], ends_of(account, key, run)
        ink = "muted" if run.row.yardstick else "blue"
        drawn.append(Line(across(x), up(low), across(x), up(high), ink, 0.7))
        drawn.append(Line(across(x_low), up(mean), across(x_high), up(mean), ink, 0.7))
        tip = f"{run.name}: {mean:.2f}, {x:.4g}"
        drawn.append(Dot(across(x), up(mean), ink=ink, hollow=not is_filled(run), tip=tip))
    drawn += [
        _beside(shown_name(run), notes.get(run.name, ""), x, y, right, taken)
        for run, (x, y) in zip(shown, dots_at, strict=True)
        if len(shown) <= NAMED or _is_named(account, run)
    ]
    drawn.append(Words((left + right) / 2, bottom + 19, axis, "middle", "muted", size=SMALL))
    return Drawing(name, title, about, COLUMN, bottom + 24, tuple(drawn))


def _is_named(account: Account, run: ReportedRun) -> bool:
    """Of many runs the bounds, and those that no other beats in quality and costs at once."""
    read = account.analysis.headline
    place = None if read is None else read.front.places.get(run.name)
    return run.row.yardstick or (place is not None and place.on_front)


def _beside(name: str, note: str, x: float, y: float, right: float, taken: list[tuple[float, float, float]]) -> Words:
    """A run's name near its dot, at the first height within the picture at which it stands on no other name."""
    text = shortened(name, _WIDEST - width_of(note)) + note
    width = width_of(text)
    ends = x + 4 + width > right
    begin = x - 4 - width if ends else x + 4

    def is_free(shift: float) -> bool:
        return y + shift >= SIZE and not any(
            abs(y + shift - other) < SIZE and begin < stop and start < begin + width for start, stop, other in taken
        )

    free = next((shift for shift in (-3.0, 8.0, -10.0, 15.0, -17.0, 22.0, -24.0, 29.0) if is_free(shift)), 8.0)
    taken.append((begin, begin + width, y + free))
    return Words(x - 4 if ends else x + 4, y + free, text, "end" if ends else "start")
