"""Chunks that end where the meaning changes, and windows of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmark.domain import Chunk, Document, Embedder, UserError
from benchmark.search.chunkers import Recursive, check_sizes, chunks_at, within
from benchmark.text import count_tokens, pieces


@dataclass(frozen=True, kw_only=True)
class SentenceWindows:
    """Every sentence with ``window`` more on either side: windows of neighbours overlap."""

    language: str
    window: int = 1

    def __post_init__(self) -> None:
        if self.window < 0:
            raise UserError(f"chunker.window is {self.window}: it is a number of sentences, for instance 1")

    def __call__(self, document: Document) -> Iterable[Chunk]:
        spans = _sentences(document.text, self.language)
        around = [
            (spans[max(0, place - self.window)][0], spans[min(len(spans) - 1, place + self.window)][1])
            for place in range(len(spans))
        ]
        yield from chunks_at(document, dict.fromkeys(around))


@dataclass(frozen=True, kw_only=True)
class Semantic:
    """Sentences that are near in meaning stay together: a chunk ends where two neighbours are as far as few are.

    Each sentence is embedded with ``buffer`` more on either side, and a chunk ends where the cosine distance to the
    next is above the document's ``percentile``; what is above ``size`` tokens is cut as ``recursive`` does. Source:
    Kamradt 2024, "5 Levels of Text Splitting", level 4, as LlamaIndex's ``SemanticSplitterNodeParser`` has it.
    """

    embedder: Embedder
    language: str
    size: int = 256
    percentile: float = 90
    buffer: int = 1

    def __post_init__(self) -> None:
        check_sizes(self.size, 0)
        if not 0 <= self.percentile <= 100:
            raise UserError(f"chunker.percentile is {self.percentile}: it is between 0 and 100, for instance 90")
        if self.buffer < 0:
            raise UserError(f"chunker.buffer is {self.buffer}: it is a number of sentences, for instance 1")

    def __call__(self, document: Document) -> Iterable[Chunk]:
        spans = _sentences(document.text, self.language)
        cut = Recursive(size=self.size, overlap=0)
        starts = [0, *(spans[place][0] for place in self._ends(document.text, spans)), len(document.text)]
        for start, end in pairwise(starts):
            if count_tokens(document.text[start:end]) <= self.size:
                yield from chunks_at(document, [(start, end)])
            else:
                yield from within(document, start, end, cut)

    def _ends(self, text: str, spans: Sequence[tuple[int, int]]) -> list[int]:
        """Places of the sentences that begin a chunk, the first left out."""
        if len(spans) < 3:  # of fewer than two distances none is as few are
            return []
        last = len(spans) - 1
        around = [
            text[spans[max(0, place - self.buffer)][0] : spans[min(last, place + self.buffer)][1]]
            for place in range(len(spans))
        ]
        vectors = self.embedder.embed(around, role="passage")
        distances = 1 - (vectors[:-1] * vectors[1:]).sum(axis=1)
        limit = np.percentile(distances, self.percentile)
        return [place + 1 for place, distance in enumerate(distances) if distance > limit]


def _sentences(text: str, language: str) -> list[tuple[int, int]]:
    """Sentences that together are the whole text; one without a word goes to the one before it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for piece in pieces(text, language):
        end = start + len(piece)
        if spans and not piece.strip():
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
        start = end
    return spans
