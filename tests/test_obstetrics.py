"""The bundled obstetrics exam keeps what its card promises."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmark.domain import Corpus
from benchmark.storage import corpora
from benchmark.text import is_abstention, quantities, words
from tests.conftest import REPOSITORY

CARD = (REPOSITORY / "corpora" / "obstetrics" / "card.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def obstetrics() -> Corpus:
    return corpora.load("obstetrics", name="obstetrics", documents_language="es", language="es")


def test_it_is_as_large_as_it_should_be(obstetrics: Corpus) -> None:
    assert len(obstetrics.documents) >= 8
    assert min(len(words(document.text)) for document in obstetrics.documents) >= 600
    assert len(obstetrics.questions) >= 40
    assert sum(not question.answerable for question in obstetrics.questions) >= 8


def test_the_cards_counts_are_true(obstetrics: Corpus) -> None:
    questions = obstetrics.questions
    grades = Counter(evidence.grade for question in questions for evidence in question.evidence)
    answerable = sum(question.answerable for question in questions)
    characters = sum(len(document.text) for document in obstetrics.documents)
    assert f"| Documents | {len(obstetrics.documents)} |" in CARD
    assert f"| Characters, without front matter | {characters:,} |" in CARD
    assert f"| Questions | {len(questions)}: {answerable} answerable, {len(questions) - answerable} not |" in CARD
    assert f"{grades.total()}: {grades[3]} of grade 3, {grades[2]} of grade 2, {grades[1]} of grade 1" in CARD
    for tag, count in Counter(tag for question in questions for tag in question.tags).items():
        assert re.search(rf"^\| {tag}\b.*\| {count} \|$", CARD, re.MULTILINE), (tag, count)


def test_every_answer_is_supported_by_its_evidence(obstetrics: Corpus) -> None:
    for question in obstetrics.questions:
        grades = [evidence.grade for evidence in question.evidence]
        assert not question.answerable or 3 in grades or grades.count(2) >= 2, question.id


def test_every_number_of_an_answer_stands_in_its_evidence(obstetrics: Corpus) -> None:
    texts = {document.id: document.text for document in obstetrics.documents}
    for question in obstetrics.questions:
        quotes = " ".join(texts[e.span.document_id][e.span.start : e.span.end] for e in question.evidence)
        said = (
            {quantity.value for quantity in quantities(question.reference or "", "es")}
            if question.answerable
            else set()
        )
        assert said <= {quantity.value for quantity in quantities(quotes, "es")}, question.id


def test_what_cannot_be_answered_says_so_and_names_the_nearest_passage(obstetrics: Corpus) -> None:
    for question in obstetrics.questions:
        if not question.answerable:
            assert is_abstention(question.reference or ""), question.id
            assert question.nearest is not None


def test_the_exam_can_be_sat_in_english(obstetrics: Corpus) -> None:
    english = corpora.load("obstetrics", name="obstetrics", documents_language="es", language="en")
    assert len(english.questions) == len(obstetrics.questions)
    assert {question.language for question in english.questions} == {"en"}


@pytest.mark.skipif("RAGSWEEP_DATA" not in os.environ, reason="RAGSWEEP_DATA is unset")
def test_no_run_of_eight_words_is_the_sources(obstetrics: Corpus) -> None:
    source = Path(os.environ["RAGSWEEP_DATA"]) / "obstetrics_guideline" / "guideline.txt"

    def runs(text: str) -> set[tuple[str, ...]]:
        found = re.findall(r"[a-z0-9]+", " ".join(words(text)))
        return {tuple(found[i : i + 8]) for i in range(len(found) - 7)}

    theirs = runs(source.read_text(encoding="utf-8"))
    for document in obstetrics.documents:
        assert not runs(document.text) & theirs, document.id
