"""Models small enough to reason about: the parts that ``tests/house/conf`` names."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

import numpy as np

from benchmark.domain import Completion, FloatMatrix, Hit, Prompt, Query
from benchmark.text import sentences, words

DIMENSIONS = 64


@dataclass(frozen=True)
class HashEmbedder:
    """A bag of words, hashed: texts that share words are near."""

    calls: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "hash"

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        self.calls.extend(texts)
        rows = np.full((len(texts), DIMENSIONS), 1e-3, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words(text):
                row[sha256(word.encode()).digest()[0] % DIMENSIONS] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class EchoGenerator:
    """Answers with the first sentence of the first passage; may sleep, or break on some questions."""

    broken: Sequence[str] = ()
    sleep: float = 0.0
    calls: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "echo"

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        self.calls.append(query.id)
        if query.id in self.broken:
            raise ConnectionError("the endpoint hung up")
        time.sleep(self.sleep)
        found = [sentence for hit in context for sentence in sentences(hit.chunk.text, "es")]
        text = f"{found[0]} [1]" if found else "No hay información suficiente para responder."
        return Completion(text, 7, 3, finish_reason="stop")

    def answer_closed_book(self, query: Query) -> Completion:
        return self.answer(query, ())


@dataclass(frozen=True)
class EchoWriter:
    """Writes the prompt's last question back, and a second wording."""

    calls: list[Prompt] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "echo"

    def complete(self, prompt: Prompt) -> Completion:
        self.calls.append(prompt)
        asked = [line for line in prompt.user.splitlines() if line.startswith("Pregunta: ")][-1].partition(": ")[2]
        return Completion(f"1. {asked}\n2. Dosis de {asked}", 11, 5, finish_reason="stop")


@dataclass(frozen=True)
class Babble:
    """Completes a prompt for a draft in its form, and says nothing that is so."""

    name: str = "babble"

    def complete(self, prompt: Prompt) -> Completion:
        return Completion("Llueve.\nPregunta: ¿Llueve?\nRespuesta: Sí.", 11, 5, finish_reason="stop")


class Kept(dict[str, bytes]):
    """A ``Memory`` in memory."""

    def put(self, key: str, value: bytes) -> None:
        self[key] = value


@dataclass(frozen=True)
class Marked:
    """An embedder that finds near what holds the mark, and all else far."""

    mark: str
    name: str = "marked"

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        near = [role == "query" or self.mark in text for text in texts]
        return np.array([[1.0, 0.0] if is_near else [0.0, 1.0] for is_near in near], dtype=np.float32).reshape(-1, 2)
