"""``ragsweep replay [RUNS]``: runs made again from the ledger alone, with no endpoint in reach, and compared."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmark.commands.arguments import add_runs
from benchmark.commands.progress import tell
from benchmark.compare import OpenedRun, find_runs
from benchmark.config import introduce, plan_again
from benchmark.job import execute
from benchmark.storage.records import differing

_SHOWN = 5


def command(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("ragsweep replay", description=__doc__)
    add_runs(parser)
    chosen = parser.parse_args(list(arguments))
    introduce()
    equal = [_replay(run) for run in find_runs(chosen.runs, chosen.results, tell)]
    return 0 if all(equal) else 1


def _replay(run: OpenedRun) -> bool:
    """Whether every question that the run finished is answered and scored the same again."""
    finished = {record.question.id for record in run.records if not record.failures}
    name = f"{run.names['architecture']} · {run.names['generator']}"
    began = perf_counter()
    with TemporaryDirectory(prefix="ragsweep-replay-") as folder:
        again = plan_again(run.settings, run.names, results=Path(folder))
        changed = again.fingerprint != run.folder.fingerprint
        asked = tuple(question for question in again.questions if question.id in finished)
        made = execute(replace(again, questions=asked, fingerprint=run.folder.fingerprint))
        other = differing(run.folder.records, made.folder.records)
        failures = {record.failure.message for record in made.records if record.failure is not None}
    left_out = (
        f", {len(run.records) - len(finished)} that had failed left out" if len(finished) < len(run.records) else ""
    )
    said = "equal" if not other else f"{len(other)} DIFFER: {', '.join(other[:_SHOWN])}"
    print(f"{name}: {len(finished)} questions in {perf_counter() - began:.1f} s{left_out}: {said}")
    if other and changed:
        print("    the code or the configuration's files have changed since the run, so it may say something else")
    for message in sorted(failures)[:_SHOWN]:
        print(f"    {message}")
    return not other
