"""``ragsweep compare [RUNS] [RUNS]``: one sweep's table, verdict and patterns, or what a second one changed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console

from benchmark.commands import about
from benchmark.commands.arguments import RUNS, add_forms, add_results
from benchmark.commands.progress import tell
from benchmark.compare import Comparison, comparisons, find_runs, pages
from benchmark.config import introduce
from benchmark.domain import UserError
from benchmark.metrics import in_order
from benchmark.report import improvement, kinds
from benchmark.report.improvement import Versus
from benchmark.report.leaderboard import as_tables, notes
from benchmark.suggestions import meant
from benchmark.versus import versus


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep compare", description=about(__doc__))
    parser.add_argument(
        "runs",
        nargs="*",
        help=f"{RUNS} (latest); of two, what the second changed over the first",
    )
    add_results(parser)
    parser.add_argument("--by", metavar="METRIC", help="this metric by kind of question, such as retrieval/ndcg_5")
    add_forms(parser, markdown="for a README or a write-up", json="for a program: the means as numbers")
    chosen = parser.parse_args(list(arguments))
    if len(chosen.runs) > 2:
        raise UserError(f"compare takes one sweep or two, not {len(chosen.runs)}. Give each by its name or its path")
    if len(chosen.runs) == 2 and chosen.by:
        raise UserError("--by reads one sweep by kind of question. Give one sweep, or leave --by out")
    introduce()
    if len(chosen.runs) == 2:
        show_versus(
            versus(chosen.runs[0], chosen.runs[1], chosen.results, tell), markdown=chosen.markdown, as_json=chosen.json
        )
        return 0
    found = comparisons(find_runs(chosen.runs[0] if chosen.runs else "latest", chosen.results, tell))
    if chosen.by:
        by_kind(found, chosen.by, markdown=chosen.markdown, as_json=chosen.json)
    elif chosen.markdown:
        print(pages(found), end="")
    elif chosen.json:
        rows = [row for comparison in found for row in comparison.plain_rows()]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        show(found)
    return 0


def by_kind(found: Sequence[Comparison], key: str, *, markdown: bool, as_json: bool) -> None:
    """Print one metric by kind of question.

    Raises:
        UserError: no run has the metric.
    """
    for comparison in found:
        records = {name: run.records for name, run in comparison.runs.items()}
        groups = kinds.groups_of(records, key, seed=comparison.seed)
        if not groups:
            known = {name for run in records.values() for record in run for name in record.scores}
            raise UserError(
                f"no question of {comparison.corpus} has a value of {key!r}.{meant(key, sorted(known))}\n"
                f"    wanted: one of {', '.join(in_order(sorted(known)))}"
            )
        if markdown:
            print(kinds.as_markdown(groups), end="")
        elif as_json:
            print(json.dumps([asdict(group) for group in groups], ensure_ascii=False, indent=2))
        else:
            _console().print(kinds.as_table(groups))


def show_versus(found: Versus, *, markdown: bool, as_json: bool) -> None:
    """Print what became better or worse, and what differs."""
    if markdown:
        print(improvement.as_markdown(found), end="")
        return
    if as_json:
        print(json.dumps(found.plain(), ensure_ascii=False, indent=2))
        return
    console = _console()
    console.print(f"A: {found.a}; B: {found.b}", markup=False)
    if improvement.notes(found):
        console.print(improvement.as_table(found))
    _show_sections((("", improvement.notes(found)), *found.sections()), console)


def show(found: Sequence[Comparison]) -> None:
    """Print comparisons to the terminal, or to a pipe wide enough for the table."""
    console = _console()
    for comparison in found:
        if len(found) > 1:
            console.rule(comparison.corpus)
        _show(comparison, console)


def _console() -> Console:
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(highlight=False, width=160)


def _show(comparison: Comparison, console: Console) -> None:
    for table in as_tables(comparison.board):
        console.print(table)
    _show_sections((("", notes(comparison.board)), *comparison.sections()), console)


def _show_sections(sections: Sequence[tuple[str, list[str]]], console: Console) -> None:
    for title, lines in sections:
        if not lines:
            continue
        console.print(f"\n[bold]{title}[/bold]" if title else "")
        for line in lines:
            console.print(line, markup=False)
