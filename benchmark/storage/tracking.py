"""Runs and sweeps in MLflow: plain data goes in, a repeated run is the same run again."""

from __future__ import annotations

import json
import logging
import os
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from benchmark.digest import digest
from benchmark.domain import UserError
from benchmark.storage import traces as tracing
from benchmark.storage import tracked_database as database
from benchmark.storage import tracked_values as values
from benchmark.storage.environment import asked
from benchmark.storage.locks import alone_in
from benchmark.storage.places import must_be_writable
from benchmark.storage.records import lines_of
from benchmark.storage.reports import write_files
from benchmark.storage.runs import plain_json, table

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

FILES = ("config.yaml", "environment.json")
"""What of a run's folder is kept as it is among the artifacts; the rest tells of the questions asked alone."""

_PARENT = "mlflow.parentRunId"
_PATTERN = "pattern."
_TIER = "tier."
_QUESTIONS = "questions"
_TRACES = "traces"

Rows = Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedRun:
    """One run as MLflow shows it.

    ``config``: resolved and plain; ``parameters``: more of them (``architecture.name``), which win over it.
    ``asked``: ids of the questions; the same fingerprint with other questions is another run. ``summary``: what
    ``summary.json`` would say of them. ``questions``, ``failures``: rows of a table. ``patterns``: their names.
    ``folder``: the run's folder, whose files become artifacts. ``traces``: of its questions, in their order.
    """

    fingerprint: str
    asked: Sequence[str]
    name: str
    corpus: values.TrackedCorpus
    folder: Path
    config: Mapping[str, object]
    parameters: Mapping[str, object] = field(default_factory=dict)
    summary: Mapping[str, object] = field(default_factory=dict)
    questions: Rows = ()
    failures: Rows = ()
    diagnosis: Mapping[str, object] = field(default_factory=dict)
    diagnosis_text: str = ""
    patterns: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    failed: bool = False
    traces: Sequence[tracing.Trace] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a sweep says as a whole: ``rows`` of one table, the same as Markdown, and the patterns that were found.

    ``files``: more artifacts by name, such as ``report.html``. ``tiers``: by a run's fingerprint its tier in each
    metric that ranks the runs, which becomes a tag of that run. ``corpora``: what the runs were evaluated on.
    """

    rows: Rows
    markdown: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    tiers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    corpora: Sequence[values.TrackedCorpus] = ()
    patterns: Sequence[str] = ()
    description: str = ""
    failed: bool = False


def sweep_key(*parts: object) -> str:
    """The tag ``fingerprint`` of a sweep's parent run; best from its runs' fingerprints, sorted.

    A name and overrides alone would put the runs of changed code or of a changed corpus under the old parent.
    """
    return digest("sweep", *parts)[:16]


@dataclass(frozen=True, slots=True)
class MlflowTracking:
    """Where runs are tracked; nothing of MLflow is imported before the first call of a method.

    ``uri``: ``sqlite:///results/mlflow.db``, or any that MLflow takes. ``artifacts``: a folder, or a URI. ``traces``:
    how many questions a run may have at most for each of them to be traced; 0 traces none.
    """

    uri: str
    artifacts: str
    experiment: str
    traces: int = 0

    @property
    def ui_command(self) -> str:
        """What to type to look at the runs."""
        if self.uri.startswith(("http://", "https://")):
            return f"python -m webbrowser {self.uri}"
        location = ["--backend-store-uri", self.uri, "--default-artifact-root", self.artifacts]
        return f"MLFLOW_DISABLE_TELEMETRY=true {shlex.join(['mlflow', 'ui', *location])}"

    def prepare(self) -> None:
        """Make folder, database and experiment; to be called once by the parent process, before its jobs.

        Two processes that find no database would both begin its migration: the second waits for the first.
        """
        folder = self._folder
        if folder is None:
            with _impatient():
                self._experiment()
            return
        must_be_writable(folder, knob="tracking.uri")  # MLflow itself would try again and again for minutes
        folder.mkdir(parents=True, exist_ok=True)
        with alone_in(folder), _impatient(), self._usable():
            database.make_whole(database.file_of(self._uri), lambda uri: _client(uri).search_experiments())
            self._experiment()

    @property
    def _uri(self) -> str:
        """With an absolute path, so that a later change of the working folder does not open a second database."""
        path = self.uri.removeprefix(database.SCHEME)
        relative = self.uri.startswith(database.SCHEME) and path and not path.startswith(("/", ":"))
        return f"{database.SCHEME}{Path(path).absolute()}" if relative else self.uri

    @property
    def _folder(self) -> Path | None:
        """Of the database, where it is a file of ours; its lock keeps processes out of each other's way."""
        return database.file_of(self._uri).parent if self._uri.startswith(database.SCHEME) else None

    def _client(self) -> MlflowClient:
        return _client(self._uri)

    def _experiment(self) -> str:
        with self._usable():
            client = self._client()
            experiment = client.get_experiment_by_name(self.experiment)
            if experiment is None:
                location = self.artifacts if "://" in self.artifacts else Path(self.artifacts).absolute().as_uri()
                return str(client.create_experiment(self.experiment, artifact_location=location))
            if experiment.lifecycle_stage == "deleted":
                client.restore_experiment(experiment.experiment_id)
            return str(experiment.experiment_id)

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Tell the user of a store that MLflow cannot use."""
        os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # before any import of MLflow
        from mlflow.exceptions import MlflowException
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (MlflowException, SQLAlchemyError) as error:
            raise UserError(
                f"MLflow cannot use {self.uri}: {str(error).strip().splitlines()[0]}\n"
                "    wanted: a database that this version of MLflow made, or a server that answers\n"
                "    to do:  correct tracking.uri, move the file away, or go without: tracking=none"
            ) from None

    # ---------------------------------------------------------------------------------------------------- one run

    def log_run(self, run: TrackedRun, *, parent: str | None = None) -> str:
        """Log a run that has ended, below the sweep's run of id ``parent`` and in its experiment; returns the run's id.

        A run of the same fingerprint below the same parent is reopened, and says the same afterwards as a new one.
        """
        client = self._client()
        seconds = values.number(run.summary.get("seconds")) or 0.0
        metrics, not_measured = values.metrics(run.summary)
        parameters = values.parameters({**values.flat(asked(run.config)), **run.parameters})
        known = self._known(run.fingerprint, parent, questions=digest(list(run.asked))[:16])
        if known is not None and values.contradicts(known.data, parameters, metrics):
            # MLflow takes back neither a parameter nor a metric: a number that is not measured any more would stay.
            tracing.delete(client, known.info.experiment_id, known.info.run_id)
            client.delete_run(known.info.run_id)
            known = None
        tags = {
            "fingerprint": run.fingerprint,
            "kind": "run",
            "corpus_digest": run.corpus.digest,
            _QUESTIONS: digest(list(run.asked))[:16],
            "not_measured": ", ".join(not_measured),
            **run.tags,
        }
        if parent is not None:
            tags[_PARENT] = parent
        known = self._open(known, run.name, tags, run.patterns, run.description, seconds=seconds)
        self._log_values(known, parameters, metrics)
        self._log_corpora(known.info.run_id, [run.corpus])
        with TemporaryDirectory() as folder:
            artifacts = Path(folder)
            for name in FILES:
                if (run.folder / name).exists():
                    (artifacts / name).write_bytes((run.folder / name).read_bytes())
            (artifacts / "records.jsonl").write_bytes(lines_of(run.folder / "records.jsonl", run.asked))
            (artifacts / "summary.json").write_text(plain_json(dict(run.summary)), encoding="utf-8")
            failures = table(run.failures, values.columns(run.failures))
            (artifacts / "failures.csv").write_text(failures, encoding="utf-8", newline="")
            (artifacts / "diagnosis.json").write_text(plain_json(dict(run.diagnosis)), encoding="utf-8")
            (artifacts / "diagnosis.md").write_text(run.diagnosis_text, encoding="utf-8")
            self._log_artifacts(known, artifacts, {"questions.json": run.questions, "failures.json": run.failures})
        run_id = self._close(known, seconds=seconds, failed=run.failed)
        self._log_traces(known, run.traces)  # last: a server that takes no traces still has the run whole
        return run_id

    def log_gate(
        self, fingerprint: str, questions: Sequence[str], tags: Mapping[str, str], files: Mapping[str, str]
    ) -> int:
        """Tag the runs of a fingerprint with the decision of a gate, and put its files among their artifacts.

        Returns how many there are: a run stands below each sweep that had it, and none where it was not tracked.
        """
        with self._usable():
            client = self._client()
            experiments = [experiment.experiment_id for experiment in client.search_experiments()]
            wanted = f"tags.fingerprint = '{fingerprint}' and tags.{_QUESTIONS} = '{digest(list(questions))[:16]}'"
            found = client.search_runs(experiments, wanted) if experiments else []
        for run in found:
            self._log_tags(run, tags)
            for name, text in files.items():
                client.log_text(run.info.run_id, text, name)
        return len(found)

    # -------------------------------------------------------------------------------------------------- one sweep

    def open_sweep(self, key: str, *, name: str, parameters: Mapping[str, object] | None = None) -> str:
        """The id of the parent run of a sweep, new or reopened; ``key`` is its ``sweep_key``."""
        known = self._known(key, None)
        run = self._open(known, name, {"fingerprint": key, "kind": "sweep"}, None, "", seconds=0.0)
        old = run.data.params
        new = {name: value for name, value in values.parameters(parameters or {}).items() if name not in old}
        self._log_values(run, new, {})
        return str(run.info.run_id)

    def close_sweep(self, run_id: str, comparison: Comparison, *, seconds: float) -> None:
        """Log what the sweep's runs say together, and end its run."""
        run = self._client().get_run(run_id)
        tags = {"fingerprint": run.data.tags["fingerprint"], "kind": "sweep"}
        name = run.info.run_name or "sweep"
        self._open(run, name, tags, comparison.patterns, comparison.description, seconds=seconds)
        self._log_corpora(run_id, comparison.corpora)
        with TemporaryDirectory() as folder:
            artifacts = Path(folder)
            rows = [dict.fromkeys(values.columns(comparison.rows)) | dict(row) for row in comparison.rows]
            text = table(rows, values.columns(comparison.rows))
            (artifacts / "comparison.csv").write_text(text, encoding="utf-8", newline="")
            (artifacts / "comparison.md").write_text(comparison.markdown, encoding="utf-8")
            write_files(artifacts, comparison.files.items())
            self._log_artifacts(run, artifacts, {"comparison.json": comparison.rows})
        self._log_tiers(run, comparison.tiers)
        self._close(run, seconds=seconds, failed=comparison.failed)

    def abandon_sweep(self, run_id: str, status: Literal["KILLED", "FAILED"]) -> None:
        """End the run of a sweep that has nothing to compare."""
        self._client().set_terminated(run_id, status)

    # ------------------------------------------------------------------------------------------------------ parts

    def _home(self, parent: str | None) -> str:
        """The experiment of a run: a sweep's runs stand together, also where they are on several corpora."""
        return self._experiment() if parent is None else str(self._client().get_run(parent).info.experiment_id)

    def _known(self, fingerprint: str, parent: str | None, questions: str | None = None) -> Run | None:
        found = self._client().search_runs([self._home(parent)], f"tags.fingerprint = '{fingerprint}'")
        wanted = {_PARENT: parent, _QUESTIONS: questions}
        return next((run for run in found if all(run.data.tags.get(tag) == wanted[tag] for tag in wanted)), None)

    def _open(
        self,
        run: Run | None,
        name: str,
        tags: Mapping[str, str],
        patterns: Sequence[str] | None,
        description: str,
        *,
        seconds: float,
    ) -> Run:
        """A running run with exactly these tags and patterns; ``patterns=None`` leaves them as they are."""
        client = self._client()
        if run is None:
            start = int((time.time() - seconds) * 1000)
            run = client.create_run(self._home(tags.get(_PARENT)), start_time=start, run_name=name, tags=dict(tags))
        else:
            client.update_run(run.info.run_id, status="RUNNING", name=name)
        found = {f"{_PATTERN}{pattern}" for pattern in patterns or ()}
        wanted = {**tags, **dict.fromkeys(found, "true")}
        if description:
            wanted["mlflow.note.content"] = description
        for tag in run.data.tags:
            if patterns is not None and tag.startswith(_PATTERN) and tag not in found:
                client.delete_tag(run.info.run_id, tag)
        self._log_tags(run, wanted)
        return run

    def _log_tags(self, run: Run, tags: Mapping[str, str]) -> None:
        from mlflow.entities import RunTag

        old = run.data.tags
        new = [RunTag(key, values.cut(value)) for key, value in tags.items() if old.get(key) != values.cut(value)]
        for begin in range(0, len(new), values.BATCH):
            self._client().log_batch(run.info.run_id, tags=new[begin : begin + values.BATCH])

    def _log_corpora(self, run_id: str, corpora: Sequence[values.TrackedCorpus]) -> None:
        """One process at a time: MLflow looks whether it has a dataset, then inserts it, and two jobs end together."""
        with alone_in(self._folder) if self._folder else nullcontext():
            self._client().log_inputs(run_id, datasets=[values.dataset(corpus) for corpus in corpora])

    def _log_values(self, run: Run, parameters: Mapping[str, str], metrics: Mapping[str, float]) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        changed = [Metric(key, value, now, 0) for key, value in metrics.items() if run.data.metrics.get(key) != value]
        if changed:
            self._client().log_batch(run.info.run_id, metrics=changed)
        new = [Param(key, value) for key, value in parameters.items() if key not in run.data.params]
        for begin in range(0, len(new), values.BATCH):
            self._client().log_batch(run.info.run_id, params=new[begin : begin + values.BATCH])

    def _log_artifacts(self, run: Run, folder: Path, tables: Mapping[str, Rows]) -> None:
        """Put a folder and tables among the run's artifacts, over what was there (``log_table`` would append)."""
        for name, rows in tables.items():
            (folder / name).write_text(values.table_json(rows), encoding="utf-8")
        self._client().log_artifacts(run.info.run_id, str(folder))
        logged = [{"path": name, "type": "table"} for name in tables]
        self._log_tags(run, {"mlflow.loggedArtifacts": json.dumps(logged)})

    def _log_traces(self, run: Run, found: Sequence[tracing.Trace]) -> None:
        """Trace the run's questions, unless there are too many or the same are there; in place of others of the run."""
        found = found if len(found) <= self.traces else ()
        tag = tracing.fingerprint(found) if found else ""
        before = run.data.tags.get(_TRACES, "")
        if before == tag:
            return
        self._log_tags(run, {_TRACES: "being written"})
        tracing.log(self._client(), run.info, found, replace=bool(before))
        self._client().set_tag(run.info.run_id, _TRACES, tag)  # last: a kill leaves another tag, and they come anew

    def _log_tiers(self, sweep: Run, tiers: Mapping[str, Mapping[str, int]]) -> None:
        """Tag each run of the sweep with its tiers, in place of those that it had."""
        client = self._client()
        for run in client.search_runs([sweep.info.experiment_id], f"tags.`{_PARENT}` = '{sweep.info.run_id}'"):
            own = tiers.get(run.data.tags.get("fingerprint", ""), {})
            wanted = {f"{_TIER}{key}": str(tier) for key, tier in own.items()}
            for tag in run.data.tags:
                if tag.startswith(_TIER) and tag not in wanted:
                    client.delete_tag(run.info.run_id, tag)
            self._log_tags(run, wanted)

    def _close(self, run: Run, *, seconds: float, failed: bool) -> str:
        end = int(run.info.start_time + seconds * 1000)
        self._client().set_terminated(run.info.run_id, "FAILED" if failed else "FINISHED", end_time=end)
        return str(run.info.run_id)


@contextmanager
def _impatient() -> Iterator[None]:
    """One more try and not seven, with their growing waits, of a server that nobody has reached yet."""
    retries = "MLFLOW_HTTP_REQUEST_MAX_RETRIES"
    if retries in os.environ:
        yield
        return
    os.environ[retries] = "1"
    try:
        yield
    finally:
        del os.environ[retries]


@cache
def _client(uri: str) -> MlflowClient:
    """MLflow, asked to send nothing and to say nothing; imported here because the import takes seconds."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    for chatty in ("alembic", "mlflow.store.db.utils"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    from mlflow import MlflowClient

    if uri.startswith(database.SCHEME):
        database.wait_seldom_for_the_disk(database.file_of(uri))
    return MlflowClient(tracking_uri=uri)
