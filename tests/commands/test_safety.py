"""``ragsweep safety``: the six checks on a real sweep, and what it says of what cannot be checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from benchmark.config import Plan
from benchmark.domain import Cause, Document, Record, Rulings
from benchmark.safety import CHECKS
from benchmark.safety.instructions import planted_in
from benchmark.safety.isolation import isolation
from benchmark.storage import corpora
from benchmark.storage.facts import material_of
from benchmark.text import fold
from tests.conftest import FAKES, Called

Ragsweep = Callable[..., Called]
WORDS = ("generator=extractive_words", "embedder=hash", "writer=echo", "judge=none", "tracking=none")
SWEEP = ("experiment=safety", *WORDS)


@pytest.fixture
def swept(ragsweep: Ragsweep) -> Ragsweep:
    """The command line in a folder with the sweep of the experiment, on few questions and with words alone."""
    called = ragsweep(*SWEEP, "architecture=bm25,oracle", "limit=30")
    assert called.exit_code == 0, called.err
    return ragsweep


def test_all_six_checks_are_measured_on_a_real_sweep(swept: Ragsweep) -> None:
    told = json.loads(swept("safety", "safety", "--json").out)
    assert [system["system"] for system in told] == ["bm25", "oracle"]
    for system in told:
        assert len(system["runs"]) == 3
        assert [one["check"] for one in system["checks"]] == list(CHECKS)
        assert all(one["n"] > 0 and one["not_measured"] is None for one in system["checks"])
        assert all(one["failed"] == len(one["cases"]) == one["n"] - one["passed"] for one in system["checks"])
        assert all(case["words"] for one in system["checks"] for case in one["cases"])
    found = {one["check"]: one for one in told[0]["checks"]}
    assert (found["isolation"]["n"], found["isolation"]["failed"]) == (16, 0)
    assert found["disclaimer"]["failed"] == found["disclaimer"]["n"]  # verbatim sentences say not who decides


def test_a_sweep_that_is_named_twice_counts_once(swept: Ragsweep) -> None:
    once, twice = (json.loads(swept("safety", *names, "--json").out) for names in (["safety"], ["safety", "safety"]))
    assert once == twice


def test_the_terminal_and_the_page_show_the_bound_and_the_words(swept: Ragsweep) -> None:
    out = swept("safety", "safety").out
    assert "0/16 (≤ 17.1 %)" in out
    assert "does not say that the prescriber decides" in " ".join(out.split())
    page = swept("safety", "safety", "--markdown").out
    assert page.startswith("| system | medications | doses | refusal | isolation | disclaimer | instructions |\n")


def test_what_a_corpus_lacks_is_not_measured_with_its_reason(ragsweep: Ragsweep) -> None:
    assert ragsweep(*FAKES, "judge=none", "architecture=bm25", "name=tiny").exit_code == 0
    out = " ".join(ragsweep("safety", "tiny").out.split())
    assert "medications NOT MEASURED: the corpus has no medications.jsonl" in out
    assert "doses NOT MEASURED: the corpus has no doses.jsonl" in out
    assert "instructions NOT MEASURED: no document of the corpus has planted instructions (tiny)" in out


def test_a_broken_lexicon_is_told_with_its_line(ragsweep: Ragsweep, house: Path) -> None:
    assert ragsweep(*FAKES, "judge=none", "architecture=bm25", "name=tiny").exit_code == 0
    (house / "corpora" / "tiny" / "medications.jsonl").write_text('{"nombre": "hierro"}\n', encoding="utf-8")
    called = ragsweep("safety", "tiny")
    assert called.exit_code == 2
    assert "medications.jsonl, line 1" in called.err
    assert "Traceback" not in called.err


def test_runs_that_are_not_there_are_told(ragsweep: Ragsweep) -> None:
    called = ragsweep("safety", "nowhere")
    assert (called.exit_code, called.out) == (2, "")
    assert "there are no runs at 'nowhere'" in called.err


# ------------------------------------------------------------------------------------------- the planted instructions


@pytest.fixture(scope="module")
def injected() -> tuple[Document, ...]:
    name = "obstetrics_injected"
    return corpora.load(name, name=name, documents_language="es", language="es").documents


def test_every_planted_instruction_stands_whole_in_the_evidence_of_one_question(injected: tuple[Document, ...]) -> None:
    exam = corpora.load("obstetrics_injected", name="x", documents_language="es", language="es")
    planted = [one for document in injected for one in planted_in(document)]
    listed = [one for document in injected for one in cast(list[object], document.metadata["instructions"])]
    assert (len(planted), len(listed)) == (24, 24)
    for question in exam.questions:
        [gold] = [item.span for item in question.evidence]
        assert sum(one.span.overlaps(gold) for one in planted) == 1


def test_no_question_and_no_reference_shows_what_an_obedient_answer_would(injected: tuple[Document, ...]) -> None:
    exam = corpora.load("obstetrics_injected", name="x", documents_language="es", language="es")
    said = fold(" ".join(f"{question.query.text} {question.reference}" for question in exam.questions))
    shown = [phrase for document in injected for one in planted_in(document) for phrase in one.shows]
    assert [phrase for phrase in shown if phrase in said] == []


@pytest.mark.parametrize("name", ["bm25", "hybrid"])
def test_no_order_of_questions_and_no_kept_result_mixes_patients(planned: Callable[..., Plan], name: str) -> None:
    plan = planned(f"architecture={name}", fakes=("corpus=obstetrics_patients", *FAKES[1:]))
    pipeline = plan.architecture.build(plan.corpus.documents, plan.generator)
    questions = [*plan.corpus.questions, *reversed(plan.corpus.questions)]  # the second time from what was kept
    records = [Record(one, pipeline.answer(one.query), Rulings(), {}, Cause.CORRECT) for one in questions]
    found = isolation(records, material_of(plan.corpus, "obstetrics_patients"))
    assert (found.n, found.cases) == (32, ())
