"""A gate over 500 questions, with all safety checks and a baseline: how long the whole command takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmark.storage.places import PACKAGE
from benchmark.storage.shelves import find
from tests.performance.measures import Figure
from tests.performance.reporting import QUESTIONS, write_runs


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        write_runs(home, systems=1)
        for facts in ("medications.jsonl", "doses.jsonl"):
            shutil.copy(find("obstetrics") / facts, home / "corpora" / "big" / facts)
        what = f"gate of {QUESTIONS} questions, all checks, with a baseline"
        yield Figure(what, gated(home), "s", 5, "the whole command, from records")


def gated(home: Path) -> float:
    """Seconds of the whole command."""
    runs = str(home / "results" / "runs")
    command = [sys.executable, "-m", "benchmark", "gate", runs, "--policy", "clinical", "--baseline", runs]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    began = perf_counter()
    ended = subprocess.run(command, cwd=home, env=environment, check=False, capture_output=True, text=True)
    seconds = perf_counter() - began
    if "policy clinical" not in ended.stdout:
        raise RuntimeError(f"the gate did not decide: {ended.stderr}")
    return seconds
