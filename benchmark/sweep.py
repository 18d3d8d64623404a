"""What holds the jobs of a sweep together: where each says how it ended, and what is made of them all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from benchmark.compare import Comparison, compared, open_run
from benchmark.config import check, load_corpus
from benchmark.domain import UserError
from benchmark.job import PARENT
from benchmark.report.leaderboard import as_markdown
from benchmark.report.patterns import as_lines
from benchmark.storage.environment import NOT_IN_FINGERPRINT, code_digest
from benchmark.storage.places import PACKAGE
from benchmark.storage.runs import RunFolder, plain_json, write_whole
from benchmark.storage.tracking import Comparison as TrackedComparison
from benchmark.storage.tracking import MlflowTracking, sweep_key

SCRATCH = "RAGSWEEP_SCRATCH"
"""The environment variable that names the folder where the jobs of this call say how they ended."""
REFUSED = "RAGSWEEP_REFUSED"
"""The environment variable by which a sweep that cannot start tells its jobs why."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How a job ended. ``run``: its folder below ``results``, if it came so far. ``error``: what to tell the user."""

    name: str | None
    results: str
    tracking: Mapping[str, Any]
    questions: Sequence[str] = ()
    run: str | None = None
    error: str | None = None
    exit_code: int = 0

    def write(self, number: int) -> None:
        write_whole(Path(os.environ[SCRATCH]) / f"job-{number:05d}.json", plain_json(asdict(self)))


def read_statuses(scratch: Path) -> list[JobStatus]:
    """Of all jobs that ended, in their order."""
    return [JobStatus(**json.loads(file.read_text(encoding="utf-8"))) for file in sorted(scratch.glob("job-*.json"))]


class SweepCallback(Callback):
    """Opens the sweep's run in MLflow before its jobs start; Hydra calls it in the parent process.

    Hydra only warns of an error in a callback, so the jobs are told of it.
    """

    def on_multirun_start(self, config: DictConfig, **_: object) -> None:
        try:
            self._open(config)
        except OmegaConfBaseException:
            # Swept parts may fill what is missing, so each job says what is missing from its own; the sweep's jobs are
            # then tracked side by side, without a parent.
            return
        except UserError as error:
            os.environ[REFUSED] = str(error)

    def _open(self, config: DictConfig) -> None:
        known = OmegaConf.masked_copy(config, _known_keys(config))
        settings = cast(dict[str, Any], OmegaConf.to_container(known, resolve=True))
        check(settings)  # what is wrong is told before anything is written
        corpus = load_corpus(settings)
        if not settings["tracking"]["uri"]:
            return
        tracking = MlflowTracking(**settings["tracking"])
        tracking.prepare()
        swept = {
            "sweeper": OmegaConf.to_container(OmegaConf.create(config.hydra.sweeper.params or {})),
            "overrides": list(config.hydra.overrides.task),
        }
        asked = {name: part for name, part in settings.items() if name not in NOT_IN_FINGERPRINT}
        key = sweep_key(asked, swept, corpus.digest, code_digest(PACKAGE))
        name = settings["name"] or "sweep"
        os.environ[PARENT] = tracking.open_sweep(key, name=name, parameters={"sweep": name, **swept})


def _known_keys(config: DictConfig) -> list[str]:
    return [str(key) for key in config if key != "hydra" and not OmegaConf.is_missing(config, key)]


def close(statuses: Sequence[JobStatus]) -> Comparison | None:
    """Write the sweep's list of runs, log the comparison to its MLflow run; ``None`` where no job made a run."""
    made = [status for status in statuses if status.run is not None]
    if not made:
        return None
    first = made[0]
    results = Path(first.results)
    asked = list(dict.fromkeys(question for status in made for question in status.questions))
    runs = list(dict.fromkeys(status.run for status in made if status.run is not None))
    listed = plain_json({"runs": runs, "questions": asked})
    for name in ("latest", first.name):
        if name is not None:
            write_whole(results / "sweeps" / f"{name}.json", listed)
    comparison = compared([open_run(RunFolder(results / run), asked) for run in runs])
    parent = os.environ.get(PARENT)
    if parent is not None:
        MlflowTracking(**first.tracking).close_sweep(
            parent,
            TrackedComparison(
                rows=comparison.board.plain_rows(),
                markdown=page(comparison),
                patterns=comparison.patterns,
                description=f"{len(runs)} runs on {len(asked)} questions",
                failed=any(status.exit_code for status in statuses),
            ),
            seconds=sum(run.seconds for run in comparison.runs.values()),
        )
    return comparison


def page(comparison: Comparison) -> str:
    """The comparison as Markdown: table, notes, which is better, patterns, cautions."""
    sections = (
        ("Which is better", comparison.verdict()),
        ("Patterns", as_lines(comparison.findings)),
        ("Cautions", caution_lines(comparison)),
    )
    listed = [f"\n**{title}**\n\n" + "".join(map(_item, lines)) for title, lines in sections if lines]
    return as_markdown(comparison.board) + "".join(listed)


def _item(line: str) -> str:
    depth = "  " if line.startswith(" ") else ""
    return f"{depth}- {line.strip()}\n"


def caution_lines(comparison: Comparison) -> list[str]:
    """What speaks against reading the means as they stand; what all runs share is said once."""
    shared = set.intersection(*(set(found) for found in comparison.cautions.values()))
    lines = [caution.message for caution in sorted(shared, key=lambda caution: caution.name)]
    for name, found in comparison.cautions.items():
        lines += [f"{name}: {caution.message}" for caution in found if caution not in shared]
    return lines + [caution.message for caution in comparison.common_cautions]
