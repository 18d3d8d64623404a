"""``ragsweep [run] OVERRIDES [-m]``: one run, or a sweep."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from benchmark import sweep
from benchmark.commands import COMMANDS
from benchmark.commands.compare import show
from benchmark.commands.overrides import in_order, told
from benchmark.commands.progress import counted, importing, progress, tell, tell_once
from benchmark.commands.spending import show_spending
from benchmark.compare import Comparison
from benchmark.config import Plan, introduce, plan, user_error
from benchmark.domain import UserError
from benchmark.importing.loading import shown_by
from benchmark.job import PARENT, Tell, execute, folder_of, rehearse, relative, track
from benchmark.models.endpoints.budget import BudgetSpentError, new_accounts, share
from benchmark.models.endpoints.faults import CallFailedError
from benchmark.storage.notices import addresses, notices
from benchmark.storage.places import bundled
from benchmark.storage.spending import open_book
from benchmark.storage.tracking import MlflowTracking
from benchmark.sweep import REFUSED, SCRATCH, JobStatus, close, list_runs, read_statuses
from benchmark.turns import GRACE

FAILED, WRONG, INTERRUPTED = 1, 2, 130

BOOK = "spent.sqlite"
_ON_THIS_MACHINE = ("joblib",)
"""The launchers whose processes can share a file."""


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
        sys.argv = ["ragsweep", *in_order(arguments, tuple(COMMANDS))]
        interrupt = signal.getsignal(signal.SIGINT)
        try:
            _let_jobs_stop(arguments)
            hydra.main(config_path=str(bundled("conf")), config_name="config", version_base="1.3")(job)()
        except BrokenPipeError:
            raise
        except (HydraException, OmegaConfBaseException, YAMLError, ValueError, RuntimeError, OSError) as error:
            # No error leaves a job, so that this one is of the configuration.
            raise told(error) from None
        except KeyboardInterrupt:
            statuses = read_statuses(Path(scratch))
            list_runs(statuses)  # who stops it does not wait for a comparison: `ragsweep compare` makes it
            _track(statuses, (), interrupted=True)
            raise
        finally:
            if signal.getsignal(signal.SIGINT) is not interrupt:
                signal.signal(signal.SIGINT, interrupt)
        statuses = read_statuses(Path(scratch))
        if Path(scratch, BOOK).is_file():
            share(open_book(Path(scratch, BOOK)))
        return conclude(statuses)


def _let_jobs_stop(arguments: Sequence[str]) -> None:
    """Hear of Ctrl-C after the jobs in processes of their own, which the terminal tells too and joblib kills at once.

    They keep meanwhile what their calls in flight, which are paid for, bring within the grace.
    """
    if not any(argument == f"hydra/launcher={name}" for argument in arguments for name in _ON_THIS_MACHINE):
        return

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # who asks twice does not want to wait
        time.sleep(GRACE)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)


def job(config: DictConfig) -> None:
    """One job. No error leaves it, so that the jobs after it run: it says in its status how it ended."""
    hydra_config = HydraConfig.get()
    number = 0 if OmegaConf.is_missing(hydra_config.job, "num") else hydra_config.job.num
    status = JobStatus(name=None, results="", tracking={})
    try:
        introduce()  # a launcher may have started this process
        tracking = cast(dict[str, Any], OmegaConf.to_container(config.tracking, resolve=True))
        status = JobStatus(name=config.name, results=config.results, tracking=tracking)
        if REFUSED in os.environ:
            raise UserError(os.environ[REFUSED])
        _spend_together(config, hydra_config.runtime.choices.get("hydra/launcher", "basic"))
        with shown_by(importing):
            planned = plan(config, hydra_config.runtime.choices)
        status = carry_out(planned, status, number, tell)
    except (UserError, OmegaConfBaseException) as error:
        status = replace(status, error=str(user_error(error)), exit_code=WRONG)
    except CallFailedError as error:  # while indexing: a call that a question needs fails that question alone
        told = (
            f"the index was not built: {error}\n    to do:  mend that; the same command asks only for what is missing"
        )
        status = replace(status, error=told, exit_code=FAILED)
    except Exception as error:  # noqa: BLE001  # a sweep goes on past a job that breaks
        traceback.print_exc()
        status = replace(status, error=f"{type(error).__name__}: {error}", exit_code=FAILED)
    status.write(number)


def _spend_together(config: DictConfig, launcher: str) -> None:
    """Let jobs in processes of their own spend by one book, which lies where they say how they ended."""
    bounds = [name for name in ("money", "tokens", "calls") if config.budget[name] is not None]
    if launcher in _ON_THIS_MACHINE:
        share(open_book(Path(os.environ[SCRATCH]) / BOOK))
    elif launcher != "basic" and (bounds or config.dry_run):
        what = f"budget.{bounds[0]}" if bounds else "dry_run=true"
        raise UserError(
            f"{what} counts over the jobs of one machine, and hydra/launcher={launcher} may start them on several.\n"
            f"    to do:  leave the launcher out, or take {' or '.join(_ON_THIS_MACHINE)}"
        )


def carry_out(planned: Plan, status: JobStatus, number: int, tell: Tell) -> JobStatus:
    """Ask what a plan has to ask, write and track it; how it ended. Raises what its parts raise."""
    label = f"{planned.names['architecture']} · {planned.names['generator']}"
    path = planned.settings["corpus"].get("folder", planned.settings["corpus"].get("path"))
    for notice in notices(planned.corpus, path):
        tell_once(f"{planned.corpus.name}: {notice}", tell)
    for notice in addresses(planned.settings):
        tell_once(notice, tell)
    if planned.is_dry:
        rehearse(planned)
        return status
    status = replace(
        status,
        run=relative(folder_of(planned), planned.results),
        questions=[question.id for question in planned.questions],
    )
    replace(status, exit_code=INTERRUPTED).write(number)  # what a sweep that is stopped here knows of this job
    begin = time.monotonic()
    try:
        with progress(label, tell) as watch:
            finished = execute(planned, watch, tell)
    except BudgetSpentError as error:
        return replace(status, error=f"{label}: {error}", exit_code=FAILED)
    seconds = time.monotonic() - begin
    failed = sum(bool(record.failures) for record in finished.records)  # the question, or its judge
    tell(f"{label}: {counted(len(finished.records), 'question')}, {failed} failed, {seconds:.1f} s")
    status = replace(status, exit_code=FAILED if failed else 0)
    try:
        track(planned, finished)
    except Exception as error:  # noqa: BLE001  # MLflow's errors have no common base; the run stands without it
        message = f"{label} is finished and kept in {finished.folder.path}, but MLflow has refused it: {error}"
        status = replace(status, error=message, exit_code=FAILED)
    return status


def conclude(statuses: Sequence[JobStatus]) -> int:
    """Show what the jobs made and where it lies, and the errors, each once; returns the exit code."""
    for error in dict.fromkeys(status.error for status in statuses if status.error):
        print(f"ragsweep: {error}", file=sys.stderr)
    found = close(statuses)
    if found:
        show(found)
    show_spending(dry=all(status.run is None and status.error is None for status in statuses))
    tracked = _track(statuses, found)
    made = [status for status in statuses if status.run is not None]
    if made:
        print("\n" + "\n".join(_where(made)))
    return max([*(status.exit_code for status in statuses), 0 if tracked else FAILED])


def _track(statuses: Sequence[JobStatus], found: Sequence[Comparison], *, interrupted: bool = False) -> bool:
    """End the sweep's run in MLflow; ``False`` where MLflow has refused it."""
    try:
        sweep.track(statuses, found, interrupted=interrupted)
    except Exception as error:  # noqa: BLE001  # MLflow's errors have no common base; the runs stand without it
        print(f"ragsweep: the sweep is finished and kept, but MLflow has refused it: {error}", file=sys.stderr)
        return False
    return True


def _where(made: Sequence[JobStatus]) -> list[str]:
    """Where the results lie, and what to type to see them again."""
    first = made[0]
    runs = list(dict.fromkeys(status.run for status in made if status.run is not None))
    elsewhere = [] if first.results == "results" else ["--results", first.results]
    again = ["ragsweep", "compare", *([first.name] if first.name else []), *elsewhere]
    folder = Path(first.results, runs[0] if len(runs) == 1 else "runs")
    lines = [
        f"Results: {folder}" + (f" ({len(runs)} runs)" if len(runs) > 1 else ""),
        f"Again:   {shlex.join(again)}",
    ]
    if first.tracking["uri"]:
        ours = first.tracking["uri"] == f"sqlite:///{first.results}/mlflow.db"
        ui = shlex.join(["ragsweep", "ui", *elsewhere]) if ours else MlflowTracking(**first.tracking).ui_command
        lines.append(f"MLflow:  {ui}")
    return lines
