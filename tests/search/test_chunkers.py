from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.domain import Chunker, Document, UserError
from benchmark.search.chunkers import Recursive, Sections, Sentences, Whole
from benchmark.text import count_tokens

CHUNKERS = [
    Recursive(size=12, overlap=4),
    Recursive(size=12, overlap=0),
    Sentences(language="es", size=12, overlap=4),
    Sections(size=12),
    Whole(),
]
TEXTS = st.text(st.sampled_from("ab ñé.\n#-|0,"), max_size=300)
GUIDE = (
    "# Dosis\n\nSe dan 4 g. Luego 1 g por hora.\n\n## Vigilancia\n\nReflejos cada hora. Diuresis cada 4 horas.\n" * 3
)


@pytest.mark.parametrize("chunker", CHUNKERS, ids=repr)
@settings(max_examples=60, deadline=None)
@given(text=TEXTS | st.just(GUIDE))
def test_chunks_cover_every_character_that_is_not_white_space(chunker: Chunker, text: str) -> None:
    covered = [False] * len(text)
    for chunk in chunker(Document("d", text)):
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        covered[chunk.span.start : chunk.span.end] = [True] * len(chunk.text)
    assert all(seen or character.isspace() for seen, character in zip(covered, text, strict=True))


@pytest.mark.parametrize("chunker", CHUNKERS[:4], ids=repr)
def test_no_chunk_is_larger_than_its_size(chunker: Chunker) -> None:
    assert all(count_tokens(chunk.text) <= 12 for chunk in chunker(Document("d", GUIDE)))


def test_chunks_have_ids_of_their_own() -> None:
    ids = [chunk.id for chunk in Recursive(size=12, overlap=4)(Document("d", GUIDE))]
    assert len(ids) == len(set(ids)) > 5


def test_a_section_begins_at_its_heading() -> None:
    assert all(chunk.text.startswith("#") for chunk in Sections(size=40)(Document("d", GUIDE)))


def test_a_chunk_belongs_to_its_documents_tenant() -> None:
    assert next(iter(Whole()(Document("d", "x", metadata={"tenant": "p1"})))).tenant == "p1"


def test_the_sentence_splitter_keeps_spanish_abbreviations_whole() -> None:
    text = "Entre las sem. 24 y 28 se hace la curva. El resto espera a la consulta que sigue."
    chunks = list(Sentences(language="es", size=12, overlap=0)(Document("d", text)))
    assert chunks[0].text == "Entre las sem. 24 y 28 se hace la curva."


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (8, 8), (8, -1)])
def test_impossible_sizes_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(UserError, match=re.escape(f"size={size}, overlap={overlap}")):
        Recursive(size=size, overlap=overlap)
