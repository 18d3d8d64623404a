"""``ragsweep score``: answers and passages from elsewhere become records like our own."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Called

Ragsweep = Callable[..., Called]
FAKE = ("embedder=hash", "tracking=none")
ROWS: list[dict[str, Any]] = [
    {
        "user_input": "¿Cuál es la dosis de carga de magnesio?",
        "response": "La dosis de carga es de 4 g.",
        "reference": "La dosis de carga es de 4 g.",
        "retrieved_contexts": ["Se dan 30 mg de hierro.", "La dosis de carga de magnesio es de 4 g."],
        "reference_contexts": ["La dosis de carga de magnesio es de 4 g."],
    },
    {
        "user_input": "¿Cuánto hierro se da al día?",
        "response": "El contexto no contiene información suficiente para responder.",
        "reference": "Se dan 30 mg de hierro.",
        "retrieved_contexts": ["La dosis de carga de magnesio es de 4 g."],
        "reference_contexts": ["Se dan 30 mg de hierro."],
    },
]


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def summaries(house: Path) -> dict[str, dict[str, Any]]:
    found = (house / "results" / "runs").rglob("summary.json")
    return {file.parent.parent.parent.name: json.loads(file.read_text(encoding="utf-8")) for file in found}


def records(house: Path) -> list[dict[str, Any]]:
    [file] = (house / "results" / "runs").rglob("records.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_answers_are_scored_by_the_same_metrics_and_diagnosis(ragsweep: Ragsweep, house: Path) -> None:
    written(house / "mine.jsonl", ROWS)
    called = ragsweep("score", "mine.jsonl", *FAKE)
    assert called.exit_code == 0, called.err
    [summary] = summaries(house).values()
    measured = {key: score["mean"] for key, score in summary["metrics"].items()}
    assert measured["retrieval/recall_2"] == 0.5
    assert measured["retrieval/mrr_2"] == 0.25
    assert measured["answer/exact_match"] == 0.5
    assert measured["answer/refused_wrongly"] == 0.5
    assert measured["ragas/faithfulness"] == 1.0
    assert summary["causes"]["not_retrieved"] == 1
    assert "Where questions were lost" in called.out


def test_what_nobody_wrote_down_is_not_measured_rather_than_free(ragsweep: Ragsweep, house: Path) -> None:
    written(house / "mine.jsonl", ROWS)
    ragsweep("score", "mine.jsonl", "judge=none", *FAKE)
    scores = records(house)[0]["scores"]
    assert "cost/seconds" not in scores
    assert "cost/money" not in scores
    assert scores["cost/context_tokens"]["value"] > 0


def test_two_systems_on_one_exam_are_compared_and_shown_again(ragsweep: Ragsweep, house: Path) -> None:
    written(house / "first.jsonl", ROWS)
    written(house / "second.jsonl", [{**row, "retrieved_contexts": row["reference_contexts"]} for row in ROWS])
    called = ragsweep("score", "first.jsonl", "second.jsonl", "--name", "both", "judge=none", *FAKE)
    assert called.exit_code == 0, called.err
    found = {name: summary["metrics"]["retrieval/recall_2"]["mean"] for name, summary in summaries(house).items()}
    assert found == {"first": 0.5, "second": 1.0}
    again = ragsweep("compare", "both")
    assert again.exit_code == 0, again.err
    assert "second" in again.out
    assert ragsweep("show", "q0001", "both").exit_code == 0
    assert ragsweep("report", "both", "--to", "html").exit_code == 0


def test_scoring_again_changes_nothing_and_other_answers_are_another_run(ragsweep: Ragsweep, house: Path) -> None:
    written(house / "mine.jsonl", ROWS)
    ragsweep("score", "mine.jsonl", "judge=none", *FAKE)
    before = records(house)
    ragsweep("score", "mine.jsonl", "judge=none", *FAKE)
    assert records(house) == before
    written(house / "mine.jsonl", [{**row, "response": "Otra cosa."} for row in ROWS])
    ragsweep("score", "mine.jsonl", "judge=none", *FAKE)
    assert len(list((house / "results" / "runs").rglob("records.jsonl"))) == 2


def test_a_question_without_an_answer_is_a_failure_and_no_zero(ragsweep: Ragsweep, house: Path) -> None:
    written(house / "mine.jsonl", [ROWS[0], {**ROWS[1], "response": None}])
    called = ragsweep("score", "mine.jsonl", "judge=none", *FAKE)
    assert called.exit_code == 1
    [failed] = [record["failure"] for record in records(house) if record["failure"]]
    assert failed["message"] == "the file has no answer to this question"


def test_answers_without_passages_have_no_retrieval_scores(ragsweep: Ragsweep, house: Path) -> None:
    keys = ("user_input", "response", "reference")
    written(house / "mine.jsonl", [{key: row[key] for key in keys} for row in ROWS])
    assert ragsweep("score", "mine.jsonl", "judge=none", *FAKE).exit_code == 0
    scores = records(house)[0]["scores"]
    assert scores["retrieval/recall_1"]["value"] is None
    assert scores["answer/exact_match"]["value"] == 1.0


def test_a_row_for_each_passage_makes_one_answer(ragsweep: Ragsweep, house: Path) -> None:
    with (house / "long.csv").open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        table.writerow(["query_id", "query", "passage_id", "passage", "generated_answer"])
        table.writerow(["q1", "What is the dose?", "[1]", "The dose is 4 g.", "The dose is 4 g [1]"])
        table.writerow(["q1", "What is the dose?", "[2]", "Iron is 30 mg.", ""])
    called = ragsweep("score", "long.csv", "judge=none", *FAKE)
    assert called.exit_code == 0, called.err
    [record] = records(house)
    assert [hit["text"] for hit in record["response"]["context"]] == ["The dose is 4 g.", "Iron is 30 mg."]


@pytest.mark.parametrize(
    ("rows", "arguments", "told"),
    [
        ([{"question": "a"}], (), "no column of 'question' is known to be the answer"),
        (
            [{"question": "a", "answer": "b"}] * 1 + [{"question": "a", "answer": "c"}],
            (),
            "has another answer to 'q0001'",
        ),
        ([{"question": "la dosis de la", "answer": "b"}], ("--name", "../x"), "--name is '../x'"),
        ([{"question": "la dosis de la", "answer": "b"}], ("judge=lcoal",), "judge"),
        ([{"question": "x1", "answer": "x2"}], (), "--language"),
    ],
)
def test_a_slip_is_one_message_and_nothing_is_written(
    ragsweep: Ragsweep, house: Path, rows: list[dict[str, Any]], arguments: tuple[str, ...], told: str
) -> None:
    written(house / "mine.jsonl", rows)
    called = ragsweep("score", "mine.jsonl", *arguments)
    assert called.exit_code == 2
    assert told in called.err
    assert "Traceback" not in called.err
    assert not (house / "results").exists()


def test_two_files_that_ask_differently_under_one_id_are_refused(ragsweep: Ragsweep, house: Path) -> None:
    row = {"id": "1", "question": "¿Cuál es la dosis?", "answer": "4 g"}
    written(house / "a.jsonl", [row])
    written(house / "b.jsonl", [{**row, "question": "¿Cuál es la otra dosis?"}])
    called = ragsweep("score", "a.jsonl", "b.jsonl")
    assert called.exit_code == 2
    assert "b.jsonl, line 1: the question '1' is" in called.err


# ------------------------------------------------------------------------------------------ over a corpus that is known

LOADING = "La dosis de carga del sulfato de magnesio es de 4 g por vía intravenosa en 20 minutos."
OVER_TINY: list[dict[str, Any]] = [
    {
        "question": "¿cuál es la dosis de carga del  sulfato de magnesio?",
        "answer": "Son 4 g.",
        "contexts": ["# Hierro", f"\n{LOADING} Después se mantiene"],
    },
    {
        "question": "¿Qué se vigila durante la infusión?",
        "answer": "Los reflejos.",
        "contexts": [
            "Se toma lejos de la LECHE\ny del calcio.",
            "Un texto de otra parte.",
            "El paciente 1 recibe 501 mg",
        ],
    },
]


@pytest.mark.parametrize("corpus", ["tiny", "corpora/tiny"])
def test_answers_over_a_known_corpus_have_its_gold_and_its_places(ragsweep: Ragsweep, house: Path, corpus: str) -> None:
    written(house / "mine.jsonl", OVER_TINY)
    called = ragsweep("score", "mine.jsonl", "--corpus", corpus, "judge=none", *FAKE)
    assert called.exit_code == 0, called.err
    assert "mine: 2 of the 5 questions of the corpus are answered" in called.err
    assert "mine: 2 of 5 passages (40.0%) stand nowhere in the corpus and are left out" in called.err  # one is p1's
    first, second = sorted(records(house), key=lambda record: str(record["question"]["id"]))
    assert [first["question"]["id"], second["question"]["id"]] == ["mag-1", "mag-2"]
    assert [first["scores"][f"retrieval/{key}_3"]["value"] for key in ("recall", "mrr")] == [1.0, 0.5]
    assert second["scores"]["retrieval/recall_3"]["value"] == 0.0
    assert (first["cause"], second["cause"]) == ("not_judged", "not_retrieved")
    spans = [(hit["document"], hit["start"]) for hit in second["response"]["context"]]
    assert spans == [("hierro", 84)]


def test_answers_are_joined_by_id_too_and_compared_with_our_own_runs(ragsweep: Ragsweep, house: Path) -> None:
    rows = [{"id": name, "answer": "Son 4 g.", "contexts": [LOADING]} for name in ("mag-1", "mag-2", "other-9")]
    written(house / "mine.jsonl", rows)
    called = ragsweep("score", "mine.jsonl", "--corpus", "tiny", "judge=none", *FAKE)
    assert called.exit_code == 0, called.err
    assert "mine: 1 questions are none of these and are left out, such as 'other-9'" in called.err
    assert {record["question"]["id"] for record in records(house)} == {"mag-1", "mag-2"}
    ragsweep("architecture=bm25", "corpus=tiny", "generator=echo", "writer=echo", "judge=none", "name=ours", *FAKE)
    runs = [str(file.parent) for file in (house / "results" / "runs").rglob("records.jsonl")]
    both = ragsweep("compare", *runs)
    assert both.exit_code == 0, both.err
    assert "bm25" in both.out
    assert "mine" in both.out


@pytest.mark.parametrize(
    ("rows", "corpus", "told"),
    [
        ([{"question": "¿Otra cosa?", "answer": "b"}], "tiny", "none of its 1 questions is among the 5 of the corpus"),
        ([{"id": "mag-1", "question": "¿Otra cosa?", "answer": "b"}], "tiny", "such as 'mag-1': "),
        (OVER_TINY, "tyni", "tiny"),
        (
            [OVER_TINY[0], {**OVER_TINY[0], "question": "¿Cuál es la dosis de carga del sulfato de magnesio"}],
            "tiny",
            "two answers",
        ),
    ],
)
def test_what_cannot_be_joined_is_one_message(
    ragsweep: Ragsweep, house: Path, rows: list[dict[str, Any]], corpus: str, told: str
) -> None:
    written(house / "mine.jsonl", rows)
    called = ragsweep("score", "mine.jsonl", "--corpus", corpus, "judge=none", *FAKE)
    assert called.exit_code == 2
    assert told in called.err
    assert not (house / "results").exists()
