"""``ragsweep gate RUN --policy NAME``: may this system be promoted; a pipeline can obey its exit code."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmark.commands import about
from benchmark.commands.arguments import RUNS, add_results
from benchmark.commands.progress import tell
from benchmark.config import introduce
from benchmark.domain import UserError
from benchmark.gating import Gated, gate
from benchmark.report import gate as report
from benchmark.storage.runs import plain_json, write_whole
from benchmark.storage.tracking import MlflowTracking

_CODES = "Exit codes: 0 READY, 3 NOT READY or INFORM (fewer than 20 questions), 4 CONSULT, 2 the input is wrong."


def command(arguments: Sequence[str]) -> int:
    chosen = _parser().parse_args(list(arguments))
    introduce()
    found = gate(
        chosen.run,
        chosen.policy,
        chosen.results,
        only=chosen.only,
        safety=chosen.safety,
        baseline=chosen.baseline,
        tell=tell,
    )
    told = report.plain(found.verdict, found.name)
    page = report.as_markdown(found.verdict, found.name)
    for path, text in ((chosen.junit, report.as_junit(found.verdict, found.name)), (chosen.markdown, page)):
        if path is not None:
            _write(path, text)
    _track(found, chosen, told, page)
    if chosen.json:
        print(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        _show(found)
    return report.EXIT_CODES[found.verdict.decision]


def _parser() -> ArgumentParser:
    parser = ArgumentParser("ragsweep gate", description=about(__doc__), epilog=_CODES)
    parser.add_argument("run", help=f"{RUNS}: one system, on one corpus or several")
    parser.add_argument("--policy", required=True, help="a file of conf/gate: research, clinical, smoke, or your own")
    parser.add_argument("--only", metavar="SYSTEM", help="which, where there are several, as ragsweep safety names it")
    parser.add_argument("--safety", metavar="RUNS", help="more runs of the system, for its safety checks")
    parser.add_argument("--baseline", metavar="RUN", help="an earlier run on the same exam: a drop stops the gate")
    add_results(parser)
    parser.add_argument("--json", action="store_true", help="for a program, instead of the table")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML there as well")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a job's summary there as well")
    return parser


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror}).\n    wanted: a file in a folder that you may write, or one "
            "that can be made\n    to do:  give another, or change its permissions"
        ) from None


def _show(found: Gated) -> None:
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=160)
    console.print(report.as_table(found.verdict))
    for line in report.to_do_lines(found.verdict):
        console.print(line, markup=False)
    console.print(f"\n{report.headline(found.verdict, found.name)}", markup=False)


def _track(found: Gated, chosen: Namespace, told: dict[str, object], page: str) -> None:
    """Tags and artifacts of the run in MLflow, where the results have a store."""
    if not (chosen.results / "mlflow.db").is_file():
        return
    artifacts = str(chosen.results / "mlartifacts")
    tracking = MlflowTracking(f"sqlite:///{chosen.results / 'mlflow.db'}", artifacts, found.run.names["corpus"])
    policy = found.verdict.policy
    tags = {f"gate.{policy}": str(found.verdict.decision)}
    files = {f"gate/{policy}.json": plain_json(told), f"gate/{policy}.md": page}
    tracking.log_gate(found.run.folder.fingerprint, found.run.asked, tags, files)
