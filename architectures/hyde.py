"""HyDE: search with the vectors of passages that a model imagines as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.domain import (
    Chunker,
    Completion,
    Document,
    FloatMatrix,
    Generator,
    Hit,
    Pipeline,
    Query,
    Response,
    Step,
    UserError,
    Writer,
)
from benchmark.pipelines import Reading, chunked, read
from benchmark.prompts import prompt
from benchmark.search.vectors import DenseRecipe, DenseRetriever
from benchmark.stopwatch import stopwatch


@dataclass(frozen=True, kw_only=True)
class Hyde:
    """Average the question's vector with those of ``n`` hypothetical passages, and search by the average.

    Source: Gao, Ma, Lin and Callan 2022, "Precise Zero-Shot Dense Retrieval without Relevance Labels", section 3.
    """

    chunker: Chunker
    retriever: DenseRecipe
    writer: Writer
    language: str
    reading: Reading
    n: int = 1
    max_tokens: int = 64
    candidates: int = 20

    def __post_init__(self) -> None:
        if self.n < 1:
            raise UserError(f"architecture.n is {self.n}: HyDE writes at least one passage, as in architecture.n=1")

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        return ImagineThenRead(self, self.retriever.over(chunked(documents, self.chunker)), generator)


@dataclass(frozen=True)
class ImagineThenRead:
    recipe: Hyde
    retriever: DenseRetriever
    generator: Generator

    def answer(self, query: Query) -> Response:
        with stopwatch() as watch:
            passages = self._imagine(query) if query.text.strip() else ()
        imagined = Step("hypothesise", watch.seconds, watch.cached, (), passages)
        with stopwatch() as watch:
            hits: tuple[Hit, ...] = ()
            if query.text.strip():
                vector = self._vector(query, [passage.text for passage in passages])
                hits = self.retriever.nearest(vector, query.tenant, max(self.recipe.candidates, self.recipe.reading.k))
        found = Step("retrieve", watch.seconds, watch.cached, hits)
        return read(self.generator, query, self.recipe.reading.context(hits), (imagined, found))

    def _imagine(self, query: Query) -> tuple[Completion, ...]:
        recipe = self.recipe
        return tuple(
            recipe.writer.complete(
                prompt("hypothesis", recipe.language, max_tokens=recipe.max_tokens, sample=i, question=query.text)
            )
            for i in range(recipe.n)
        )

    def _vector(self, query: Query, passages: Sequence[str]) -> FloatMatrix:
        """The unit mean of the question's vector and the passages'; a model that wrote nothing changes nothing."""
        embedder = self.retriever.embedder
        question = embedder.embed([query.text], role="query")
        written = [passage for passage in passages if passage.strip()]
        rows = np.vstack([question, embedder.embed(written, role="passage")]) if written else question
        mean = rows.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
