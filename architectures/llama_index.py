"""A LlamaIndex retriever or query engine, as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.bridges.wrapped import Wrapped
from benchmark.domain import Document, Generator, Pipeline
from benchmark.stopwatch import off_the_clock


@dataclass(frozen=True, kw_only=True)
class LlamaIndex(Wrapped):
    """Let LlamaIndex retrieve, or answer too where ``pipeline`` makes a query engine; see ``Wrapped`` for the fields.

    An engine that synthesises nothing (``response_mode="no_text"``) retrieves, and the generator answers.
    """

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        with off_the_clock():
            from benchmark.bridges.llama_index import LlamaIndexLibrary
        return self.over(LlamaIndexLibrary(), documents, generator)
