"""Pipelines of other libraries over a few small documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmark.bridges.wrapped import Wrapped
from benchmark.domain import Completion, Document, Pipeline, Prompt, Writer
from benchmark.pipelines import Reading
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.chunkers import Recursive
from benchmark.search.vectors import DenseRecipe
from tests.fakes import EchoGenerator, HashEmbedder

GUIDE = Document(
    "magnesio",
    "# Sulfato de magnesio\n\nLa dosis de carga es de 4 g. Después se da 1 g por hora.\n\n## Vigilancia\n\n"
    "Se vigilan los reflejos cada hora. La diuresis se mide cada 4 horas.\n",
    "Sulfato de magnesio",
)
IRON = Document("hierro", "# Hierro\n\nEl hierro se da de rutina. Se toma lejos de la leche y del calcio.\n", "Hierro")
DOCUMENTS = (GUIDE, IRON)


@dataclass(frozen=True)
class Says:
    """A writer that replies by what its prompt has in it."""

    reply: Callable[[str], str]
    calls: list[Prompt] = field(default_factory=list)
    name: str = "says"

    def complete(self, prompt: Prompt) -> Completion:
        self.calls.append(prompt)
        return Completion(self.reply(prompt.user), 5, 2, seconds=0.25)


@dataclass(frozen=True)
class Completing(EchoGenerator):
    """A generator that completes prompts too, as models do."""

    prompts: list[Prompt] = field(default_factory=list)

    def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        return Completion("La dosis de carga es de 4 g [1].", 9, 4, seconds=0.5)


@pytest.fixture
def built() -> Callable[..., Pipeline]:
    """A pipeline of another library over the documents above, by its architecture and by its recipe's name."""

    def built(
        architecture: type[Wrapped],
        pipeline: str,
        *,
        documents: Sequence[Document] = DOCUMENTS,
        generator: EchoGenerator | None = None,
        writer: Writer | None = None,
        given: str = "whole",
        **fields: Any,
    ) -> Pipeline:
        embedder = HashEmbedder()
        parts: dict[str, Any] = {
            "chunker": Recursive(size=16, overlap=0),
            "embedder": embedder,
            "writer": writer or Says(lambda _: "nada"),
            "retrievers": {"bm25": Bm25Recipe(language="es"), "dense": DenseRecipe(embedder=embedder)},
            "language": "es",
            "reading": Reading(k=3),
            "candidates": 4,
            "documents": given,
            **fields,
        }
        recipe: Any = architecture(pipeline=pipeline, **parts)
        answering: Pipeline = recipe.build(documents, generator or EchoGenerator())
        return answering

    return built
