"""What holds the jobs of a sweep together: where each says how it ended, and what is made of them all."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, cast

from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, QuotedString
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from benchmark.compare import Comparison, comparisons, pages, swept_runs
from benchmark.config import check, load_corpus
from benchmark.domain import UserError
from benchmark.job import PARENT
from benchmark.models.endpoints.keys import refuse_keys_in
from benchmark.report.account import Account
from benchmark.report.answer import answer
from benchmark.report.phrases import phrases
from benchmark.reporting import account_of, folders, report
from benchmark.storage.environment import asked, code_digest
from benchmark.storage.places import PACKAGE
from benchmark.storage.runs import plain_json, write_whole
from benchmark.storage.sweeps import SweptRun, write_sweep
from benchmark.storage.tracked_values import TrackedCorpus
from benchmark.storage.tracking import Comparison as TrackedComparison
from benchmark.storage.tracking import MlflowTracking, sweep_key

SCRATCH = "RAGSWEEP_SCRATCH"
"""The environment variable that names the folder where the jobs of this call say how they ended."""
TRACKING = "RAGSWEEP_TRACKING"
"""The environment variable with the settings of the tracking that holds the sweep's run."""
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


class ComposedOnce:
    """Hydra's loader of configurations, which composes a job of a sweep once.

    Hydra composes all jobs before the first one starts, to meet what is wrong early, and each of them again when it
    starts: that one is given the configuration that was made before, if it starts in the same process.
    """

    MOST = 200
    """Configurations that wait for their job at most; of a sweep of more jobs the rest are composed twice."""

    def __init__(self, loader: ConfigLoader) -> None:
        self._loader = loader
        self._waiting: dict[tuple[str, ...], DictConfig] = {}
        self._met: set[tuple[str, ...]] = set()

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        job = tuple(sweep_overrides)
        if job in self._waiting:
            return self._waiting.pop(job)
        composed = self._loader.load_sweep_config(master_config, sweep_overrides)
        if job not in self._met and len(self._waiting) < self.MOST:  # who starts the job changes what it is given
            self._waiting[job] = composed
        self._met.add(job)
        return composed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def __reduce__(self) -> tuple[type[ComposedOnce], tuple[ConfigLoader]]:
        """Into another process goes the loader alone."""
        return ComposedOnce, (self._loader,)


class SweepCallback(Callback):
    """Opens the sweep's run in MLflow before its jobs start; Hydra calls it in the parent process.

    Hydra only warns of an error in a callback, so the jobs are told of it.
    """

    def on_multirun_start(self, config: DictConfig, **_: object) -> None:
        running = GlobalHydra.instance().hydra
        if running is not None:
            running.config_loader = cast(Any, ComposedOnce(running.config_loader))
        try:
            self._open(config)
        except UserError as error:
            os.environ[REFUSED] = str(error)

    def _open(self, config: DictConfig) -> None:
        known = OmegaConf.masked_copy(config, _known_keys(config))
        told = cast(dict[str, object], OmegaConf.to_container(known))
        refuse_keys_in(told)
        if config.dry_run:
            return
        swept: dict[str, Any] = {
            "sweeper": OmegaConf.to_container(OmegaConf.create(config.hydra.sweeper.params or {})),
            "overrides": OmegaConf.to_container(config.hydra.overrides.task),  # as typed: ${...} is a job's to resolve
        }
        typed = _typed(**swept)
        _refuse_typed_keys(typed)
        jobs = _by_corpus(config, known, typed)
        digests, tracking = _digests(jobs), _tracking(jobs)
        if tracking is None:
            return
        tracking.prepare()
        key = sweep_key(asked(told), swept, digests, code_digest(PACKAGE))
        name = config.name or "sweep"
        os.environ[TRACKING] = json.dumps(asdict(tracking))
        os.environ[PARENT] = tracking.open_sweep(key, name=name, parameters={"sweep": name, **swept})


def _known_keys(config: DictConfig) -> list[str]:
    return [str(key) for key in config if key != "hydra" and not OmegaConf.is_missing(config, key)]


def _typed(*, sweeper: Mapping[str, str], overrides: Sequence[str]) -> list[Override]:
    """All overrides, the sweeper's own before those of the command line, which wins."""
    given = [*(f"{name}={value}" for name, value in sweeper.items()), *overrides]
    loader = GlobalHydra.instance().config_loader()
    return list(OverridesParser.create(config_loader=loader).parse_overrides(given))


def _refuse_typed_keys(typed: Sequence[Override]) -> None:
    """Refuse a key among the values that were typed: all are written as parameters of the sweep, whichever wins."""
    for one in typed:
        knob = one.get_key_element().rpartition(".")[2]
        for value in one.sweep_iterator() if one.is_discrete_sweep() else [one.value()]:
            refuse_keys_in({knob: value.text if isinstance(value, QuotedString) else value})


def _by_corpus(config: DictConfig, known: DictConfig, typed: Sequence[Override]) -> list[DictConfig]:
    """The configuration of a job on each corpus that the sweep has."""
    loader = GlobalHydra.instance().config_loader()
    last = {one.get_key_element(): one for one in typed}
    fixed = [str(one.input_line) for one in last.values() if not one.is_sweep_override()]
    swept = [
        [f"{key}={value}" for value in one.sweep_string_iterator()]
        for key, one in last.items()
        if one.is_discrete_sweep() and key.lstrip("+").partition(".")[0] in ("corpus", "experiment")
    ]
    if not swept:
        return [known]
    composed = [loader.load_sweep_config(config, [*fixed, *chosen]) for chosen in product(*swept)]
    return [OmegaConf.masked_copy(one, _known_keys(one)) for one in composed]


def _digests(jobs: Sequence[DictConfig]) -> list[str | None]:
    """Of the corpora; refused where no job could read its own, else each job tells of its own."""
    digests: list[str | None] = []
    refused: list[UserError] = []
    for job in jobs:
        try:
            digests.append(_refused_or_digest(job))
        except UserError as error:
            refused.append(error)
    if not digests:
        raise refused[0]
    return digests


def _refused_or_digest(known: DictConfig) -> str | None:
    """Refuse what no job can do before anything is written; returns the digest of the corpus.

    ``None`` where the swept parts fill what is still missing: each job then checks its own.
    """
    try:
        settings = cast(dict[str, Any], OmegaConf.to_container(known, resolve=True, throw_on_missing=True))
    except OmegaConfBaseException:
        return None
    check(settings)
    return load_corpus(settings).digest


def _tracking(jobs: Sequence[DictConfig]) -> MlflowTracking | None:
    """Where the sweep is tracked, of several experiments in one that is named for them; ``None``: it is not."""
    try:
        found = [cast(dict[str, Any], OmegaConf.to_container(job.tracking, resolve=True)) for job in jobs]
    except OmegaConfBaseException:
        return None  # no corpus is named, as each job tells
    if not found[0]["uri"]:
        return None
    experiment = " + ".join(dict.fromkeys(str(settings["experiment"]) for settings in found))
    return MlflowTracking(**{**found[0], "experiment": experiment})


def close(statuses: Sequence[JobStatus]) -> tuple[Comparison, ...]:
    """Write the sweep's list of runs; a comparison for each exam."""
    made = [status for status in statuses if status.run is not None]
    return comparisons(swept_runs(Path(made[0].results), list_runs(statuses))) if made else ()


def list_runs(statuses: Sequence[JobStatus]) -> list[SweptRun]:
    """Write the sweep's list of runs, also of one that was stopped half-way."""
    made = [status for status in statuses if status.run is not None]
    swept = [SweptRun(status.run, tuple(status.questions)) for status in made if status.run is not None]
    if made:
        write_sweep(Path(made[0].results), made[0].name, swept)
    return swept


def track(statuses: Sequence[JobStatus], found: Sequence[Comparison], *, interrupted: bool = False) -> None:
    """End the sweep's run in MLflow, if there is one, with what its runs say together."""
    parent = os.environ.pop(PARENT, None)
    if parent is None:
        return
    tracking = MlflowTracking(**json.loads(os.environ[TRACKING]))
    if interrupted or not found:
        tracking.abandon_sweep(parent, "KILLED" if interrupted else "FAILED")
        return
    failed = any(status.exit_code for status in statuses)
    tracking.close_sweep(parent, _tracked(found, statuses[0].name, failed=failed), seconds=_seconds(found))


def _tracked(found: Sequence[Comparison], name: str | None, *, failed: bool) -> TrackedComparison:
    runs = sum(len(comparison.runs) for comparison in found)
    command = shlex.join(["ragsweep", "report", *([name] if name else [])])
    accounts = [account_of(comparison, command=command) for comparison in found]
    answers = "".join(f"\n\n{answer(account, phrases('en'))}" for account in accounts)
    told = "; ".join(f"{comparison.corpus}: {comparison.questions} questions" for comparison in found)
    return TrackedComparison(
        rows=[row for comparison in found for row in comparison.plain_rows()],
        markdown=pages(found),
        files=_reports(found, accounts),
        tiers={name: tiers for account in accounts for name, tiers in _tiers(account).items()},
        corpora=list(dict.fromkeys(TrackedCorpus.of(run.corpus) for one in found for run in one.runs.values())),
        patterns=list(dict.fromkeys(name for comparison in found for name in comparison.patterns)),
        description=f"{runs} runs on {told}.{answers}\n\nAll of it: report.html among the artifacts.",
        failed=failed,
    )


def _tiers(account: Account) -> dict[str, dict[str, int]]:
    """By a run's fingerprint its tier in each metric that ranks the runs."""
    ranked = {key: account.board.statistics[key].standings for key in account.board.best}
    return {
        run.fingerprint: {key: found[run.name].tier for key, found in ranked.items() if run.name in found}
        for run in account.runs
    }


def _reports(found: Sequence[Comparison], accounts: Sequence[Account]) -> dict[str, bytes]:
    """The page of each exam and its figures; below the corpus's name where there are several."""
    files: dict[str, bytes] = {}
    for account, folder in zip(accounts, folders(found), strict=True):
        files |= {folder + path: content for path, content in report(account, ("html", "png"), language="en")}
    return files


def _seconds(found: Sequence[Comparison]) -> float:
    return sum(run.seconds for comparison in found for run in comparison.runs.values())
