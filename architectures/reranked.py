"""Two looks: a retriever's candidates, read again by a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunker, Document, Generator, Pipeline, Query, Recipe, Reranker, Response, Retriever
from benchmark.pipelines import Reading, chunked, read, rerank, retrieve


@dataclass(frozen=True, kw_only=True)
class Reranked:
    """Retrieve ``candidates`` passages, let the reranker order them anew, read the first."""

    chunker: Chunker
    retriever: Recipe
    reranker: Reranker
    reading: Reading
    candidates: int = 20

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        return RerankThenRead(self, self.retriever.over(chunked(documents, self.chunker)), generator)


@dataclass(frozen=True)
class RerankThenRead:
    recipe: Reranked
    retriever: Retriever
    generator: Generator

    def answer(self, query: Query) -> Response:
        depth = max(self.recipe.candidates, self.recipe.reading.k)
        steps = retrieve(self.retriever, query, depth)
        reranked = rerank(self.recipe.reranker, query, steps[-1].hits, depth)
        return read(self.generator, query, self.recipe.reading.context(reranked.hits), (*steps, reranked))
