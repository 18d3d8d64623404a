"""``ragsweep compare [RUNS]``: the table, the verdict and the patterns, from records alone."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmark.commands import about
from benchmark.compare import Comparison, comparisons, find_runs, pages
from benchmark.config import introduce
from benchmark.report.leaderboard import as_tables, notes


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep compare", description=about(__doc__))
    parser.add_argument("runs", nargs="?", default="latest", help="a sweep's name, the path of runs, or latest")
    parser.add_argument("--results", type=Path, default=Path("results"), help="the folder of results (results)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="for a README or a write-up")
    form.add_argument("--json", action="store_true", help="for a program: the means as numbers")
    chosen = parser.parse_args(list(arguments))
    introduce()
    found = comparisons(find_runs(chosen.runs, chosen.results))
    if chosen.markdown:
        print(pages(found), end="")
    elif chosen.json:
        rows = [row for comparison in found for row in comparison.plain_rows()]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        show(found)
    return 0


def show(found: Sequence[Comparison]) -> None:
    """Print comparisons to the terminal, or to a pipe wide enough for the table."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    for comparison in found:
        if len(found) > 1:
            console.rule(comparison.corpus)
        _show(comparison, console)


def _show(comparison: Comparison, console: Console) -> None:
    for table in as_tables(comparison.board):
        console.print(table)
    for title, lines in (("", notes(comparison.board)), *comparison.sections()):
        console.print(f"\n[bold]{title}[/bold]" if title else "")
        for line in lines:
            console.print(line, markup=False)
