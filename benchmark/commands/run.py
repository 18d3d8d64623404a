"""``ragsweep [run] OVERRIDES [-m]``: one run, or a sweep."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from rich.console import Console
from rich.progress import track as progress

from benchmark import sweep
from benchmark.commands.compare import show
from benchmark.commands.spending import show_spending
from benchmark.compare import Comparison
from benchmark.config import Plan, introduce, plan
from benchmark.domain import Question, UserError
from benchmark.job import PARENT, execute, folder_of, rehearse, relative, track
from benchmark.models.endpoints.budget import BudgetSpentError, new_accounts
from benchmark.storage.places import bundled
from benchmark.storage.tracking import MlflowTracking
from benchmark.sweep import REFUSED, SCRATCH, JobStatus, close, read_statuses

FAILED, WRONG, INTERRUPTED = 1, 2, 130


def command(arguments: Sequence[str]) -> int:
    """Run what the overrides say, then compare what was run.

    Raises:
        UserError: Hydra cannot make a configuration of the overrides.
    """
    introduce()
    new_accounts()
    for left_over in (PARENT, REFUSED):  # of another call in this process
        os.environ.pop(left_over, None)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # so that its errors reach us instead of its own traceback
    with TemporaryDirectory(prefix="ragsweep-") as scratch:
        os.environ[SCRATCH] = scratch
        sys.argv = ["ragsweep", *arguments]
        try:
            hydra.main(config_path=str(bundled("conf")), config_name="config", version_base="1.3")(job)()
        except (HydraException, OmegaConfBaseException) as error:
            raise UserError(_told(error)) from None
        except KeyboardInterrupt:
            statuses = read_statuses(Path(scratch))
            _track(statuses, close(statuses), interrupted=True)
            raise
        statuses = read_statuses(Path(scratch))
        return conclude(statuses)


def job(config: DictConfig) -> None:
    """One job. No error leaves it, so that the jobs after it run: it says in its status how it ended."""
    hydra_config = HydraConfig.get()
    number = 0 if OmegaConf.is_missing(hydra_config.job, "num") else hydra_config.job.num
    console = Console(stderr=True)
    introduce()  # a launcher may have started this process
    tracking = cast(dict[str, Any], OmegaConf.to_container(config.tracking, resolve=True))
    status = JobStatus(name=config.name, results=config.results, tracking=tracking)
    try:
        if REFUSED in os.environ:
            raise UserError(os.environ[REFUSED])
        planned = plan(config, hydra_config.runtime.choices)
        status = _execute(planned, status, number, console)
    except UserError as error:
        status = replace(status, error=str(error), exit_code=WRONG)
    except Exception as error:  # noqa: BLE001  # a sweep goes on past a job that breaks
        traceback.print_exc()
        status = replace(status, error=f"{type(error).__name__}: {error}", exit_code=FAILED)
    status.write(number)


def _execute(planned: Plan, status: JobStatus, number: int, console: Console) -> JobStatus:
    label = f"{planned.names['architecture']} · {planned.names['generator']}"

    def watch(waiting: Sequence[Question]) -> Iterable[Question]:
        if not console.is_terminal:
            return waiting
        return progress(waiting, description=label, console=console, transient=True)

    if planned.is_dry:
        rehearse(planned)
        return status
    status = replace(
        status,
        run=relative(folder_of(planned), planned.results),
        questions=[question.id for question in planned.questions],
    )
    replace(status, exit_code=INTERRUPTED).write(number)  # what a sweep that is stopped here knows of this job
    try:
        finished = execute(planned, watch)
    except BudgetSpentError as error:
        return replace(status, error=f"{label}: {error}", exit_code=FAILED)
    failed = sum(record.failure is not None for record in finished.records)
    console.print(f"{label}: {len(finished.records)} questions, {failed} failed", highlight=False)
    status = replace(status, exit_code=FAILED if failed else 0)
    try:
        track(planned, finished)
    except Exception as error:  # noqa: BLE001  # MLflow's errors have no common base; the run stands without it
        message = f"{label} is finished and kept in {finished.folder.path}, but MLflow has refused it: {error}"
        status = replace(status, error=message, exit_code=FAILED)
    return status


def conclude(statuses: Sequence[JobStatus]) -> int:
    """Show what the jobs made, and the errors, each once; returns the exit code."""
    for error in dict.fromkeys(status.error for status in statuses if status.error):
        print(f"ragsweep: {error}", file=sys.stderr)
    found = close(statuses)
    if found:
        show(found)
    show_spending(dry=all(status.run is None and status.error is None for status in statuses))
    tracked = _track(statuses, found)
    first = next((status for status in statuses if status.run is not None), None)
    if first is not None and first.tracking["uri"]:
        print(f"\nMLflow: {MlflowTracking(**first.tracking).ui_command}")
    return max([*(status.exit_code for status in statuses), 0 if tracked else FAILED])


def _track(statuses: Sequence[JobStatus], found: Sequence[Comparison], *, interrupted: bool = False) -> bool:
    """End the sweep's run in MLflow; ``False`` where MLflow has refused it."""
    try:
        sweep.track(statuses, found, interrupted=interrupted)
    except Exception as error:  # noqa: BLE001  # MLflow's errors have no common base; the runs stand without it
        print(f"ragsweep: the sweep is finished and kept, but MLflow has refused it: {error}", file=sys.stderr)
        return False
    return True


def _told(error: Exception) -> str:
    """Hydra's message without what it says about its own settings."""
    lines = [line for line in str(error).splitlines() if "HYDRA_FULL_ERROR" not in line and line.strip()]
    cure = "Look at what may be chosen: ragsweep list, and at every knob: ragsweep --cfg job"
    return "\n".join([*lines, cure])
