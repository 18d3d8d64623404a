"""Exact nearest neighbours over chunk vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmark.domain import Chunk, Embedder, FloatMatrix, Hit, Query
from benchmark.search.tenants import PerTenant
from benchmark.stopwatch import off_the_clock

if TYPE_CHECKING:
    from faiss import IndexFlatIP


@dataclass(frozen=True, kw_only=True)
class DenseRecipe:
    """FAISS inner product over unit vectors, that is, cosine similarity; exact, not approximate."""

    embedder: Embedder
    threads: int = 2

    def over(self, chunks: Sequence[Chunk]) -> DenseRetriever:
        vectors = self.embedder.embed([chunk.text for chunk in chunks], role="passage")
        rows = {chunk.id: row for row, chunk in enumerate(chunks)}

        def index(readable: Sequence[Chunk]) -> VectorIndex:
            return VectorIndex.of(readable, vectors[[rows[chunk.id] for chunk in readable]], self.threads)

        return DenseRetriever(self.embedder, PerTenant(chunks, index))


@dataclass(frozen=True)
class VectorIndex:
    """Chunks and their vectors in FAISS, row by row."""

    chunks: tuple[Chunk, ...]
    index: IndexFlatIP

    @classmethod
    def of(cls, chunks: Sequence[Chunk], vectors: FloatMatrix, threads: int) -> VectorIndex:
        with off_the_clock():
            import faiss

        faiss.omp_set_num_threads(threads)
        index = faiss.IndexFlatIP(vectors.shape[1])
        if len(chunks):
            index.add(np.ascontiguousarray(vectors))
        return cls(tuple(chunks), index)

    def nearest(self, vector: FloatMatrix, k: int) -> tuple[Hit, ...]:
        """The ``k`` chunks of highest inner product with ``vector`` (dimensions,), best first."""
        if not self.chunks:
            return ()
        scores, rows = self.index.search(vector[None, :], min(k, len(self.chunks)))
        found = sorted(zip(scores[0].tolist(), rows[0].tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
        return tuple(Hit(self.chunks[row], score) for score, row in found)


@dataclass(frozen=True)
class DenseRetriever:
    embedder: Embedder
    indexes: PerTenant[Chunk, VectorIndex]

    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        if not query.text.strip():
            return ()
        return self.nearest(self.embedder.embed([query.text], role="query")[0], query.tenant, k)

    def nearest(self, vector: FloatMatrix, tenant: str | None, k: int) -> tuple[Hit, ...]:
        """Search by a vector of one's own instead of a query's: what HyDE does."""
        return self.indexes.at(tenant).nearest(vector, k)
