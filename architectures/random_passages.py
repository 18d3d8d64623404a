"""Passages drawn by lot: what a generator makes of a corpus without any search. A floor for retrieval metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmark.domain import Chunk, Chunker, Document, Generator, Hit, Pipeline, Query
from benchmark.pipelines import Reading, RetrieveThenRead, chunked
from benchmark.search.tenants import readable


@dataclass(frozen=True, kw_only=True)
class RandomPassages:
    """Read passages drawn without looking at the question; the draw depends on the seed and the question's id alone."""

    chunker: Chunker
    reading: Reading
    seed: int

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        lots = Lots(chunked(documents, self.chunker), self.seed)
        return RetrieveThenRead(lots, generator, self.reading, candidates=self.reading.k)


@dataclass(frozen=True)
class Lots:
    chunks: Sequence[Chunk]
    seed: int

    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        chunks = readable(self.chunks, query.tenant)
        drawn = Random(f"{self.seed} {query.id}").sample(chunks, min(k, len(chunks)))  # not for secrets
        return tuple(Hit(chunk, 0.0) for chunk in drawn)
