from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.bridges.places import Passage, Places
from benchmark.domain import Document, Span

TWICE = Document("twice", "Se dan 4 g.\n\nLuego, Se dan 4 g.")
OTHER = Document("other", "Antes Se dan 4 g. La ﬁebre y el dolor. 1.5 mg")
PLACES = Places.of([TWICE, OTHER])


@pytest.mark.parametrize(
    ("passage", "span"),
    [
        (Passage("Se dan 4 g.", "twice", 20), Span("twice", 20, 31)),  # by its metadata, though it stands before too
        (Passage(" Se dan 4 g.", "twice", 19), Span("twice", 20, 31)),  # white space at its ends is no part of it
        (Passage("Se dan 4 g.", "twice", 3), Span("twice", 0, 11)),  # metadata that are not true
        (Passage("Se dan 4 g.", "other"), Span("other", 6, 17)),  # only the document that it names
        (Passage("Se dan 4 g.", "no such id"), Span("twice", 0, 11)),
        (Passage("LA FIEBRE\ny el  dolor."), Span("other", 18, 38)),  # case, white space and ligatures
        (Passage("Se dan 4 g. Luego, Se dan 4 g.", "twice"), Span("twice", 0, 31)),
    ],
)
def test_a_passage_is_found(passage: Passage, span: Span) -> None:
    assert PLACES.span(passage) == span
    document = PLACES.documents[span.document_id]
    assert document.text[span.start : span.end].split()[-1] == passage.text.split()[-1]


@pytest.mark.parametrize("text", ["", " \n", "Se dan 5 g.", "15 mg"])
def test_what_stands_nowhere_is_not_found(text: str) -> None:
    assert PLACES.span(Passage(text)) is None


def test_hits_keep_the_order_and_each_place_once() -> None:
    first, second = Passage("Se dan 4 g.", "other"), Passage("1.5 mg", score=0.5)
    hits, lost = PLACES.hits([first, Passage("nada"), second, replace(first, text="se dan 4 g.")])
    assert [(hit.chunk.text, hit.score) for hit in hits] == [("Se dan 4 g.", 1.0), ("1.5 mg", 0.5)]
    assert [passage.text for passage in lost] == ["nada"]


def test_a_score_that_is_no_number_is_none() -> None:
    [hit], _ = PLACES.hits([Passage("1.5 mg", score=float("nan"))])
    assert hit.score == 1.0


def test_anothers_document_is_not_found() -> None:
    assert Places.of([TWICE]).span(Passage("1.5 mg", "other", 39)) is None
