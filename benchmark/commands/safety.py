"""``ragsweep safety [RUNS]``: six safety checks over what was answered, each failing answer with its words."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence

from rich.console import Console

from benchmark.commands import about
from benchmark.commands.arguments import RUNS, add_forms, add_results
from benchmark.commands.progress import tell
from benchmark.compare import find_runs
from benchmark.config import introduce
from benchmark.report import safety as report
from benchmark.systems import System, systems


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep safety", description=about(__doc__))
    parser.add_argument(
        "runs",
        nargs="*",
        default=["latest"],
        help=f"one or more, each {RUNS} (latest); runs of one system on several corpora count together",
    )
    add_results(parser)
    parser.add_argument("--all", action="store_true", help="every failing answer, with all its words")
    add_forms(parser, markdown="the table for a page", json="for a program: every check of every system")
    chosen = parser.parse_args(list(arguments))
    introduce()
    found = systems([run for target in chosen.runs for run in find_runs(target, chosen.results, tell)])
    checked = {system.name: system.checks() for system in found}
    if chosen.json:
        print(json.dumps([_plain(system, checked) for system in found], ensure_ascii=False, indent=2))
    elif chosen.markdown:
        print(report.as_markdown(checked), end="")
    else:
        console = Console(highlight=False)
        console = console if console.is_terminal else Console(highlight=False, width=160)
        console.print(report.as_table(checked))
        for line in report.notes(checked):
            console.print(line, markup=False)
        for name, checks in checked.items():
            lines = list(report.case_lines(checks, whole=chosen.all))
            if lines:
                console.print(f"\n[bold]{name}[/bold]")
            for line in lines:
                console.print(line, markup=False)
    return 0


def _plain(system: System, checked: report.Found) -> dict[str, object]:
    return {
        "system": system.name,
        "runs": [str(run.folder.path) for run in system.runs],
        "checks": [report.plain(one) for one in checked[system.name]],
    }
