"""The pictures of a report. Each fits a paper's column, and says by place, shape or number what it says by colour."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmark.domain import Cause
from benchmark.report.account import Account, ReportedRun
from benchmark.report.axes import scale_of
from benchmark.report.curve import matched
from benchmark.report.drawing import COLUMN, Boxes, Dot, Drawing, Line, Mark, Words, shortened, width_of
from benchmark.report.leaderboard import label_of
from benchmark.report.numbers import digits_of, number
from benchmark.report.phrases import Phrases
from benchmark.report.scatter import SMALL as _SMALL
from benchmark.report.scatter import ends_of, over_tokens, pareto, shown_name

ROW = 13.0

FATES: Mapping[str, tuple[str, tuple[Cause, ...]]] = {
    "right": ("blue", (Cause.CORRECT, Cause.LUCKY, Cause.RIGHTLY_REFUSED)),
    "not_found": (
        "orange",
        (
            *(Cause.NOT_IN_CORPUS, Cause.SPLIT_BY_CHUNKING, Cause.NOT_RETRIEVED, Cause.LOST_IN_FUSION),
            *(Cause.LOST_IN_RERANKING, Cause.CUT_BY_K, Cause.CUT_BY_TOKENS, Cause.NO_RETRIEVAL),
        ),
    ),
    "misread": ("pink", (Cause.NOT_USED, Cause.UNSUPPORTED, Cause.WRONGLY_REFUSED, Cause.WRONGLY_ANSWERED)),
    "not_judged": ("grid", (Cause.NOT_JUDGED, Cause.NO_GOLD)),
    "failed": ("dark", (Cause.FAILED,)),
}
"""What became of a question, with the ink and the causes of each."""
FATE_OF = {cause: fate for fate, (_, causes) in FATES.items() for cause in causes}


def dots(account: Account, key: str, say: Phrases) -> Drawing | None:
    """Each run's mean and interval of one metric; a hollow dot is a bound, a dashed line the best mean."""
    found = account.board.statistics[key]
    shown = [run for run in account.runs if found.estimates[run.name].mean is not None]
    if not shown:
        return None
    label = say.said(label_of(key))
    side = _side(shown)
    values = [end for run in shown for end in ends_of(account, key, run)]
    place, marks = scale_of(values, side, COLUMN - 34, unit=key.partition("/")[0] != "cost")
    top = 8.0
    bottom = top + ROW * len(shown)
    drawn: list[Mark] = [Line(place(tick), top, place(tick), bottom, "grid", 0.5) for tick in marks]
    drawn += [Words(place(tick), bottom + 9, f"{tick:g}", "middle", "muted", size=_SMALL) for tick in marks]
    if account.board.has_best(key) and (best := found.estimates[found.best or ""].mean) is not None:
        drawn.append(Line(place(best), top, place(best), bottom, "muted", 0.6, dashed=True))
    for row, run in enumerate(shown):
        y = top + ROW * (row + 0.5)
        one = found.estimates[run.name]
        low, mean, high = ends_of(account, key, run)
        leads = not account.board.has_best(key) or account.board.mark(key, run.name) != ""
        ink = "muted" if run.row.yardstick else "blue" if leads else "red"
        if high > low:
            drawn.append(Line(place(low), y, place(high), y, ink, 1.1))
            drawn += [Line(place(end), y - 2.2, place(end), y + 2.2, ink, 1.1) for end in (low, high)]
        drawn.append(Dot(place(mean), y, ink=ink, hollow=run.row.yardstick or not leads, tip=f"{run.name}: {one}"))
        drawn.append(_run_label(run, side, y))
        drawn.append(Words(COLUMN - 1, y + 2.4, number(mean, digits_of(key)), "end", "ink", bold=leads))
    about = "; ".join(f"{run.name}: {found.estimates[run.name]}" for run in shown)
    drawn.append(Words((side + COLUMN - 34) / 2, bottom + 18, label, "middle", "muted", size=_SMALL))
    name = f"metric-{key.replace('/', '-')}"
    return Drawing(name, label, f"{say('figure.dots')} {about}", COLUMN, bottom + 22, tuple(drawn))


def _side(runs: Sequence[ReportedRun]) -> float:
    """The room for the runs' names at the left."""
    return min(max(width_of(shown_name(run)) for run in runs) + 6, 106.0)


def _run_label(run: ReportedRun, side: float, y: float) -> Words:
    ink = "muted" if run.row.yardstick else "ink"
    return Words(side - 5, y + 2.4, shortened(shown_name(run), side - 5), "end", ink)


def heatmap(account: Account, say: Phrases) -> Drawing | None:
    """Runs by metrics between 0 and 1: the darker, the higher; the number stands in each cell."""
    keys = [
        key
        for key in account.board.keys
        if not key.startswith("cost/") and any(run.row.mean(key) is not None for run in account.runs)
    ]
    if not keys:
        return None
    side = _side(account.runs)
    labels = [say.said(label_of(key)) for key in keys]
    longest = min(max(width_of(label, _SMALL) for label in labels), 84.0)
    top = longest * 0.71 + 10
    last = width_of(shortened(labels[-1], 84, _SMALL), _SMALL) * 0.71 + 2  # how far the last label leans out
    cell = min((COLUMN - side - 2) / len(keys), (COLUMN - side - last) / (len(keys) - 0.5))
    drawn: list[Mark] = []
    for column, label in enumerate(labels):
        x = side + cell * (column + 0.5)
        drawn.append(Words(x, top - 4, shortened(label, 84, _SMALL), size=_SMALL, turned=45))
    for row, run in enumerate(account.runs):
        y = top + ROW * row
        drawn.append(_run_label(run, side, y + ROW / 2))
        for column, key in enumerate(keys):
            x, value = side + cell * column, run.row.mean(key)
            if value is None:
                drawn.append(Words(x + cell / 2, y + ROW / 2 + 2.2, "–", "middle", "muted", size=_SMALL))
                continue
            place = ((x + 0.4, y + 0.4, cell - 0.8, ROW - 0.8),)
            drawn.append(Boxes(place, shade(value), f"{run.name}, {labels[column]}: {value:.2f}"))
            ink = "#ffffff" if value > 0.55 else "#1b1f24"
            bold = account.board.mark(key, run.name) != ""
            drawn.append(Words(x + cell / 2, y + ROW / 2 + 2.2, f"{value:.2f}", "middle", ink, bold, _SMALL))
    height = top + ROW * len(account.runs) + 4
    return Drawing("heatmap", say("figure.heatmap"), say("figure.heatmap.about"), COLUMN, height, tuple(drawn))


def shade(value: float) -> str:
    """A colour from near white (0) over blue to near black (1): its lightness alone tells the order.

    >>> shade(0.0), shade(1.0)
    ('#eef4fa', '#08306b')
    """
    stops = ((238, 244, 250), (107, 174, 214), (8, 48, 107))
    place = min(max(value, 0.0), 1.0) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    mixed = [round(a + (b - a) * (place - first)) for a, b in zip(stops[first], stops[first + 1], strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def causes(account: Account, say: Phrases) -> Drawing:
    """Where each run's questions were lost, as bars of shares; the count stands in each part."""
    side = _side(account.runs)
    present = [cause for cause in FATE_OF if any(run.causes.get(cause) for run in account.runs)]
    inks = _inks(present)
    drawn: list[Mark] = []
    top, room = 4.0, COLUMN - side - 2
    for row, run in enumerate(account.runs):
        y, x = top + ROW * row, side
        drawn.append(_run_label(run, side, y + ROW / 2))
        for cause in present:
            count = run.causes.get(cause, 0)
            width = room * count / max(len(run.records), 1)
            if count:
                tip = f"{run.name}: {count} {say.cause(cause)}"
                drawn.append(Boxes(((x, y + 1, max(width - 0.5, 0.2), ROW - 2),), inks[cause], tip))
            if width > width_of(str(count), _SMALL) + 1:
                ink = "#ffffff" if inks[cause] in _DEEP else "#1b1f24"
                drawn.append(Words(x + width / 2, y + ROW / 2 + 2.2, str(count), "middle", ink, size=_SMALL))
            x += width
    y = top + ROW * len(account.runs) + 8
    drawn += _legend([(inks[cause], say.cause(cause)) for cause in present], y)
    rows = -(-len(present) // _columns([say.cause(cause) for cause in present]))
    return Drawing("causes", say("figure.causes"), say("figure.causes.about"), COLUMN, y + rows * 10 + 2, tuple(drawn))


_SHADES = {
    "right": ("#0072B2", "#56B4E9", "#A6D3EF"),
    "not_found": ("#7A3B00", "#D55E00", "#E69F00", "#F0C05A", "#F0E442", "#FFF3B0", "#C46200", "#B8860B"),
    "misread": ("#882255", "#CC79A7", "#E7B6D2", "#AA4499"),
    "not_judged": ("#C9CED4", "#E3E6EA"),
    "failed": ("#3B4048",),
}
_DEEP = ("#0072B2", "#7A3B00", "#D55E00", "#882255", "#AA4499", "#3B4048", "#B8860B")


def _inks(present: Sequence[Cause]) -> dict[Cause, str]:
    """A shade for each cause: of its fate's family, so that what belongs together looks alike."""
    return {cause: _SHADES[(fate := FATE_OF[cause])][FATES[fate][1].index(cause)] for cause in present}


def _legend(entries: Sequence[tuple[str, str]], top: float) -> list[Mark]:
    drawn: list[Mark] = []
    columns = _columns([text for _, text in entries])
    room = (COLUMN - 2) / columns
    for place, (ink, text) in enumerate(entries):
        x, y = 2 + place % columns * room, top + place // columns * 10
        drawn.append(Boxes(((x, y - 5, 6, 6),), ink))
        drawn.append(Words(x + 9, y, shortened(text, room - 10, _SMALL), size=_SMALL))
    return drawn


def _columns(texts: Sequence[str]) -> int:
    """Three where every text of a legend fits, else two."""
    return 3 if all(width_of(text, _SMALL) <= (COLUMN - 2) / 3 - 10 for text in texts) else 2


def grid(account: Account, say: Phrases) -> Drawing:
    """What became of every question in every run; questions from those that most runs got right to the hardest."""
    by_question = account.records
    right = {
        question: sum(FATE_OF[record.cause] == "right" for record in found.values())
        for question, found in by_question.items()
    }
    ordered = sorted(by_question, key=lambda question: -right[question])
    side = _side(account.runs)
    cell = (COLUMN - side - 2) / max(len(ordered), 1)
    gap = min(0.4, cell / 6)
    places: dict[str, list[tuple[float, float, float, float]]] = {fate: [] for fate in FATES}
    drawn: list[Mark] = []
    for row, run in enumerate(account.runs):
        drawn.append(_run_label(run, side, 4 + ROW * (row + 0.5)))
        for column, question in enumerate(ordered):
            record = by_question[question].get(run.name)
            if record is not None:
                # Heights differ as well as inks: what was lost is lower than what was right.
                fate = FATE_OF[record.cause]
                height = (ROW - 2) * (1.0 if fate == "right" else 0.55 if fate == "not_judged" else 0.75)
                bottom = 4 + ROW * (row + 1) - 1
                places[fate].append((side + cell * column, bottom - height, cell - gap, height))
    present = [fate for fate in FATES if places[fate]]
    drawn += [Boxes(tuple(places[fate]), FATES[fate][0], say(f"fate.{fate}")) for fate in present]
    y = 4 + ROW * len(account.runs) + 8
    drawn.append(Words(side, y, say("figure.grid.axis"), "start", "muted", size=_SMALL))
    drawn += _legend([(FATES[fate][0], say(f"fate.{fate}")) for fate in present], y + 11)
    height = y + 11 + -(-len(present) // _columns([say(f"fate.{fate}") for fate in present])) * 10
    return Drawing("questions", say("figure.grid"), say("figure.grid.about"), COLUMN, height, tuple(drawn))


PICTURES: tuple[Callable[[Account, Phrases], Drawing | None], ...] = (
    heatmap,
    over_tokens,
    matched,
    pareto,
    causes,
    grid,
)
"""What is drawn after the means of each metric, in the order of the page; another picture is another function here."""


def figures(account: Account, say: Phrases) -> tuple[Drawing, ...]:
    """All that the account has values for, in the order of the page."""
    drawn = [dots(account, key, say) for key in account.board.keys] + [draw(account, say) for draw in PICTURES]
    return tuple(drawing for drawing in drawn if drawing is not None)
