"""The folder of a run: whole files, honest means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.domain import Asked, Cause, Embedded, Failure, Query, Question, Record, Rulings, Score
from benchmark.storage.runs import RunFolder, index_cost_of, run_folders, summary, write_whole
from benchmark.storage.tracked_values import metrics
from tests.factories import response, step


def record(name: str, **scores: Score) -> Record:
    return Record(Question(Query(name, "?"), None), None, Rulings(), scores, Cause.CORRECT)


RECORDS = [
    record("a", x=Score(1.0, "")),
    record("b", x=Score(0.0, "")),
    record("c", x=Score(None, "no context")),
    Record(Question(Query("d", "?"), None), None, Rulings(), {}, Cause.FAILED, Failure("generate", "Error", "boom")),
]


def test_a_mean_tells_its_denominator_and_why_the_rest_was_not_measured() -> None:
    said = summary(RECORDS, keys=["y"], seconds=1.0, index_seconds=0.5)
    assert said["metrics"] == {
        "y": {"mean": None, "n": 0, "not_measured": 4, "why": {"the metric was not asked": 3, "failed at generate": 1}},
        "x": {"mean": 0.5, "n": 2, "not_measured": 2, "why": {"no context": 1, "failed at generate": 1}},
    }
    assert (said["questions"], said["failures"], said["causes"]) == (4, 1, {"correct": 3, "failed": 1})


def test_a_run_without_a_record_has_a_summary() -> None:
    assert summary([], keys=["y"], seconds=0.0, index_seconds=0.0)["questions"] == 0


def test_a_runs_files_come_back(tmp_path: Path) -> None:
    folder = RunFolder.of(tmp_path, corpus="c", architecture="bm25", generator="org/model: 1", fingerprint="0123")
    assert folder.path == tmp_path / "runs" / "c" / "bm25" / "org-model-1" / "0123"
    assert (folder.status(), folder.summary(), folder.environment()) == (None, None, None)
    folder.write_status("running")
    folder.write_summary({"questions": 1})
    folder.add_environment({"python": "3"})
    folder.write_failures([{"question": "q", "why": None}], columns=["question", "why"])
    folder.write_config("k: 5\n")
    folder.open_records().close()
    assert folder.status() == {"state": "running", "message": ""}
    assert folder.summary() == {"questions": 1}
    assert (folder.path / "failures.csv").read_text() == "question,why\nq,\n"
    assert run_folders(tmp_path) == (folder,)
    names = {"status.json", "summary.json", "environment.json", "failures.csv", "config.yaml", "records.jsonl"}
    assert {file.name for file in folder.path.iterdir()} == names


def test_the_environment_of_earlier_questions_stays(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for version in ("3.11", "3.11", "3.12", "3.13"):
        folder.add_environment({"python": version})
    assert folder.environment() == {"python": "3.13", "earlier": [{"python": "3.11"}, {"python": "3.12"}]}


def test_a_stage_is_averaged_over_the_questions_that_went_through_it() -> None:
    retrieve, rerank = step(seconds=0.25), step(name="rerank", seconds=0.5)
    records = [
        replace(RECORDS[0], response=response(steps=(retrieve, rerank, retrieve))),
        replace(RECORDS[1], response=response(steps=(retrieve,))),
        RECORDS[3],
    ]
    said = summary(records, seconds=1.25, index_seconds=0.0)
    assert said["stages"] == {"retrieve": {"seconds": 0.375, "n": 2}, "rerank": {"seconds": 0.5, "n": 1}}


def test_what_indexing_cost_at_endpoints_comes_back_and_goes_to_mlflow() -> None:
    cost = Asked(0, 0, 0, 0.25, Embedded(3, 40, 0.25))
    said = summary([], seconds=1.0, index_seconds=0.5, index_cost=cost)
    assert said["index_cost"] == {
        **{"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "money": 0.25},
        "embedded": {"texts": 3, "tokens": 40, "money": 0.25},
    }
    assert index_cost_of(said) == cost
    assert metrics(said)[0].items() >= {"run/index_money": 0.25, "run/index_tokens": 40.0}.items()


def test_an_unknown_price_of_indexing_is_logged_as_nothing() -> None:
    unknown = summary([], seconds=1.0, index_seconds=0.5, index_cost=Asked(0, 0, 0, None, Embedded(3, None, None)))
    none = summary([], seconds=1.0, index_seconds=0.5)
    logged = {name for said in (unknown, none) for name in metrics(said)[0] if name.startswith("run/index")}
    assert logged == {"run/index_seconds"}
    assert (index_cost_of(none), index_cost_of({"index_seconds": 1.0})) == (None, None)


def test_the_money_of_embeddings_stands_beside_that_of_the_stages() -> None:
    paid, unknown = (
        replace(RECORDS[0], response=replace(response(), embedded=Embedded(2, 9, money))) for money in (0.5, None)
    )
    said = summary([paid, unknown, paid, RECORDS[3]], seconds=1.0, index_seconds=0.0)
    assert said["money"] == {"embeddings": {"total": 1.0, "mean": 0.5, "n": 2, "unknown": 1}}


def test_no_name_leads_out_of_the_results(tmp_path: Path) -> None:
    folder = RunFolder.of(tmp_path, corpus="..", architecture="../x", generator="/etc", fingerprint="0123")
    assert folder.path == tmp_path / "runs" / "unnamed" / "x" / "etc" / "0123"


def test_a_file_that_cannot_be_written_whole_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    write_whole(file, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "new \ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["summary.json"]
    assert file.read_text() == "old"
