"""Search over 100,000 chunks: BM25 beside bm25s, vectors beside FAISS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from typing import Literal

import bm25s
import faiss
import numpy as np
from numpy.typing import NDArray

from benchmark.domain import Chunk, FloatMatrix, Query, Span
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.vectors import DenseRecipe
from tests.performance.measures import Figure, turn_by_turn

CHUNKS, WORDS, VOCABULARY, STOP_WORDS = 100_000, 80, 50_000, 100
QUERIES, QUERY_WORDS, COMMON_WORDS, K = 50, 8, 20, 20
DIMENSIONS, THREADS, SEED = 384, 2, 7


def invented_words() -> list[str]:
    """Words of letters alone: a digit would make the tokeniser cut them."""
    syllables = [consonant + vowel for consonant, vowel in product("bdfgklmnprstvz", "aeiou")]
    return ["".join(parts) for parts in islice(product(syllables, repeat=4), 0, 400 * VOCABULARY, 400)]


def corpus() -> tuple[list[Chunk], list[Query], list[Query]]:
    """Texts with the word frequencies of a language (Zipf); queries without the commonest words; queries full of them.

    A query costs as much as its words have postings: the second kind is what a language without a stop list would ask.
    """
    draw = np.random.default_rng(SEED)
    vocabulary = np.array(invented_words())
    share = 1 / np.arange(1, VOCABULARY + 1)
    rows = vocabulary[draw.choice(VOCABULARY, size=(CHUNKS, WORDS), p=share / share.sum())]
    chunks = [Chunk(f"c{i}", Span("d", i, i + 1), " ".join(row)) for i, row in enumerate(rows)]
    common = vocabulary[draw.choice(VOCABULARY, size=(QUERIES, COMMON_WORDS), p=share / share.sum())]
    share[:STOP_WORDS] = 0
    telling = vocabulary[draw.choice(VOCABULARY, size=(QUERIES, QUERY_WORDS), p=share / share.sum())]
    return chunks, _queries(telling), _queries(common)


def _queries(rows: NDArray[np.str_]) -> list[Query]:
    return [Query(f"q{i}", " ".join(row)) for i, row in enumerate(rows)]


class Drawn:
    """Unit vectors drawn from a seed, in place of a model: passages by their row, a query by its text."""

    name = "drawn"

    def __init__(self, queries: Sequence[Query]) -> None:
        vectors = self._unit(1, len(queries))
        self.known = {query.text: vector[None, :] for query, vector in zip(queries, vectors, strict=True)}

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        return self._unit(0, len(texts)) if role == "passage" else np.vstack([self.known[text] for text in texts])

    def _unit(self, stream: int, rows: int) -> FloatMatrix:
        drawn = np.random.default_rng([SEED, stream]).standard_normal((rows, DIMENSIONS), dtype=np.float32)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


def measure() -> Iterator[Figure]:
    chunks, telling, common = corpus()
    yield from bm25(chunks, {f"{QUERY_WORDS} telling words": telling, f"{COMMON_WORDS} words, common too": common})
    yield dense(chunks, telling)


def bm25(chunks: Sequence[Chunk], asked: Mapping[str, Sequence[Query]]) -> Iterator[Figure]:
    recipe = Bm25Recipe(language="es")
    retriever = recipe.over(chunks)
    alone = bm25s.BM25(method="lucene", k1=recipe.k1, b=recipe.b)
    alone.index([recipe.words(chunk.text) for chunk in chunks], show_progress=False)
    for kind, queries in asked.items():
        words = [recipe.words(query.text) for query in queries]
        scores = [partial(alone.get_scores, each) for each in words]
        selections = [partial(bm25s.selection.topk, score(), K, backend="numpy") for score in scores]
        ms, scoring, _ = turn_by_turn([partial(retriever.search, query, K) for query in queries], scores)
        _, selecting, _ = turn_by_turn(scores, selections)
        beside = f"bm25s get_scores {scoring:.2f} ms, its topk {selecting:.2f} ms"
        yield Figure(f"bm25 over {CHUNKS:,} chunks, {kind}", ms, "ms", 5.0, beside)


def dense(chunks: Sequence[Chunk], queries: Sequence[Query]) -> Figure:
    embedder = Drawn(queries)
    retriever = DenseRecipe(embedder=embedder, threads=THREADS).over(chunks)
    alone = faiss.IndexFlatIP(DIMENSIONS)
    alone.add(embedder.embed([chunk.text for chunk in chunks], role="passage"))
    faiss.omp_set_num_threads(THREADS)
    ms, beside, ratio = turn_by_turn(
        [partial(retriever.search, query, K) for query in queries],
        [partial(alone.search, embedder.known[query.text], K) for query in queries],
    )
    return Figure(
        f"dense over {CHUNKS:,} chunks, ours / FAISS", ratio, "x", 1.2, f"{ms:.2f} ms beside FAISS {beside:.2f} ms"
    )
