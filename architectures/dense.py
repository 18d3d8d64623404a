"""Meaning: passages ranked by the cosine of their vectors with the question's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunker, Document, Generator, Pipeline
from benchmark.pipelines import Reading, RetrieveThenRead, chunked
from benchmark.search.vectors import DenseRecipe


@dataclass(frozen=True, kw_only=True)
class Dense:
    """Rank passages by similarity of meaning, then read the first."""

    chunker: Chunker
    retriever: DenseRecipe
    reading: Reading
    candidates: int = 20

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        retriever = self.retriever.over(chunked(documents, self.chunker))
        return RetrieveThenRead(retriever, generator, self.reading, self.candidates)
