"""One metric by kind of question: a table of kinds by runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmark.domain import Record
from benchmark.readings.breakdown import Group, breakdown
from benchmark.report.leaderboard import NOT_MEASURED


def groups_of(runs: Mapping[str, Sequence[Record]], key: str, *, seed: int) -> tuple[Group, ...]:
    """Of a metric that all runs have under one key."""
    return ordered(breakdown(runs, dict.fromkeys(runs, key), seed=seed))


def ordered(found: Sequence[Group]) -> tuple[Group, ...]:
    """The kinds of questions on which any run measured the metric; kinds with the most questions first of each sort."""
    told = [group for group in found if any(estimate.n for estimate in group.estimates.values())]
    sorts = dict.fromkeys(group.of for group in found)
    return tuple(group for of in sorts for group in sorted(told, key=_most_first) if group.of == of)


def _most_first(group: Group) -> int:
    return -max(estimate.n for estimate in group.estimates.values())


def heads(groups: Sequence[Group]) -> tuple[str, ...]:
    return ("kind", "n", *groups[0].estimates) if groups else ("kind", "n")


def cells(group: Group) -> tuple[str, ...]:
    """``n`` is of the questions on which the metric was measured: one number where all runs have as many."""
    counts = sorted({estimate.n for estimate in group.estimates.values() if estimate.n})
    n = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    means = (estimate.mean for estimate in group.estimates.values())
    return f"{group.of}: {group.name}", n, *(NOT_MEASURED if mean is None else f"{mean:.2f}" for mean in means)


def as_table(groups: Sequence[Group]) -> Table:
    """For a terminal."""
    table = Table(header_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for number, head in enumerate(heads(groups)):
        table.add_column(head, justify="left" if number == 0 else "right", no_wrap=True)
    for group in groups:
        table.add_row(*cells(group))
    return table


def as_markdown(groups: Sequence[Group]) -> str:
    """For a card or a write-up."""
    names = heads(groups)
    lines = [f"| {' | '.join(names)} |", f"|---|{'---:|' * (len(names) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells(group))} |" for group in groups)]) + "\n"
