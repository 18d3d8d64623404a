"""The list of a sweep's runs: ``results/sweeps/<name>.json``, by which ``compare`` finds them again."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.domain import UserError
from benchmark.storage.runs import plain_json, write_whole

LATEST = "latest"


@dataclass(frozen=True, slots=True)
class SweptRun:
    """``folder``: the run's, below the results. ``questions``: the ids that the sweep asked of it."""

    folder: str
    questions: tuple[str, ...]


def write_sweep(results: Path, name: str | None, runs: Sequence[SweptRun]) -> None:
    """Under its name, if it has one, and as the latest."""
    listed = plain_json({"runs": [{"folder": run.folder, "questions": run.questions} for run in runs]})
    for known_as in filter(None, (LATEST, name)):
        write_whole(_file(results, known_as), listed)


def read_sweep(results: Path, name: str) -> tuple[SweptRun, ...] | None:
    """``None`` where there is no sweep of that name.

    Raises:
        UserError: the file does not say what ``write_sweep`` writes.
    """
    file = _file(results, name)
    if not file.is_file():
        return None
    try:
        listed = json.loads(file.read_text(encoding="utf-8"))
        return tuple(SweptRun(run["folder"], tuple(run["questions"])) for run in listed["runs"])
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{file} is no list of runs that this version of ragsweep wrote. Repeat the sweep: what is finished is kept"
        ) from None


def sweep_names(results: Path) -> Sequence[str]:
    """Of all sweeps of a folder of results, sorted."""
    return sorted(file.stem for file in (results / "sweeps").glob("*.json"))


def _file(results: Path, name: str) -> Path:
    return results / "sweeps" / f"{re.sub(r'[^-.+ 0-9A-Za-z_]', '-', name)}.json"
