from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from architectures.bm25 import Bm25
from benchmark.config import Plan
from benchmark.domain import Chunker, Document, UserError
from benchmark.search.chunkers import Fixed, Recursive, Sections, Sentences, Whole
from benchmark.search.semantic import Semantic, SentenceWindows
from benchmark.text import count_tokens
from tests.conftest import FAKES, Called
from tests.fakes import HashEmbedder, Marked

CHUNKERS = [
    Recursive(size=12, overlap=4),
    Recursive(size=12, overlap=0),
    Sentences(language="es", size=12, overlap=4),
    Sections(size=12),
    Fixed(size=12, overlap=4),
    Semantic(embedder=HashEmbedder(), language="es", size=12, percentile=50),
    SentenceWindows(language="es", window=1),
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


@pytest.mark.parametrize("chunker", CHUNKERS[:6], ids=repr)
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


def test_fixed_chunks_have_their_size_and_overlap() -> None:
    chunks = [chunk.text for chunk in Fixed(size=4, overlap=1)(Document("d", "a b c d e f g h"))]
    assert chunks == ["a b c d ", "d e f g ", "g h"]


def test_a_sentence_window_is_a_sentence_with_its_neighbours() -> None:
    chunks = [
        chunk.text for chunk in SentenceWindows(language="es", window=1)(Document("d", "Uno va. Dos va. Tres va."))
    ]
    assert chunks == ["Uno va. Dos va. ", "Uno va. Dos va. Tres va.", "Dos va. Tres va."]


def test_a_semantic_chunk_ends_where_the_meaning_changes() -> None:
    text = "Hierro uno. Hierro dos. Otra cosa. Otra más. Otra vez."
    chunker = Semantic(embedder=Marked("Hierro"), language="es", percentile=80, buffer=0)
    chunks = [chunk.text for chunk in chunker(Document("d", text))]
    assert chunks == ["Hierro uno. Hierro dos. ", "Otra cosa. Otra más. Otra vez."]


@pytest.mark.parametrize(
    ("chunker", "fields", "told"),
    [
        (SentenceWindows, {"window": -1}, "window is -1"),
        (Semantic, {"embedder": HashEmbedder(), "percentile": 101}, "percentile is 101"),
        (Semantic, {"embedder": HashEmbedder(), "buffer": -1}, "buffer is -1"),
        (Semantic, {"embedder": HashEmbedder(), "size": 0}, "size=0"),
    ],
)
def test_impossible_settings_are_refused(chunker: Any, fields: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        chunker(language="es", **fields)


def test_a_sweep_over_chunk_sizes_sits_one_exam(ragsweep: Callable[..., Called], house: Path) -> None:
    called = ragsweep("-m", *FAKES, "judge=none", "architecture=bm25", "chunker=fixed", "chunker.size=17,40")
    assert called.exit_code == 0, called.err
    files = sorted((house / "results").rglob("records.jsonl"))
    exams = [[json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in files]
    assert len(exams) == 2
    key = "retrieval/recall_5"
    asked = [{record["question"]["id"]: record["scores"][key]["value"] for record in exam} for exam in exams]
    assert asked[0].keys() == asked[1].keys()
    measured = [{name for name, value in exam.items() if value is not None} for exam in asked]
    assert measured[0] == measured[1] == {"mag-1", "mag-2", "hie-1", "pac-1"}


@pytest.mark.parametrize("name", ["fixed", "recursive", "sections", "semantic", "sentence", "sentence_window", "whole"])
def test_every_chunker_is_chosen_on_the_command_line(planned: Callable[..., Plan], name: str) -> None:
    plan = planned("architecture=bm25", f"chunker={name}")
    chunker = cast(Bm25, plan.architecture).chunker
    documents = plan.corpus.documents
    chunks = [chunk for document in documents for chunk in chunker(document)]
    assert {chunk.span.document_id for chunk in chunks} == {document.id for document in documents}
