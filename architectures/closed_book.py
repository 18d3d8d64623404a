"""No retrieval: the generator answers from its own memory. The floor that retrieval must beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Document, Generator, Pipeline, Query, Response
from benchmark.pipelines import read


@dataclass(frozen=True, kw_only=True)
class ClosedBook:
    """Answer without any document."""

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:  # noqa: ARG002  # the protocol's
        return ReadNothing(generator)


@dataclass(frozen=True)
class ReadNothing:
    generator: Generator

    def answer(self, query: Query) -> Response:
        return read(self.generator, query, (), (), retrieves=False)
