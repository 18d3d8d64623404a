"""The pool of a question: what words and vectors find for it, so that no grade depends on one way to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunk, Embedder, Hit, Query, Retriever
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.fusion import reciprocal_rank_fusion
from benchmark.search.vectors import DenseRecipe


@dataclass(frozen=True)
class Pool:
    """BM25 and dense search over the same passages; each brings ``depth`` of them."""

    retrievers: tuple[Retriever, ...]
    depth: int

    @classmethod
    def over(cls, chunks: Sequence[Chunk], embedder: Embedder, *, language: str, depth: int, threads: int) -> Pool:
        recipes = (Bm25Recipe(language=language), DenseRecipe(embedder=embedder, threads=threads))
        return cls(tuple(recipe.over(chunks) for recipe in recipes), depth)

    def search(self, query: Query) -> tuple[Hit, ...]:
        """The passages that either finds and the query's tenant may read, best first: ``depth`` to twice as many."""
        rankings = [retriever.search(query, self.depth) for retriever in self.retrievers]
        return reciprocal_rank_fusion(rankings, [1.0] * len(rankings))

    def beside(self, passage: Chunk) -> Chunk | None:
        """The passage nearest to one, of what the same tenant may read, that shares no text with it."""
        found = self.search(Query(passage.id, passage.text, passage.tenant))
        return next((hit.chunk for hit in found if not hit.chunk.span.overlaps(passage.span)), None)
