"""``ragsweep compare [RUNS]``: the table, the verdict and the patterns, from records alone."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmark.commands import about
from benchmark.compare import Comparison, compared, find_runs
from benchmark.config import introduce
from benchmark.report.leaderboard import as_table, notes
from benchmark.report.patterns import as_lines, causes_line
from benchmark.sweep import caution_lines, page


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep compare", description=about(__doc__))
    parser.add_argument("runs", nargs="?", default="latest", help="a sweep's name, the path of runs, or latest")
    parser.add_argument("--results", type=Path, default=Path("results"), help="the folder of results (results)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="for a README or a write-up")
    form.add_argument("--json", action="store_true", help="for a program: the means as numbers")
    chosen = parser.parse_args(list(arguments))
    introduce()
    comparison = compared(find_runs(chosen.runs, chosen.results))
    if chosen.markdown:
        print(page(comparison), end="")
    elif chosen.json:
        print(json.dumps(comparison.board.plain_rows(), ensure_ascii=False, indent=2))
    else:
        show(comparison)
    return 0


def show(comparison: Comparison) -> None:
    """Print the comparison to the terminal, or to a pipe wide enough for the table."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(as_table(comparison.board))
    sections = (
        ("", notes(comparison.board)),
        ("Which is better", comparison.verdict()),
        ("Where questions were lost", [causes_line(name, run.records) for name, run in comparison.runs.items()]),
        ("Patterns", as_lines(comparison.findings)),
        ("Cautions", caution_lines(comparison)),
    )
    for title, lines in sections:
        if lines:
            console.print(f"\n[bold]{title}[/bold]" if title else "")
            for line in lines:
                console.print(line, markup=False)
