"""No retrieval: the generator answers from its own memory. The floor that retrieval must beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Document, Generator, Pipeline, Query, Response, UserError
from benchmark.pipelines import ClosedBookGenerator, answered
from benchmark.stopwatch import stopwatch


@dataclass(frozen=True, kw_only=True)
class ClosedBook:
    """Answer without any document: the only architecture that asks a generator for what it remembers."""

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:  # noqa: ARG002  # the protocol's
        if not isinstance(generator, ClosedBookGenerator):
            raise UserError(
                f"architecture=closed_book asks the generator for what it remembers, but {type(generator).__name__} "
                "has no method answer_closed_book(query). Write it, or choose another generator or architecture"
            )
        return ReadNothing(generator)


@dataclass(frozen=True)
class ReadNothing:
    generator: ClosedBookGenerator

    def answer(self, query: Query) -> Response:
        with stopwatch() as watch:
            completion = self.generator.answer_closed_book(query)
        return answered(completion, watch, retrieves=False)
