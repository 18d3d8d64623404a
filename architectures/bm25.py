"""Words: passages ranked by BM25."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunker, Document, Generator, Pipeline
from benchmark.pipelines import Reading, RetrieveThenRead, chunked
from benchmark.search.bm25 import Bm25Recipe


@dataclass(frozen=True, kw_only=True)
class Bm25:
    """Rank passages by the words that they share with the question, then read the first."""

    chunker: Chunker
    retriever: Bm25Recipe
    reading: Reading
    candidates: int = 20

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        retriever = self.retriever.over(chunked(documents, self.chunker))
        return RetrieveThenRead(retriever, generator, self.reading, self.candidates)
