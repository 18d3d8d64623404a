"""BM25 over chunks, with words as the corpus's language has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmark.domain import Chunk, Hit, Query, UserError
from benchmark.search.ranking import best
from benchmark.search.tenants import PerTenant
from benchmark.stopwatch import off_the_clock
from benchmark.text import stems

Scores = NDArray[np.floating]
Scorer = Callable[[list[str]], Scores]


@dataclass(frozen=True, kw_only=True)
class Bm25Recipe:
    """Okapi BM25 with the idf of Lucene, ln(1 + (N - n + 0.5) / (n + 0.5)), and without the constant factor k1 + 1.

    Both engines rank alike; ``bm25s`` (sparse matrices) is the fast one. Sources: Robertson and Zaragoza 2009,
    section 3; Kamphuis et al. 2020, "Which BM25 Do You Mean?", for the variant.
    """

    language: str
    engine: Literal["bm25s", "rank_bm25"] = "bm25s"
    stemming: bool = True
    k1: float = 1.5
    b: float = 0.75

    def __post_init__(self) -> None:
        if self.engine not in _ENGINES:
            raise UserError(f"retriever.engine is {self.engine!r}; it may be {' or '.join(sorted(_ENGINES))}")

    def over(self, chunks: Sequence[Chunk]) -> Bm25Retriever:
        return Bm25Retriever(self, PerTenant(chunks, self._index))

    def words(self, text: str) -> list[str]:
        return stems(text, self.language, stemming=self.stemming)

    def _index(self, chunks: Sequence[Chunk]) -> Bm25Index:
        texts = [self.words(chunk.text) for chunk in chunks]
        return Bm25Index(tuple(chunks), _ENGINES[self.engine](texts, self.k1, self.b))


@dataclass(frozen=True)
class Bm25Index:
    """Chunks and the function that scores them all, shape (chunks,)."""

    chunks: tuple[Chunk, ...]
    scores: Scorer


@dataclass(frozen=True)
class Bm25Retriever:
    recipe: Bm25Recipe
    indexes: PerTenant[Chunk, Bm25Index]

    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        """Chunks that share at least one word with the query, best first."""
        index = self.indexes.at(query.tenant)
        words = self.recipe.words(query.text)
        if not words or not index.chunks:
            return ()
        scores = index.scores(words)
        return tuple(Hit(index.chunks[i], float(scores[i])) for i in best(scores, k) if scores[i] > 0)


def _bm25s(texts: list[list[str]], k1: float, b: float) -> Scorer:
    with off_the_clock():
        import bm25s

    if not any(texts):
        return lambda _: np.zeros(len(texts))
    index = bm25s.BM25(method="lucene", k1=k1, b=b)
    index.index(texts, show_progress=False)
    known = index.vocab_dict

    def scores(words: list[str]) -> Scores:
        met = [word for word in words if word in known]
        return np.asarray(index.get_scores(met)) if met else np.zeros(len(texts))

    return scores


def _rank_bm25(texts: list[list[str]], k1: float, b: float) -> Scorer:
    with off_the_clock():
        from rank_bm25 import BM25Okapi

    class Lucene(BM25Okapi):  # type: ignore[misc]  # the library has no types
        def _calc_idf(self, nd: dict[str, int]) -> None:
            """Its own floor for negative idf would make the commonest words weigh much; Lucene's is never negative."""
            for word, n in nd.items():
                self.idf[word] = np.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5))

    if not any(texts):
        return lambda _: np.zeros(len(texts))
    index = Lucene(texts, k1=k1, b=b)
    return lambda words: np.asarray(index.get_scores(words)) / (k1 + 1)


_ENGINES: dict[str, Callable[[list[list[str]], float, float], Scorer]] = {"bm25s": _bm25s, "rank_bm25": _rank_bm25}
