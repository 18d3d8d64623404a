"""How the thresholds of the extractive generator are set."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmark.domain import Span
from benchmark.models.extractive import fitted
from benchmark.models.fit_extractive import Item, fit, joined, measure, read_xquad, trials

DATA = os.environ.get("RAGSWEEP_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="RAGSWEEP_DATA is not set")


@pytest.fixture(scope="module")
def xquad() -> Path:
    return Path(DATA or "") / "xquad" / "xquad.es.json"


@needs_data
def test_the_gold_answers_stand_where_they_are_said_to(xquad: Path) -> None:
    paragraphs, article_of, items = read_xquad(xquad, articles=6)
    assert {item.article for item in items} == set(article_of)
    assert all(paragraphs[item.paragraph].text[gold.start : gold.end].strip() for item in items for gold in item.gold)


@needs_data
def test_a_fit_on_some_articles_answers_what_has_an_answer_and_little_else(xquad: Path) -> None:
    given = trials(xquad, None, articles=8)
    reported = measure(given.half(1), fit(given.half(0), "words", 2), 2)
    assert reported["abstains_answerable"] < 0.35
    assert reported["abstains_unrelated"] > 0.65
    assert reported["answers_with_gold"] > 0.7


@needs_data
def test_by_words_a_longer_question_is_answered_as_a_short_one_is(xquad: Path) -> None:
    given = trials(xquad, None, articles=8).half(1)
    assert given.lengths() == (1, 2, 3)
    for length in given.lengths():
        reported = measure(given.of(length), fitted("words"), 3)
        assert reported["abstains_answerable"] < 0.2
        assert reported["abstains_unrelated"] > 0.85


def test_questions_are_joined_within_their_paragraph_alone() -> None:
    asked = [
        Item(name, paragraph, 0, (Span(name, 0, 1),)) for name, paragraph in (("a", 0), ("b", 0), ("c", 0), ("d", 1))
    ]
    assert [(item.text, len(item.gold), item.joined) for item in joined(asked, 2)] == [("a b", 2, 2)]
    assert [item.text for item in joined(asked, 1)] == ["a", "b", "c", "d"]


@needs_data
def test_the_shipped_word_thresholds_hold_on_articles_that_did_not_choose_them(xquad: Path) -> None:
    reported = measure(trials(xquad, None, articles=8).half(1), fitted("words"), 2)
    assert reported["abstains_answerable"] < 0.25
    assert reported["answers_with_gold"] > 0.75


@pytest.mark.parametrize("kind", ["vectors", "words"])
def test_the_shipped_numbers_say_where_they_come_from_and_make_sense(kind: str) -> None:
    thresholds = fitted(kind)
    assert 0 < thresholds.margin < thresholds.nearest < 1.5
    assert thresholds.weights.overlap >= thresholds.weights.preceding >= 0
