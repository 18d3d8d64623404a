"""Two sweeps side by side: what became better or worse beyond noise, and which inputs differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmark.metrics import in_order
from benchmark.readings.changes import Change
from benchmark.readings.improvement import Improvement, Improvements
from benchmark.report.leaderboard import label_of
from benchmark.statistics import ALPHA

_HEADS = ("metric", "run", "A", "B", "B - A", "95 % interval", "adjusted p", "n", "beyond noise")
_MARKS = {"better": "better", "worse": "worse", "changed": "changed", "not told apart": "", "the same": ""}


@dataclass(frozen=True, slots=True)
class Versus:
    """What stands in the table and below it; ``a`` and ``b``: what the user called the two.

    ``changes``: by the label of the runs; ``unknown`` likewise. ``only_a`` and ``only_b``: runs without a partner.
    """

    a: str
    b: str
    improvements: Improvements
    changes: Mapping[str, tuple[Change, ...]]
    unknown: Mapping[str, tuple[str, ...]]
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()

    def sections(self) -> tuple[tuple[str, list[str]], ...]:
        """Titles with their lines."""
        said = (
            ("What became better or worse", verdict(self)),
            ("What differs", _changes(self.changes) + _unknown(self.unknown)),
            ("Not compared", _alone(self)),
        )
        return tuple((title, lines) for title, lines in said if lines)

    def plain(self) -> dict[str, object]:
        """For a program."""
        return {
            "a": self.a,
            "b": self.b,
            "metrics": [_plain(row) for row in _ordered(self.improvements.rows)],
            "smallest attainable adjusted p": self.improvements.resolution and self.improvements.resolution.smallest_p,
            "changes": {run: [asdict(change) for change in found] for run, found in self.changes.items()},
            "unknown": {run: list(names) for run, names in self.unknown.items()},
            "only in a": list(self.only_a),
            "only in b": list(self.only_b),
        }


def _plain(row: Improvement) -> dict[str, object]:
    difference = row.difference
    return {
        "run": row.run,
        "metric": row.key,
        "a": row.before,
        "b": row.after,
        "difference": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "interval": str(difference.how),
        "coverage": difference.coverage,
        "n": difference.n,
        "missing": difference.missing,
        "p": row.p_value,
        "adjusted p": row.adjusted_p,
        "verdict": row.verdict,
    }


def _ordered(rows: Sequence[Improvement]) -> list[Improvement]:
    """By metric in the order of the house, then by run as given."""
    keys = {key: place for place, key in enumerate(in_order(dict.fromkeys(row.key for row in rows)))}
    return sorted(rows, key=lambda row: keys[row.key])


def _cells(row: Improvement) -> tuple[str, ...]:
    figure: Callable[[float], str] = "{:.0f}".format if row.key.startswith("cost/") else "{:.2f}".format
    difference, sign = row.difference, "+" if (row.difference.mean or 0.0) > 0 else ""
    known = difference.low is not None and difference.high is not None
    interval = f"{figure(difference.low or 0.0)} to {figure(difference.high or 0.0)}" if known else str(difference.how)
    return (
        label_of(row.key),
        row.run,
        figure(row.before),
        figure(row.after),
        f"{sign}{figure(difference.mean or 0.0)}",
        interval + ("?" if difference.caution else ""),
        "" if row.adjusted_p is None else f"{row.adjusted_p:.3f}" if row.adjusted_p >= 0.001 else "< 0.001",
        f"{difference.n}" + (f" ({difference.missing} missing)" if difference.missing else ""),
        _MARKS[row.verdict],
    )


def _told(versus: Versus) -> list[Improvement]:
    return [row for row in _ordered(versus.improvements.rows) if row.verdict != "the same"]


def as_table(versus: Versus) -> Table:
    """For a terminal: what moved."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(_HEADS):
        table.add_column(head, justify="left" if number < 2 or head == _HEADS[-1] else "right", no_wrap=True)
    for row in _told(versus):
        table.add_row(*_cells(row), style="bold" if _MARKS[row.verdict] else None)
    return table


def as_markdown(versus: Versus) -> str:
    """For a write-up: the table, the notes and all that stands below."""
    rows = [f"| {' | '.join(_cells(row))} |" for row in _told(versus)]
    table = [f"| {' | '.join(_HEADS)} |", f"|---|---|{'---:|' * (len(_HEADS) - 3)}---|", *rows, ""] if rows else []
    listed = ["\n".join([f"\n**{title}**\n", *(f"- {line}" for line in lines)]) for title, lines in versus.sections()]
    heading = [f"A: {versus.a}; B: {versus.b}", ""]
    return "\n".join([*heading, *table, *(f"- {note}" for note in notes(versus)), *listed]) + "\n"


def notes(versus: Versus) -> list[str]:
    """How to read the table."""
    if not _told(versus):
        return []
    found = [
        "B - A: mean of the differences, question by question, where both are measured; better, worse and changed are "
        f"beyond noise (paired sign-flip test, Holm over all differences of the table, alpha {ALPHA})."
    ]
    if any(row.difference.caution for row in _told(versus)):
        found.append("?: with so few questions the interval holds the true difference less often than it says.")
    return found


def verdict(versus: Versus) -> list[str]:
    """What may be said: the differences beyond noise, or that there are none."""
    found, said = versus.improvements, list[str]()
    for row in _ordered(found.of("better", "worse", "changed")):
        _, run, before, after, difference, interval, p, _, mark = _cells(row)
        said.append(f"{label_of(row.key)} of {run} is {mark}: {before} -> {after} ({difference}; {interval}; p {p}).")
    told, same = found.of("not told apart"), found.of("the same")
    limits = found.resolution
    if limits is not None and not limits.can_rank:
        said.append(
            f"Cannot tell better from worse with {limits.questions} question{'s' * (limits.questions != 1)}: the "
            f"smallest attainable corrected p is {limits.smallest_p:.3f}."
        )
    elif told and not said:
        said.append("No difference is beyond noise.")
    if same:
        every = len(same) == len(found.rows)
        figures = "Every figure is" if every else f"{len(same)} of {len(found.rows)} figures are"
        said.append(f"{figures} the same on every question.")
    return said


def _changes(found: Mapping[str, tuple[Change, ...]]) -> list[str]:
    """What differs in all runs once, then what is peculiar to some."""
    lists = list(found.values())
    shared = [change for change in lists[0] if all(change in other for other in lists[1:])] if lists else []
    lines = [f"{change.input}: {change}" for change in shared]
    for run, own in found.items():
        lines += [f"{run}: {change.input}: {change}" for change in own if change not in shared]
    return lines or ["Nothing that is known of the two."]


def _unknown(found: Mapping[str, tuple[str, ...]]) -> list[str]:
    names = dict.fromkeys(name for lacking in found.values() for name in lacking)
    return [f"Not kept with every run, so nobody can say: {', '.join(names)}."] if names else []


def _alone(versus: Versus) -> list[str]:
    lines = [("A", versus.only_a), ("B", versus.only_b)]
    return [f"only in {side}: {', '.join(runs)}" for side, runs in lines if runs]
