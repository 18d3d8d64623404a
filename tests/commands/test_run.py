"""``ragsweep OVERRIDES`` as a user types it, over the tiny corpus and the fakes."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.storage.records import same
from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]
ARMS = "architecture=bm25,dense"


def records_of(house: Path) -> list[Path]:
    return sorted((house / "results").rglob("records.jsonl"))


def lines_of(house: Path) -> list[dict[str, object]]:
    return [json.loads(line) for file in records_of(house) for line in file.read_text(encoding="utf-8").splitlines()]


def test_one_run_leaves_its_folder_and_prints_its_row(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "judge=none", "architecture=dense")
    assert called.exit_code == 0
    assert "dense" in called.out
    [records] = records_of(house)
    written = {file.name for file in records.parent.iterdir()}
    assert written == {
        "records.jsonl",
        "summary.json",
        "config.yaml",
        "environment.json",
        "failures.csv",
        "status.json",
    }


def test_a_dry_run_where_nothing_was_leaves_nothing(ragsweep: Ragsweep, house: Path) -> None:
    before = sorted(house.rglob("*"))
    assert ragsweep(*FAKES, "judge=none", "architecture=dense", "tracking=mlflow", "dry_run=true").exit_code == 0
    assert sorted(house.rglob("*")) == before


def test_a_cut_line_is_gone_from_a_run_that_went_on_and_so_is_its_notice(ragsweep: Ragsweep, house: Path) -> None:
    asked = (*FAKES, "judge=none", "architecture=dense", "tracking=none")
    assert ragsweep(*asked).exit_code == 0
    [records] = records_of(house)
    first, second, *others = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join([first, second[:120] + b"\n", *others]))
    assert ragsweep(*asked).exit_code == 0
    kept = records.read_bytes().splitlines(keepends=True)
    assert kept[:-1] == [first, *others]
    assert json.loads(kept[-1])["question"] == json.loads(second)["question"]
    assert "cut off" not in ragsweep("compare").err


def test_a_sweep_makes_a_run_for_every_combination(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("-m", *FAKES, "judge=none", ARMS, "k=1,2", "limit=2")
    assert called.exit_code == 0
    assert (len(records_of(house)), len(lines_of(house))) == (4, 8)
    assert "dense k=2" in called.out


def test_finished_questions_are_not_asked_again(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "limit=2")
    ragsweep(*FAKES, "judge=none", "limit=4")
    assert [line["question"]["id"] for line in lines_of(house)] == ["mag-1", "mag-2", "hie-1", "pac-1"]  # type: ignore[index]  # json


def test_a_failed_question_is_a_failure_and_the_others_go_on(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "judge=none", "generator.broken=[mag-2]")
    failures = {line["question"]["id"]: line["failure"] for line in lines_of(house)}  # type: ignore[index]  # json
    assert called.exit_code == 1
    assert failures.pop("mag-2") == {"stage": "answer", "kind": "ConnectionError", "message": "the endpoint hung up"}
    assert set(failures.values()) == {None}
    assert "1 failed" in called.err


def test_a_failed_question_has_no_score_of_zero(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "generator.broken=[mag-1]", "limit=1")
    [line] = lines_of(house)
    assert {score["value"] for score in line["scores"].values()} == {None}  # type: ignore[attr-defined]  # json


def test_a_job_that_breaks_does_not_stop_the_sweep(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("-m", *FAKES, "judge=none", "architecture=dense,bm25", "k=0,2")
    assert called.exit_code == 2
    assert called.err.count("k is 0") == 1
    assert len(records_of(house)) == 2


def test_two_runs_of_one_configuration_are_equal(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "results=one")
    ragsweep(*FAKES, "judge=none", "results=two")
    [one], [two] = house.glob("one/**/records.jsonl"), house.glob("two/**/records.jsonl")
    assert one.parent.name == two.parent.name
    assert same(one, two)


def test_the_exam_can_be_sat_in_its_translation(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "corpus.language=en", "limit=1")
    called = ragsweep(*FAKES, "judge=none", "corpus.language=en")
    assert called.exit_code == 2
    assert "mag-2" in called.err


WRONG = {
    "an unknown architecture": (["architecture=bm52"], ["bm52", "bm25", "ragsweep list"]),
    "an unknown knob": (["architecture.depth=3"], ["architecture.depth", "ragsweep"]),
    "a word for a number": (["k=many"], ["k", "many"]),
    "no passage": (["k=0"], ["k is 0", "k=5"]),
    "no question": (["limit=0"], ["limit is 0"]),
    "a missing corpus": (["corpus=folder", "corpus.path=nowhere"], ["nowhere", "tiny"]),
    "a corpus that is not named": (["corpus=folder"], ["corpus.path"]),
    "a missing model file": (["generator=gguf", "generator.weights.file=none.gguf"], ["none.gguf", "generator=gguf"]),
    "an impossible chunker": (["chunker.overlap=200"], ["size=128, overlap=200"]),
    "an unknown engine": (["architecture.retriever.engine=lucene"], ["lucene", "bm25s or rank_bm25"]),
    "an unknown way of scoring": (["metrics.unanswerable=include"], ["include", "exclude or ragas"]),
    "a bound that there is not": (["+architecture.role.yardstick=best"], ["'best'", "floor", "ceiling"]),
    "gold for who cannot take it": (["+architecture.role.gold=true"], ["with_gold"]),
    "what is no override": (["bm25"], ["architecture=bm25"]),
    "a space behind the sign": (["k=", "5"], ["Type k=5"]),
    "a space before the sign": (["k", "=5"], ["Type k=5"]),
    "spaces around the sign": (["k", "=", "5"], ["Type k=5"]),
    "a bracket left open": (["reading.x={"], ["reading.x={", "closed"]),
    "a sign that Hydra keeps for itself": (["results=a#b"], ["""'results="a#b"'"""]),
    "a knob that is misspelt": (["kk=5"], ["'kk'", "Did you mean k?"]),
    "a knob without its part": (["overlap=5"], ["Did you mean chunker.overlap?"]),
    "half a passage": (["k=2.5"], ["k must be a whole number"]),
    "no number of passages": (["k=null"], ["k may not be null"]),
    "a word for a number in a part": (["chunker.size=large"], ["chunker.size is large", "a whole number"]),
    "a number for a text": (["corpus.name=2024"], ["corpus.name is 2024", "a text"]),
    "a number for a choice": (["architecture=3"], ["no architecture '3'", "bm25"]),
    "a missing module": (["architecture._target_=architectures.nope.Nope"], ["there is no module architectures.nope"]),
    "a missing class": (["reading._target_=benchmark.pipelines.Readin"], ["pipelines has no Readin", "Reading"]),
    "a knob that leads nowhere": (["k=${kk}"], ["'kk'"]),
    "a name that leads elsewhere": (["name=../mine"], ["plain name"]),
    "the name of the last sweep": (["name=latest"], ["other than latest"]),
    "no threads": (["threads=0"], ["threads is 0"]),
    "a command behind overrides": (["compare"], ["is a command"]),
    "an unknown flag": (["--multirum"], ["--multirun"]),
}


@pytest.mark.parametrize(("overrides", "told"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("flag", [[], ["-m"]], ids=["run", "sweep"])
def test_bad_input_is_told_once_and_leaves_nothing(
    ragsweep: Ragsweep, house: Path, flag: list[str], overrides: list[str], told: list[str]
) -> None:
    called = ragsweep(*flag, *FAKES, "judge=none", *overrides)
    assert called.exit_code == 2
    assert all(words in called.err for words in told), called.err
    assert "Traceback" not in called.err
    assert called.err.count("ragsweep: ") == 1
    assert sorted(file.name for file in house.iterdir()) == ["conf", "corpora"]


def test_a_misspelt_command_is_told_with_the_one_that_was_meant(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("compre")
    assert (called.exit_code, "Did you mean compare" in called.err) == (2, True)


def test_several_values_in_one_run_are_told_with_the_sweep_that_was_meant(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "k=3,5")
    assert (called.exit_code, "ragsweep -m k=3,5" in called.err) == (2, True)


@pytest.mark.slow
def test_a_flag_may_stand_before_between_and_behind_overrides(ragsweep: Ragsweep, house: Path) -> None:
    overrides = [*FAKES, "judge=none", "limit=1", "k=1,2"]
    calls = [["-m", *overrides], [*overrides[:3], "-m", *overrides[3:]], [*overrides, "-m"]]
    assert [ragsweep(*call).exit_code for call in calls] == [0, 0, 0]
    assert len(records_of(house)) == 2


def test_a_configuration_that_is_not_yaml_is_told_by_file_and_line(ragsweep: Ragsweep, house: Path) -> None:
    (house / "conf" / "generator" / "mine.yaml").write_text("_target_: [\n", encoding="utf-8")
    called = ragsweep(*FAKES, "generator=mine")
    assert (called.exit_code, "mine.yaml, line 2" in called.err, "Traceback" in called.err) == (2, True, False)


@pytest.mark.parametrize(
    ("code", "told"),
    [("def (\n", "mine.py, line 1"), ("import nonexistent\n", "nonexistent, which is not installed")],
    ids=["no Python", "a missing import"],
)
def test_an_architecture_that_does_not_load_is_told(ragsweep: Ragsweep, house: Path, code: str, told: str) -> None:
    (house / "architectures").mkdir()
    (house / "architectures" / "mine.py").write_text(code, encoding="utf-8")
    called = ragsweep(*FAKES, "architecture._target_=architectures.mine.Mine")
    assert (called.exit_code, told in called.err, "Traceback" in called.err) == (2, True, False)


def test_an_error_before_the_plan_is_told_without_a_traceback(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "tracking=mlflow", "tracking.uri=${nothing}")
    assert (called.exit_code, "nothing" in called.err, "Traceback" in called.err) == (2, True, False)


def test_the_version_is_our_own(ragsweep: Ragsweep) -> None:
    assert ragsweep("--version").out.startswith("ragsweep ")


BROKEN = {
    "two equal ids": ('{"id": "a", "question": "¿?", "reference": "r"}\n' * 2, "'a'"),
    "an empty id": ('{"id": "", "question": "¿?", "reference": "r"}', "id"),
    "no question text": ('{"id": "a", "question": " ", "reference": "r"}', "question"),
    "a quote that is not there": (
        '{"id": "a", "question": "¿?", "reference": "r", '
        '"evidence": [{"document": "hierro", "quote": "oro", "grade": 3}]}',
        "oro",
    ),
    "half a line": ('{"id": "a", "ques', "line 1"),
}


@pytest.mark.parametrize(("questions", "told"), BROKEN.values(), ids=BROKEN)
def test_a_broken_exam_is_told_by_file_and_line(ragsweep: Ragsweep, house: Path, questions: str, told: str) -> None:
    (house / "corpora" / "tiny" / "questions.jsonl").write_text(questions, encoding="utf-8")
    called = ragsweep(*FAKES, "judge=none")
    assert called.exit_code == 2
    assert "questions.jsonl" in called.err
    assert told in called.err
    assert not (house / "results").exists()


def test_a_store_that_mlflow_cannot_use_is_told_before_anything_is_asked(ragsweep: Ragsweep, house: Path) -> None:
    (house / "broken.db").write_text("this is no database" * 100, encoding="utf-8")
    for flag in ([], ["-m"]):
        called = ragsweep(*flag, *FAKES[:-1], "judge=none", "tracking.uri=sqlite:///broken.db")
        assert called.exit_code == 2
        assert "tracking=none" in called.err
        assert records_of(house) == []


UNWRITABLE = {
    "a file": (["results=conf/corpus/tiny.yaml"], "is no folder"),
    "below a file": (["results=conf/corpus/tiny.yaml/deep"], "is no folder"),
    "where nothing can be made": (["results=/proc/results"], "cannot be written"),
    "a sign that cuts the address": (["results=what?"], "has ? in it"),
    "a sign that the address decodes": (["results=a%20b"], "has % in it"),
    "a store where nothing can be made": (["tracking.uri=sqlite:////proc/deep/mlflow.db"], "cannot be written"),
    "a server that does not answer": (["tracking.uri=http://localhost:9"], "tracking=none"),
}


@pytest.mark.parametrize(("overrides", "told"), UNWRITABLE.values(), ids=UNWRITABLE)
@pytest.mark.parametrize("flag", [[], ["-m"]], ids=["run", "sweep"])
def test_results_that_cannot_be_written_are_told_before_anything_is_asked(
    ragsweep: Ragsweep, house: Path, flag: list[str], overrides: list[str], told: str
) -> None:
    before = time.monotonic()
    called = ragsweep(*flag, *FAKES[:-1], "judge=none", *overrides)
    assert (called.exit_code, told in called.err, "Traceback" in called.err) == (2, True, False), called.err
    assert called.err.count("ragsweep: ") == 1
    assert sorted(file.name for file in house.iterdir()) == ["conf", "corpora"]
    assert time.monotonic() - before < 30


def test_a_folder_without_the_right_to_write_is_told(ragsweep: Ragsweep, house: Path) -> None:
    (house / "results").mkdir(mode=0o555)
    if os.access(house / "results", os.W_OK):
        pytest.skip("this user may write everywhere")
    called = ragsweep(*FAKES, "judge=none")
    assert (called.exit_code, "cannot be written" in called.err) == (2, True)


@pytest.mark.parametrize("name", ["my results", "a#b", "más;&"])
def test_a_folder_of_any_other_name_holds_all_that_a_run_leaves(ragsweep: Ragsweep, house: Path, name: str) -> None:
    called = ragsweep(*FAKES[:-1], "judge=none", f'results="{name}"', "limit=1")
    assert called.exit_code == 0, called.err
    assert sorted(file.name for file in house.iterdir()) == sorted(["conf", "corpora", name])
    assert (house / name / "mlflow.db").is_file()
    assert len(list((house / name / "mlartifacts").rglob("summary.json"))) == 1


def test_a_sweep_of_ones_own_is_one_parent_with_its_jobs_below(ragsweep: Ragsweep, house: Path) -> None:
    for _ in range(2):
        called = ragsweep("-m", *FAKES[:-1], "judge=none", "architecture=bm25,random_passages", "limit=2")
        assert called.exit_code == 0, called.err
    store = sqlite3.connect(house / "results" / "mlflow.db")
    parents = store.execute("select value from tags where key = 'mlflow.parentRunId'").fetchall()
    assert len(parents) == 2
    assert len(set(parents)) == 1
    assert store.execute("select count(*) from runs").fetchone() == (3,)


def test_a_run_that_mlflow_refuses_is_kept_and_shown(ragsweep: Ragsweep, house: Path) -> None:
    (house / "taken").write_text("a file where MLflow wants a folder", encoding="utf-8")
    called = ragsweep("-m", *FAKES[:-1], "judge=none", "tracking.artifacts=taken", "architecture=bm25")
    assert called.exit_code == 1
    assert "finished and kept in" in called.err
    assert "bm25" in called.out
    assert len(records_of(house)) == 1


def test_a_sweep_whose_jobs_are_all_refused_has_failed_in_mlflow(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("-m", *FAKES[:-1], "judge=none", "generator=gguf", "generator.weights.file=a.gguf,b.gguf")
    assert called.exit_code == 2
    store = sqlite3.connect(house / "results" / "mlflow.db")
    assert store.execute("select status from runs").fetchall() == [("FAILED",)]


@pytest.mark.parametrize("k", [0, -1])
@pytest.mark.parametrize("name", ["closed_book", "oracle"])
def test_an_impossible_k_is_refused_whatever_the_architecture(ragsweep: Ragsweep, name: str, k: int) -> None:
    called = ragsweep(*FAKES, "judge=none", f"architecture={name}", f"k={k}")
    assert (called.exit_code, f"k is {k}" in called.err) == (2, True)


def test_runs_with_other_k_are_each_read_at_their_own(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=dense", "k=1,3")
    rows = json.loads(ragsweep("compare", "--json").out)
    assert [(row["k"], row["n retrieval/recall_k"]) for row in rows] == [(1, 4), (3, 4)]


def test_an_empty_corpus_is_told(ragsweep: Ragsweep, house: Path) -> None:
    for file in (house / "corpora" / "tiny" / "documents").iterdir():
        file.unlink()
    called = ragsweep(*FAKES, "judge=none")
    assert (called.exit_code, "empty" in called.err) == (2, True)


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        ("corpus=folder", "corpus.path"),
        ("generator=ollama", "generator.model"),
        ("generator=gguf", "generator.weights.file"),
    ],
)
def test_a_value_that_a_choice_wants_is_named(ragsweep: Ragsweep, chosen: str, name: str) -> None:
    called = ragsweep("judge=none", "tracking=none", chosen)
    assert called.exit_code == 2
    assert f"{name} is not set. Give it on the command line: {name}=..." in called.err
