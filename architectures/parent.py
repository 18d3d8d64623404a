"""Search small, read large: small chunks are found, the sections around them are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.domain import (
    Chunk,
    Chunker,
    Document,
    Generator,
    Hit,
    Pipeline,
    Query,
    Recipe,
    Response,
    Retriever,
    Step,
)
from benchmark.pipelines import Reading, chunked, read, retrieve
from benchmark.stopwatch import stopwatch


@dataclass(frozen=True, kw_only=True)
class Parent:
    """Rank chunks of ``chunker``, then read the ``sections`` that hold most of each; ``k`` counts sections."""

    chunker: Chunker
    sections: Chunker
    retriever: Recipe
    reading: Reading
    candidates: int = 20

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        children = chunked(documents, self.chunker)
        parents = _parents(children, chunked(documents, self.sections))
        return FindThenReadAround(self, self.retriever.over(children), parents, generator)


@dataclass(frozen=True)
class FindThenReadAround:
    recipe: Parent
    retriever: Retriever
    parents: Mapping[str, Chunk]
    generator: Generator

    def answer(self, query: Query) -> Response:
        steps = retrieve(self.retriever, query, max(self.recipe.candidates, self.recipe.reading.k))
        with stopwatch() as watch:
            sections: dict[str, Hit] = {}
            for hit in steps[-1].hits:  # best first: a section ranks where its best chunk does
                section = self.parents[hit.chunk.id]
                sections.setdefault(section.id, Hit(section, hit.score))
            hits = tuple(sections.values())
        widened = Step("widen", watch.seconds, watch.cached, hits)
        return read(self.generator, query, self.recipe.reading.context(hits), (*steps, widened))


def _parents(children: Sequence[Chunk], sections: Sequence[Chunk]) -> dict[str, Chunk]:
    """For each small chunk the section that shares most characters with it; the chunk itself where none does."""
    by_document: dict[str, list[Chunk]] = {}
    for section in sections:
        by_document.setdefault(section.span.document_id, []).append(section)

    def shared(child: Chunk, section: Chunk) -> int:
        return min(child.span.end, section.span.end) - max(child.span.start, section.span.start)

    def parent(child: Chunk) -> Chunk:
        around = [section for section in by_document.get(child.span.document_id, ()) if shared(child, section) > 0]
        return max(around, key=lambda section: shared(child, section), default=child)

    return {child.id: parent(child) for child in children}
