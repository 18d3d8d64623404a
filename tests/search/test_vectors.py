from __future__ import annotations

import numpy as np
import pytest

from benchmark.domain import Chunk, Query, Span
from benchmark.search.vectors import DenseRecipe
from tests.fakes import HashEmbedder

TEXTS = [f"dosis {i} de hierro {i % 7} y calcio {i % 3}" for i in range(50)]
CHUNKS = [Chunk(f"c{i}", Span("d", i, i + 1), text) for i, text in enumerate(TEXTS)]


def test_dense_search_is_exact() -> None:
    embedder = HashEmbedder()
    hits = DenseRecipe(embedder=embedder).over(CHUNKS).search(Query("q", "hierro 3"), 10)
    cosines = embedder.embed(TEXTS, role="passage") @ embedder.embed(["hierro 3"], role="query")[0]
    assert [hit.score for hit in hits] == pytest.approx(np.sort(cosines)[::-1][:10].tolist(), abs=1e-6)


def test_equal_vectors_keep_the_order_of_the_chunks() -> None:
    alike = [Chunk(f"c{i}", Span("d", i, i + 1), "dosis") for i in range(5)]
    hits = DenseRecipe(embedder=HashEmbedder()).over(alike).search(Query("q", "dosis"), 5)
    assert [hit.chunk.id for hit in hits] == ["c0", "c1", "c2", "c3", "c4"]


def test_fewer_chunks_than_k_are_all_found() -> None:
    assert len(DenseRecipe(embedder=HashEmbedder()).over(CHUNKS[:3]).search(Query("q", "dosis"), 10)) == 3


def test_each_text_is_embedded_once_for_all_tenants() -> None:
    embedder = HashEmbedder()
    owned = [Chunk("a", Span("d", 0, 1), "dosis", "p1"), Chunk("b", Span("d", 1, 2), "hierro")]
    retriever = DenseRecipe(embedder=embedder).over(owned)
    found = {tenant: len(retriever.search(Query("q", "dosis", tenant), 5)) for tenant in ("p1", "p2", None)}
    assert found == {"p1": 2, "p2": 1, None: 1}
    assert embedder.calls.count("hierro") == 1
