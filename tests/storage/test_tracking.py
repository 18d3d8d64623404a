"""Tracking in a real MLflow database."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_socket import disable_socket, enable_socket

from benchmark.domain import UserError
from benchmark.storage.tracked_values import TrackedCorpus
from benchmark.storage.tracking import Comparison, MlflowTracking, TrackedRun, sweep_key

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run

SUMMARY: dict[str, object] = {
    "questions": 2,
    "failures": 0,
    "seconds": 1.5,
    "metrics": {
        "ragas/faithfulness": {"mean": 0.5, "n": 2, "not_measured": 0, "why": {}},
        "retrieval/recall": {"mean": None, "n": 0, "not_measured": 2, "why": {"no evidence": 2}},
    },
}


@dataclass(frozen=True)
class Tracked:
    """A sweep of two runs that was logged three times, the last time with another value and another pattern."""

    tracking: MlflowTracking
    client: MlflowClient
    parents: list[str]
    children: list[list[str]]
    said: str
    logged: list[str]
    folder: Path

    def runs(self) -> list[Run]:
        experiment = self.client.get_experiment_by_name("trial")
        assert experiment is not None
        return list(self.client.search_runs([experiment.experiment_id]))


def run(folder: Path, name: str) -> TrackedRun:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"question": {"id": name}}) + "\n" for name in ("a", "b", "c")]
    (folder / "records.jsonl").write_text("".join(lines), encoding="utf-8")
    return TrackedRun(
        fingerprint=f"{name:0>16}",
        asked=["a", "b"],
        name=name,
        corpus=TrackedCorpus("obstetrics", "d" * 64, 8, 40),
        folder=folder,
        config={"k": 5, "seed": None, "limit": 3, "chunker": {"size": 200, "marks": ["."] * 4000}},
        parameters={"architecture.name": name},
        summary=SUMMARY,
        questions=[{"id": "a", "faithfulness": 0.5}, {"id": "b", "faithfulness": None}],
        diagnosis={"patterns": []},
        diagnosis_text="Nada que señalar.",
        patterns=["low_recall"],
        description="Two questions.",
    )


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Tracked:
    folder = tmp_path_factory.mktemp("tracked with spaces")
    heard: list[str] = []
    listener = logging.Handler(logging.INFO)
    listener.emit = lambda record: heard.append(f"{record.name}: {record.getMessage()}")  # type: ignore[method-assign]  # a listener of one line
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    root.addHandler(listener)
    try:
        disable_socket(allow_unix_socket=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            tracking = MlflowTracking("sqlite:///results/mlflow.db", "results/mlartifacts", "trial")
            parents: list[str] = []
            children: list[list[str]] = []
            for repetition in range(3):
                tracking.prepare()
                parent = tracking.open_sweep(sweep_key("trial"), name="trial", parameters={"overrides": ["k=5"]})
                runs = [run(folder / name, name) for name in ("bm25", "dense")]
                if repetition == 2:
                    changed = {**SUMMARY, "seconds": 0.5}
                    runs = [replace(one, summary=changed, patterns=["low_precision"]) for one in runs]
                children.append([tracking.log_run(one, parent=parent) for one in runs])
                rows: list[dict[str, object]] = [
                    {"architecture": "bm25", "n": 2},
                    {"architecture": "dense", "recall": None},
                ]
                files = {"report.html": b"<html>", "figures/dots.png": b"PNG"}
                tiers = {runs[0].fingerprint: {"answer/completeness": 1 + repetition}}
                if repetition < 2:
                    tiers[runs[1].fingerprint] = {"ragas/faithfulness": 2}
                found = Comparison(rows=rows, markdown="| a |", files=files, tiers=tiers, failed=repetition < 2)
                tracking.close_sweep(parent, found, seconds=2)
                parents.append(parent)
            client = tracking._client()
            logged = sorted(path.name for path in folder.iterdir())
    finally:
        enable_socket()
        root.removeHandler(listener)
        root.setLevel(level)
    return Tracked(tracking, client, parents, children, "\n".join(heard), logged, folder)


def test_a_sweep_is_one_parent_with_one_child_for_each_job(tracked: Tracked) -> None:
    parent = tracked.parents[0]
    below = {one.info.run_name for one in tracked.runs() if one.data.tags.get("mlflow.parentRunId") == parent}
    assert below == {"bm25", "dense"}


def test_a_repeated_sweep_adds_no_run(tracked: Tracked) -> None:
    assert len(tracked.runs()) == 3
    assert len(set(tracked.parents)) == 1
    assert tracked.children[0] == tracked.children[1] == tracked.children[2]


def test_a_mean_that_was_not_measured_is_a_tag_and_no_metric(tracked: Tracked) -> None:
    data = tracked.client.get_run(tracked.children[0][0]).data
    assert "retrieval/recall" not in data.metrics
    assert data.metrics["measured/retrieval/recall"] == 0
    assert data.tags["not_measured"] == "retrieval/recall"


def test_a_metric_that_did_not_change_is_logged_once(tracked: Tracked) -> None:
    child = tracked.children[0][0]
    assert len(tracked.client.get_metric_history(child, "ragas/faithfulness")) == 1
    assert tracked.client.get_run(child).data.metrics["run/seconds"] == 0.5


def test_every_knob_is_a_parameter_but_those_that_only_count_questions(tracked: Tracked) -> None:
    parameters = tracked.client.get_run(tracked.children[0][0]).data.params
    assert set(parameters) == {"architecture.name", "k", "seed", "chunker.size", "chunker.marks"}
    assert len(parameters["chunker.marks"]) == 6000


def test_a_pattern_that_is_gone_loses_its_tag(tracked: Tracked) -> None:
    tags = tracked.client.get_run(tracked.children[0][0]).data.tags
    assert [tag for tag in tags if tag.startswith("pattern.")] == ["pattern.low_precision"]


def test_tables_do_not_grow_when_a_run_is_logged_again(tracked: Tracked) -> None:
    child = tracked.client.get_run(tracked.children[0][0])
    file = Path(tracked.client.download_artifacts(child.info.run_id, "questions.json"))
    assert json.loads(file.read_text())["data"] == [["a", 0.5], ["b", None]]
    assert {"path": "questions.json", "type": "table"} in json.loads(child.data.tags["mlflow.loggedArtifacts"])


def test_the_artifacts_hold_the_run_and_its_diagnosis(tracked: Tracked) -> None:
    artifacts = {file.path for file in tracked.client.list_artifacts(tracked.children[0][1])}
    tables = {"questions.json", "failures.json", "failures.csv"}
    assert artifacts == {"records.jsonl", "summary.json", "diagnosis.json", "diagnosis.md", *tables}


def test_the_records_among_the_artifacts_are_those_of_the_questions_asked(tracked: Tracked) -> None:
    file = Path(tracked.client.download_artifacts(tracked.children[0][1], "records.jsonl"))
    assert [json.loads(line)["question"]["id"] for line in file.read_text().splitlines()] == ["a", "b"]


def test_the_same_run_on_fewer_questions_is_a_run_of_its_own(tracked: Tracked) -> None:
    tracking = replace(tracked.tracking, uri=f"sqlite:///{tracked.folder}/results/mlflow.db", experiment="fewer")
    whole = run(tracked.folder / "fewer", "bm25")
    first, second = tracking.log_run(whole), tracking.log_run(replace(whole, asked=["a"]))
    assert first != second
    assert tracking.log_run(whole) == first


def test_a_sweep_without_a_run_does_not_stay_running(tracked: Tracked) -> None:
    tracking = replace(tracked.tracking, uri=f"sqlite:///{tracked.folder}/results/mlflow.db", experiment="stopped")
    parent = tracking.open_sweep(sweep_key("stopped"), name="stopped")
    tracking.abandon_sweep(parent, "KILLED")
    assert tracked.client.get_run(parent).info.status == "KILLED"


def test_the_parent_holds_the_comparison_and_how_it_ended_last(tracked: Tracked) -> None:
    parent = tracked.client.get_run(tracked.parents[0])
    artifacts = {file.path for file in tracked.client.list_artifacts(parent.info.run_id)}
    assert artifacts == {"comparison.csv", "comparison.md", "comparison.json", "report.html", "figures"}
    assert (parent.info.status, parent.info.end_time - parent.info.start_time) == ("FINISHED", 2000)


def test_each_child_has_the_tiers_of_the_last_comparison_and_no_older_ones(tracked: Tracked) -> None:
    found = [tracked.client.get_run(child).data.tags for child in tracked.children[-1]]
    tiers = [{key: value for key, value in tags.items() if key.startswith("tier.")} for tags in found]
    assert tiers == [{"tier.answer/completeness": "3"}, {}]


def test_the_corpus_is_one_data_set_with_its_digest(tracked: Tracked) -> None:
    inputs = tracked.client.get_run(tracked.children[0][0]).inputs
    assert inputs is not None
    assert [(one.dataset.name, one.dataset.digest) for one in inputs.dataset_inputs] == [("obstetrics", "d" * 36)]


def test_a_sweep_over_two_corpora_has_both_as_data_sets(tracked: Tracked) -> None:
    tracking = replace(tracked.tracking, uri=f"sqlite:///{tracked.folder}/results/mlflow.db", experiment="two corpora")
    parent = tracking.open_sweep(sweep_key("two corpora"), name="two")
    corpora = [TrackedCorpus(name, name[0] * 64, 3, 2) for name in ("anatomy", "biology")]
    for _ in range(2):  # a repeated sweep has them once
        tracking.close_sweep(parent, Comparison(rows=[], markdown="", corpora=corpora), seconds=1.0)
    inputs = tracked.client.get_run(parent).inputs
    assert inputs is not None
    assert {(one.dataset.name, one.dataset.digest) for one in inputs.dataset_inputs} == {
        ("anatomy", "a" * 36),
        ("biology", "b" * 36),
    }
    assert len(inputs.dataset_inputs) == 2


def test_two_processes_do_not_look_for_a_data_set_at_once(
    tracked: Tracked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each would find that there is none and insert it, which the second may not."""
    fcntl = pytest.importorskip("fcntl")
    tracking = MlflowTracking(f"sqlite:///{tmp_path}/mlflow.db", str(tmp_path / "artifacts"), "trial")
    tracking.prepare()
    looked: list[bool] = []

    def log_inputs(*_: object, **__: object) -> None:
        descriptor = os.open(tmp_path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            looked.append(True)
        except BlockingIOError:
            looked.append(False)
        finally:
            os.close(descriptor)

    monkeypatch.setattr(type(tracked.client), "log_inputs", log_inputs)
    tracking.log_run(run(tmp_path / "a", "a"))
    tracking.close_sweep(
        tracking.open_sweep("k" * 16, name="trial"),
        Comparison(rows=[], markdown="", corpora=[TrackedCorpus("obstetrics", "d" * 64, 8, 40)]),
        seconds=0.0,
    )
    assert looked == [False, False]


def test_nothing_is_written_beside_the_results(tracked: Tracked) -> None:
    assert tracked.logged == ["bm25", "dense", "results"]
    log = {"mlflow.db-wal", "mlflow.db-shm"}  # the database's own, while it is open
    assert {path.name for path in (tracked.folder / "results").iterdir()} - log == {"mlflow.db", "mlartifacts"}


def test_the_database_waits_for_the_disk_now_and_then_and_nobody_elses_does(tracked: Tracked, tmp_path: Path) -> None:
    from sqlalchemy import create_engine, text

    def told(file: Path) -> list[object]:
        engine = create_engine(f"sqlite:///{file}")
        with engine.connect() as connection:
            pragmas = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
        engine.dispose()
        return pragmas

    assert told(tracked.folder / "results" / "mlflow.db") == ["wal", 1]
    assert told(tmp_path / "of_the_user.db") == ["delete", 2]


def test_the_database_is_made_in_silence(tracked: Tracked) -> None:
    assert tracked.said == ""


def test_the_same_run_outside_the_sweep_is_a_run_of_its_own(tracked: Tracked) -> None:
    alone = run(tracked.folder / "alone", "bm25")
    tracking = replace(tracked.tracking, uri=f"sqlite:///{tracked.folder}/results/mlflow.db", experiment="alone")
    first = tracking.log_run(replace(alone, failed=True))
    assert tracked.client.get_run(first).info.status == "FAILED"
    assert tracking.log_run(alone) == first
    assert "mlflow.parentRunId" not in tracked.client.get_run(first).data.tags


def test_a_run_whose_metric_is_not_measured_any_more_is_replaced(tracked: Tracked) -> None:
    tracking = replace(tracked.tracking, uri=f"sqlite:///{tracked.folder}/results/mlflow.db", experiment="replaced")
    one = run(tracked.folder / "replaced", "bm25")
    first = tracking.log_run(one)
    second = tracking.log_run(replace(one, summary={"metrics": {"ragas/faithfulness": {"mean": None, "n": 0}}}))
    assert tracked.client.get_run(first).info.lifecycle_stage == "deleted"
    assert tracked.client.get_run(second).data.metrics == {"measured/ragas/faithfulness": 0}


def test_a_file_that_is_no_database_is_the_users_error(tracked: Tracked, tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").write_text("this is no database, but long enough to look at " * 20)
    with pytest.raises(UserError, match="tracking=none"):
        MlflowTracking(f"sqlite:///{tmp_path}/mlflow.db", str(tmp_path / "artifacts"), "trial").prepare()


def test_importing_the_module_does_not_import_mlflow() -> None:
    code = "import sys, benchmark.storage.tracking; sys.exit('mlflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_database_whose_making_was_stopped_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracking = MlflowTracking(f"sqlite:///{tmp_path}/mlflow.db", str(tmp_path / "artifacts"), "trial")

    def stopped(uri: str) -> MlflowClient:
        Path(uri.removeprefix("sqlite:///")).write_bytes(b"half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("benchmark.storage.tracking._client", stopped)
        with pytest.raises(KeyboardInterrupt):
            tracking.prepare()
    assert list(tmp_path.iterdir()) == []
    tracking.prepare()
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".db"] == ["mlflow.db"]
    assert not list(tmp_path.glob(".mlflow-*"))
