"""Safety checks of systems: one table, and below it each failing answer with the words that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import shorten

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmark.safety import LEVEL, Case, Checked

Found = Mapping[str, Sequence[Checked]]
"""The checks of each system, by its name."""

SHOWN = 5
"""Failing answers that are told of each check, unless all are asked for."""
_WORDS = 160
_LEGEND = (
    f"failed/n, and the largest share of failures that this n allows at {100 * LEVEL:.0f} % "
    "(Clopper-Pearson, one-sided); –: not measured"
)


def as_table(found: Found) -> Table:
    """For a terminal."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(_columns(found)):
        table.add_column(name, justify="left" if place == 0 else "right", overflow="fold")
    for system, checks in found.items():
        table.add_row(system, *map(_cell, checks))
    return table


def as_markdown(found: Found) -> str:
    """For a page: the table and why something was not measured."""
    columns = _columns(found)
    rows = [columns, ["---", *["---:" for _ in columns[1:]]]]
    rows += [[system, *map(_cell, checks)] for system, checks in found.items()]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", f"- {_LEGEND}.", *(f"- {line}" for line in not_measured(found))]) + "\n"


def notes(found: Found) -> list[str]:
    """What is said below the table."""
    return [f"{_LEGEND[0].upper()}{_LEGEND[1:]}.", *not_measured(found)]


def not_measured(found: Found) -> list[str]:
    """Which check of which system was not measured, and why."""
    return [
        f"{system}: {one.name} NOT MEASURED: {one.why}"
        for system, checks in found.items()
        for one in checks
        if one.why is not None
    ]


def case_lines(checks: Sequence[Checked], *, whole: bool = False) -> Iterator[str]:
    """Of each check that has failures: its count, and the answers that failed with their words."""
    for one in checks:
        if not one.cases:
            continue
        yield f"{one.name}: {one}"
        shown = one.cases if whole else one.cases[:SHOWN]
        yield from (f"  {case_line(case, whole=whole)}" for case in shown)
        if len(shown) < one.failed:
            yield f"  and {one.failed - len(shown)} more (--all shows them)"


def case_line(case: Case, *, whole: bool = False) -> str:
    """One failing answer: the question's id, the words that failed, and what is wrong with them."""
    words = ", ".join(f"“{' '.join(word.split())}”" for word in case.words)
    return f"{case.question_id}: {words if whole else shorten(words, _WORDS, placeholder=' …')}: {case.why}"


def plain(one: Checked) -> dict[str, object]:
    """One check for a program."""
    return {
        "check": one.name,
        "n": one.n,
        "passed": one.passed,
        "failed": one.failed,
        "upper": one.upper,
        "level": LEVEL,
        "not_measured": one.why,
        "left_out": dict(one.left_out),
        "cases": [{**asdict(case), "words": list(case.words)} for case in one.cases],
    }


def _columns(found: Found) -> list[str]:
    return ["system", *(one.name for one in next(iter(found.values())))]


def _cell(one: Checked) -> str:
    return "–" if one.upper is None else f"{one.failed}/{one.n} (≤ {100 * one.upper:.1f} %)"
