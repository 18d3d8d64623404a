"""Words and meaning: BM25 and vectors searched apart, their rankings fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunker, Document, Generator, Pipeline
from benchmark.pipelines import Reading, RetrieveThenRead, chunked
from benchmark.search.fusion import HybridRecipe


@dataclass(frozen=True, kw_only=True)
class Hybrid:
    """Fuse the rankings of several retrievers, then read the first passages."""

    chunker: Chunker
    retriever: HybridRecipe
    reading: Reading
    candidates: int = 20

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        retriever = self.retriever.over(chunked(documents, self.chunker))
        return RetrieveThenRead(retriever, generator, self.reading, self.candidates)
