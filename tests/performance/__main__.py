"""How fast the house's own parts are: ``python -m tests.performance`` prints figures and asserts nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Literal

import bm25s
import faiss
import numpy as np

from benchmark.domain import Chunk, FloatMatrix, Query, Span
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.vectors import DenseRecipe

CHUNKS, QUERIES, WORDS, DIMENSIONS, THREADS = 100_000, 50, 60, 384, 2


def milliseconds(calls: Sequence[Callable[[], object]]) -> float:
    """The median over the calls, after one to warm up."""
    calls[0]()
    taken = []
    for call in calls:
        began = perf_counter()
        call()
        taken.append(perf_counter() - began)
    return 1000 * median(taken)


class Drawn:
    """Unit vectors drawn from a seed: one for each text."""

    name = "drawn"

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        rows = np.random.default_rng(len(texts)).standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def corpus(seed: int = 7) -> tuple[list[Chunk], list[Query]]:
    """Texts of words with the frequencies of a language (Zipf), and queries of eight of them."""
    draw = np.random.default_rng(seed)
    vocabulary = [f"palabra{number}x" for number in range(50_000)]
    ranks = np.minimum(draw.zipf(1.2, size=(CHUNKS, WORDS)), len(vocabulary)) - 1
    texts = [" ".join(vocabulary[rank] for rank in row) for row in ranks]
    chunks = [Chunk(f"c{number}", Span("d", number, number + 1), text) for number, text in enumerate(texts)]
    asked = draw.integers(10, 5000, size=(QUERIES, 8))
    queries = [Query(f"q{i}", " ".join(vocabulary[rank] for rank in row)) for i, row in enumerate(asked)]
    return chunks, queries


def main() -> None:
    chunks, queries = corpus()
    recipe = Bm25Recipe(language="es")
    retriever = recipe.over(chunks)
    alone = bm25s.BM25(method="lucene")
    alone.index([recipe.words(chunk.text) for chunk in chunks], show_progress=False)
    tokens = [recipe.words(query.text) for query in queries]
    ours = milliseconds([lambda query=query: retriever.search(query, 20) for query in queries])  # type: ignore[misc]  # bound now
    theirs = milliseconds([lambda t=t: alone.get_scores(t) for t in tokens])  # type: ignore[misc]  # bound now
    print(f"bm25 over {CHUNKS:,} chunks: {ours:.2f} ms a query (bm25s scores alone: {theirs:.2f} ms)")

    embedder = Drawn()
    dense = DenseRecipe(embedder=embedder, threads=THREADS).over(chunks)
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(embedder.embed([chunk.text for chunk in chunks], role="passage"))
    vectors = [embedder.embed(["x"] * (number + 1), role="query")[-1:] for number in range(QUERIES)]
    # Turn by turn, so that a slow moment of the machine falls on both.
    pairs = []
    for vector in vectors:
        own = milliseconds([lambda v=vector: dense.nearest(v[0], None, 20)])  # type: ignore[misc]  # bound now
        faiss_alone = milliseconds([lambda v=vector: index.search(v, 20)])  # type: ignore[misc]  # bound now
        pairs.append((own, faiss_alone))
    own, faiss_alone = (median(column) for column in zip(*pairs, strict=True))
    ratio = median(a / b for a, b in pairs)
    print(f"dense over {CHUNKS:,} chunks: {own:.2f} ms a query, {ratio:.2f} times FAISS alone ({faiss_alone:.2f} ms)")


if __name__ == "__main__":
    main()
