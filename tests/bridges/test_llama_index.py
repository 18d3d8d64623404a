"""LlamaIndex's own retrievers and engines run as architectures, and their passages stand in the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import LLM
from llama_index.core.llms.mock import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode

from architectures.llama_index import LlamaIndex
from benchmark.domain import Chunk, Document, Hit, Pipeline, Query, Span, UserError
from benchmark.search.fusion import min_max_fusion, reciprocal_rank_fusion
from tests.bridges.conftest import DOCUMENTS, GUIDE, Completing, Says
from tests.bridges.test_langchain import texts

Built = Callable[..., Pipeline]
EXAMPLES = "benchmark.bridges.examples.llama_index"
DOSE = Query("q", "¿Cuál es la dosis de carga?")


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "relative_score", "dist_based_score", "simple"])
def test_fusion_finds_the_dose(built: Built, mode: str) -> None:
    response = built(LlamaIndex, f"{EXAMPLES}:fusion", options={"mode": mode}).answer(DOSE)
    assert "dosis de carga es de 4 g" in texts(response)[0]


def test_fusion_asks_the_writer_for_more_wordings(built: Built) -> None:
    writer = Says(lambda _: "leche y calcio")
    found = built(LlamaIndex, f"{EXAMPLES}:fusion", writer=writer, options={"queries": 2}).answer(DOSE).steps[0]
    assert "hierro" in {hit.chunk.span.document_id for hit in found.hits}
    assert len(found.completions) == len(writer.calls) == 1


def test_hyde_searches_by_what_the_writer_imagines(built: Built) -> None:
    writer = Says(lambda _: "El hierro se toma lejos de la leche y del calcio. " * 3)
    response = built(LlamaIndex, f"{EXAMPLES}:hyde", writer=writer).answer(Query("q", "¿hierro?"))
    assert response.context[0].chunk.span.document_id == "hierro"
    assert len(response.steps[0].completions) == 1


def test_a_sentence_window_is_read_around_the_sentence_that_is_found(built: Built) -> None:
    response = built(LlamaIndex, f"{EXAMPLES}:sentence_window", options={"window": 1}).answer(DOSE)
    read = texts(response)[0]
    assert read.startswith("# Sulfato de magnesio\n\nLa dosis de carga es de 4 g. Después se da 1 g por hora.")
    assert "Se vigilan" not in read


def test_auto_merging_reads_the_larger_piece_where_most_of_it_is_found(built: Built) -> None:
    long = Document("largo", " ".join(f"La dosis número {n} es de {n} g por vía oral." for n in range(9)))
    fields = {"documents": (long, *DOCUMENTS), "options": {"ratio": 0.3}}
    response = built(LlamaIndex, f"{EXAMPLES}:auto_merging", **fields).answer(DOSE)
    merged = next(hit.chunk for hit in response.context if hit.chunk.span.document_id == "largo")
    assert merged.text == long.text[merged.span.start : merged.span.end]
    assert merged.text.count("dosis número") > 4  # a leaf holds at most 32 tokens, and so three


def test_llama_indexs_bm25_finds_by_words(built: Built) -> None:
    response = built(LlamaIndex, f"{EXAMPLES}:bm25").answer(Query("q", "reflejos"))
    assert "Se vigilan los reflejos" in texts(response)[0]


def test_its_class_can_be_named_as_it_is(built: Built) -> None:
    response = built(LlamaIndex, "llama_index.core:VectorStoreIndex").answer(DOSE)
    assert "dosis de carga es de 4 g" in texts(response)[0]


# ------------------------------------------------------------------------------------------- pipelines of one's own


def engine(chunks: Sequence[BaseNode], embedder: BaseEmbedding, generator: LLM) -> BaseQueryEngine:
    index = VectorStoreIndex(list(chunks), embed_model=embedder)
    return RetrieverQueryEngine.from_args(index.as_retriever(), generator)


def test_a_query_engine_answers_by_itself_with_the_generator_of_the_sweep(built: Built) -> None:
    generator = Completing()
    response = built(LlamaIndex, f"{__name__}:engine", generator=generator).answer(DOSE)
    assert response.answer == "La dosis de carga es de 4 g [1]."
    assert generator.calls == []
    assert [(step.name, len(step.completions)) for step in response.steps] == [("retrieve", 0), ("generate", 1)]
    assert "dosis de carga" in texts(response)[0]


class Fixed(BaseRetriever):
    """What it is made with, whatever is asked."""

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=text, id_=text), score=score) for text, score in self.scores.items()]


ready = Fixed({"La dosis de carga es de 4 g.": 0.9})


def test_a_ready_retriever_is_asked_as_it_is(built: Built) -> None:
    assert texts(built(LlamaIndex, f"{__name__}:ready").answer(DOSE)) == ["La dosis de carga es de 4 g."]


def test_a_ready_retriever_is_refused_a_corpus_with_tenants(built: Built) -> None:
    note = Document("nota", "Alergia a la penicilina.", metadata={"tenant": "p1"})
    with pytest.raises(UserError, match="it would show one's to another"):
        built(LlamaIndex, f"{__name__}:ready", documents=(GUIDE, note))


# ------------------------------------------------------------------------------------------------------------ parity

ARMS = ({"a": 9.0, "b": 7.0, "c": 4.0, "d": 1.0}, {"c": 0.9, "e": 0.8, "a": 0.75, "f": 0.2})


def theirs(mode: str, weights: Sequence[float]) -> list[tuple[str, float]]:
    fusion = QueryFusionRetriever(
        [Fixed(dict(arm)) for arm in ARMS],
        llm=MockLLM(),
        mode=FUSION_MODES(mode),
        similarity_top_k=10,
        num_queries=1,
        use_async=False,
        retriever_weights=list(weights),
    )
    return [(node.node.node_id, float(node.score or 0)) for node in fusion.retrieve("x")]


def ours() -> list[list[Hit]]:
    return [[Hit(Chunk(i, Span(i, 0, 1), i), score) for i, score in arm.items()] for arm in ARMS]


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.9, 0.1)])
def test_our_hybrid_ranks_as_its_reciprocal_rerank_with_equal_weights_and_c_59(weights: tuple[float, float]) -> None:
    """It counts ranks from 0 with a constant of 60, and takes no notice of weights."""
    fused = [(hit.chunk.id, hit.score) for hit in reciprocal_rank_fusion(ours(), [1, 1], c=59)]
    found = theirs("reciprocal_rerank", weights)
    assert [name for name, _ in fused] == [name for name, _ in found]
    assert [score for _, score in fused] == pytest.approx([score for _, score in found])


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.8)])
def test_our_weighted_min_max_fusion_scores_as_its_relative_score(weights: tuple[float, float]) -> None:
    fused = [(hit.chunk.id, hit.score) for hit in min_max_fusion(ours(), weights)]
    found = theirs("relative_score", weights)
    assert [name for name, score in fused if score] == [name for name, score in found if score]
    assert dict(fused) == pytest.approx(dict(found))
