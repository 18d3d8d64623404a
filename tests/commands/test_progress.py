"""Who waits is told how far a job is, on a terminal or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.commands.progress import plain, tell_once
from tests.conftest import FAKES, Called
from tests.factories import question

Ragsweep = Callable[..., Called]


def test_a_line_is_told_from_time_to_time() -> None:
    clock = iter([0.0, 1.0, 31.0, 40.0, 62.0])
    told: list[str] = []
    asked = list(plain("bm25", [question()] * 4, told.append, lambda: next(clock)))
    assert len(asked) == 4
    assert told == ["bm25: 1 of 4 questions asked, 31 s", "bm25: 3 of 4 questions asked, 62 s"]


def test_a_line_is_told_once_in_a_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSWEEP_SCRATCH", str(tmp_path))
    told: list[str] = []
    for line in ("a", "b", "a"):
        tell_once(line, told.append)
    assert told == ["a", "b"]


def test_a_piped_sweep_tells_of_every_job_on_stderr(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,dense", "limit=2")
    lines = called.err.splitlines()
    assert [line for line in lines if line.endswith("begun")] == ["bm25 · echo: begun", "dense · echo: begun"]
    assert sum(": 2 questions, 0 failed, " in line for line in lines) == 2


def test_what_the_corpus_leaves_out_is_told_once_in_a_sweep(ragsweep: Ragsweep, house: Path) -> None:
    (house / "corpora" / "tiny" / "documents" / "guide.pdf").write_bytes(b"x")
    called = ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,dense", "limit=1")
    assert called.err.count("guide.pdf") == 1


def test_a_line_that_a_kill_had_cut_is_told(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "limit=1")
    [records] = (house / "results").rglob("records.jsonl")
    records.write_bytes(records.read_bytes() + b'{"half')
    called = ragsweep(*FAKES, "judge=none", "limit=2")
    assert (called.exit_code, "the last line was cut off" in called.err) == (0, True)


def test_a_run_says_where_it_lies_and_how_to_see_it_again(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*FAKES, "judge=none", "limit=1", "results=my results")
    folder = next(line.removeprefix("Results: ") for line in called.out.splitlines() if line.startswith("Results: "))
    assert (house / folder / "records.jsonl").is_file()
    assert "Again:   ragsweep compare --results 'my results'" in called.out


def test_a_sweep_says_its_name_and_how_many_runs_it_has(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("-m", *FAKES[:-1], "judge=none", "limit=1", "name=mine", "k=1,2")
    assert "Results: results/runs (2 runs)" in called.out
    assert "Again:   ragsweep compare mine" in called.out
    assert "MLflow:  ragsweep ui" in called.out


@pytest.mark.parametrize("language", ["en", "xx"])
def test_a_folder_of_ones_own_is_read_in_its_language(ragsweep: Ragsweep, house: Path, language: str) -> None:
    (house / "own" / "documents").mkdir(parents=True)
    (house / "own" / "documents" / "a.md").write_text("The dose is 4 g.", encoding="utf-8")
    asked = f'{{"id": "q", "question": "How much?", "language": "{language}"}}\n'
    (house / "own" / "questions.jsonl").write_text(asked, encoding="utf-8")
    called = ragsweep(*FAKES, "judge=none", "corpus=folder", "corpus.path=own")
    if language == "en":
        [config] = (house / "results").rglob("config.yaml")
        assert "documents_language: en" in config.read_text(encoding="utf-8")
    else:
        assert (called.exit_code, "one of es, en" in called.err) == (2, True)
        assert not (house / "results").exists()
