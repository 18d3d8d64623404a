"""The bundled obstetrics sets are as large and as varied as their cards promise, and tell systems apart."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmark.domain import Corpus
from benchmark.storage import corpora


def load(name: str, language: str = "es") -> Corpus:
    return corpora.load(name, name=name, documents_language="es", language=language)


@pytest.fixture(scope="module")
def obstetrics() -> Corpus:
    return load("obstetrics")


@pytest.fixture(scope="module")
def patients() -> Corpus:
    return load("obstetrics_patients")


def test_the_documents_are_enough_to_get_lost_in(obstetrics: Corpus) -> None:
    assert len(obstetrics.documents) >= 24
    assert sum(len(document.text) for document in obstetrics.documents) >= 150_000
    assert all("sources" in document.metadata for document in obstetrics.documents)


def test_the_answerable_questions_are_of_every_kind(obstetrics: Corpus) -> None:
    asked = [question for question in obstetrics.questions if question.answerable]
    kinds = Counter(tag for question in asked for tag in question.tags)
    assert len(asked) >= 110
    wanted = {"multi_span": 25, "multi_document": 15, "numeric": 25, "layperson": 20, "typos": 4, "negation": 10}
    assert {kind: count for kind, count in wanted.items() if kinds[kind] < count} == {}


def test_what_is_tagged_as_two_passages_or_two_documents_has_them(obstetrics: Corpus) -> None:
    for question in obstetrics.questions:
        parts = [evidence.span for evidence in question.evidence if evidence.grade >= 2]
        assert "multi_span" not in question.tags or len(parts) >= 2, question.id
        assert "multi_document" not in question.tags or len({part.document_id for part in parts}) >= 2, question.id


def test_the_unanswerable_questions_are_of_every_kind_and_name_the_nearest_passage(obstetrics: Corpus) -> None:
    refused = [question for question in obstetrics.questions if not question.answerable]
    kinds = Counter(tag for question in refused for tag in question.tags)
    wanted = {"near_miss": 20, "out_of_scope": 10, "false_premise": 10}
    assert len(refused) >= 40
    assert {kind: count for kind, count in wanted.items() if kinds[kind] < count} == {}
    assert all(question.nearest is not None for question in refused)


@pytest.mark.parametrize("name", ["obstetrics", "obstetrics_patients"])
def test_the_exam_can_be_sat_in_english(name: str) -> None:
    english = load(name, language="en")
    assert len(english.questions) == len(load(name).questions)
    assert {question.language for question in english.questions} == {"en"}


def test_twelve_patients_have_three_notes_each(patients: Corpus) -> None:
    notes = Counter(document.tenant for document in patients.documents)
    assert (len(notes), set(notes.values())) == (12, {3})
    assert len(patients.questions) == 16
    assert {question.query.tenant for question in patients.questions} <= set(notes)


def test_every_planted_phrase_stands_in_one_note_alone(patients: Corpus) -> None:
    for document in patients.documents:
        planted = str(document.metadata["planted"])
        assert [other.id for other in patients.documents if planted in other.text] == [document.id]
