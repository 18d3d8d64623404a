"""``ragsweep report`` and ``ragsweep show`` on runs of the tiny exam."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from mlflow import MlflowClient

from benchmark.prompts import texts
from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]
SWEEP = ("-m", *FAKES, "judge=none", "architecture=bm25,dense,oracle")


def test_all_forms_are_written_where_results_lie(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*SWEEP, "name=mine")
    called = ragsweep("report", "mine", "--to", "html,md,tex,csv,png,svg,pdf")
    assert called.exit_code == 0, called.err
    folder = house / "results" / "reports" / "mine"
    assert {file.name for file in folder.iterdir()} == {
        "report.html",
        "report.md",
        "tables.tex",
        "scores.csv",
        "figures",
    }
    assert sorted(called.out.split()) == sorted(
        str(file.relative_to(house)) for file in folder.rglob("*") if file.is_file()
    )
    forms = {file.suffix for file in (folder / "figures").iterdir()}
    assert forms == {".png", ".svg", ".pdf"}


def test_the_page_is_made_unless_another_form_is_asked_for(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*SWEEP)
    called = ragsweep("report", "--out", "elsewhere", "--language", "es")
    assert called.out.split() == ["elsewhere/report.html"]
    page = (house / "elsewhere" / "report.html").read_text(encoding="utf-8")
    assert "Qué se comparó" in page
    assert "¿Cuál es la dosis de carga del sulfato de magnesio?" in page


def test_the_page_shows_what_models_are_asked(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*SWEEP)
    ragsweep("report")
    page = (house / "results" / "reports" / "latest" / "report.html").read_text(encoding="utf-8")
    sent = texts("es")
    assert {"chat_answer", "rewrite", "judge_supported"} <= set(sent)
    assert [task for task, text in sent.items() if f"{escape(text)}</pre>" not in page] == []


def test_each_exam_has_a_folder_of_its_own(ragsweep: Ragsweep, house: Path) -> None:
    shutil.copytree(house / "corpora" / "tiny", house / "corpora" / "other")
    ragsweep("-m", *FAKES, "judge=none", "corpus=folder", "corpus.path=corpora/tiny,corpora/other")
    out = ragsweep("report", "--to", "csv").out.split()
    assert out == [f"results/reports/latest/{name}/scores.csv" for name in ("tiny", "other")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--to", "docx"), "--to takes html, md, tex, csv, png, svg, pdf"),
        (("--language", "fr"), "reports speak en and es"),
        (("nothing",), "ragsweep experiment=obstetrics"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    ragsweep: Ragsweep, house: Path, arguments: tuple[str, ...], told: str
) -> None:
    ragsweep(*FAKES, "judge=none")
    called = ragsweep("report", *arguments)
    assert (called.exit_code, told in called.err) == (2, True)
    assert not (house / "results" / "reports").exists()


def test_show_tells_one_question_with_every_run(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*SWEEP)
    out = ragsweep("show", "mag-1").out
    for told in ("¿Cuál es la dosis de carga", "Evidence 1 (magnesio, ", "── bm25: not judged", "── oracle: "):
        assert told in out, told
    assert "Evidence 1: retrieve #1 of 1 → context #1 of 1" in out
    assert "#1 magnesio, 0–286" in out
    assert "NOT MEASURED (the judge was not asked): ragas/faithfulness" in out


def test_show_for_a_program_has_the_records_and_the_way_of_the_evidence(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,closed_book")
    bm25, closed_book = json.loads(ragsweep("show", "mag-1", "--json").out)
    assert (bm25["run"], bm25["corpus"], bm25["record"]["question"]["id"]) == ("bm25", "tiny", "mag-1")
    [evidence] = bm25["evidence"]
    assert [(place["stage"], place["rank"]) for place in evidence["places"]] == [("retrieve", 1), ("context", 1)]
    assert (closed_book["record"]["cause"], closed_book["in_its_place"]) == ("no_retrieval", None)


def test_show_in_spanish(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    assert "NO MEDIDO (no se preguntó al juez)" in ragsweep("show", "mag-1", "--language", "es").out


def test_show_tells_why_a_question_failed(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none", "generator.broken=[mag-1]")
    out = ragsweep("show", "mag-1").out
    assert "── bm25: failed" in out
    assert "failed at answer: ConnectionError: the endpoint hung up" in out


def test_an_unknown_question_is_told_with_the_one_that_was_meant(ragsweep: Ragsweep, house: Path) -> None:
    ragsweep(*FAKES, "judge=none")
    called = ragsweep("show", "mag1")
    assert (called.exit_code, called.out) == (2, "")
    assert "Did you mean mag-1" in called.err


def test_the_sweeps_run_in_mlflow_holds_the_page_and_its_figures(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*SWEEP, "tracking=mlflow", "name=mine")
    assert called.exit_code == 0, called.err
    [page] = (house / "results" / "mlartifacts").rglob("report.html")
    assert "ragsweep report mine" in page.read_text(encoding="utf-8")
    store = MlflowClient(f"sqlite:///{house / 'results' / 'mlflow.db'}")
    runs = store.search_runs([one.experiment_id for one in store.search_experiments()])
    tags = {run.info.run_name: run.data.tags for run in runs}
    assert "3 runs on tiny: 5 questions.\n\n4 questions cannot rank 2 runs" in tags["mine"]["mlflow.note.content"]
    assert tags["bm25 · echo"]["tier.retrieval/recall_k"] == "1"
    assert "tier.retrieval/recall_k" not in tags["oracle · echo"]  # a bound has no tier
    assert "Questions: " in tags["bm25 · echo"]["mlflow.note.content"]
    assert (page.parent / "figures" / "causes.png").read_bytes().startswith(b"\x89PNG")
