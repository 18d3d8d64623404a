"""``ragsweep report [RUNS]``: the comparison as a page, an evaluation report, tables for a paper, and images."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmark.commands import about
from benchmark.commands.arguments import add_runs
from benchmark.commands.progress import tell
from benchmark.compare import comparisons, find_runs
from benchmark.config import introduce
from benchmark.report.phrases import LANGUAGES, phrases
from benchmark.reporting import FORMS, account_of, chosen_forms, folders, report
from benchmark.storage.places import must_be_writable
from benchmark.storage.reports import folder_of, write_files


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep report", description=about(__doc__))
    add_runs(parser)
    parser.add_argument("--to", default="html", metavar="FORMS", help=f"of {', '.join(FORMS)}, with commas (html)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to write (results/reports/RUNS)")
    parser.add_argument("--language", default="en", help=f"{' or '.join(LANGUAGES)} (en)")
    chosen = parser.parse_args(list(arguments))
    forms = chosen_forms(chosen.to)
    phrases(chosen.language)  # refused before the runs are read
    out = chosen.out or folder_of(chosen.results, chosen.runs)
    must_be_writable(out, knob="--out")
    introduce()
    found = comparisons(find_runs(chosen.runs, chosen.results, tell))
    for comparison, folder in zip(found, folders(found), strict=True):
        account = account_of(comparison, command=shlex.join(["ragsweep", "report", *arguments]))
        for path in write_files(out / folder, report(account, forms, language=chosen.language)):
            print(path)
    return 0
