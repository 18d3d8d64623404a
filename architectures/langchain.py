"""A LangChain retriever or chain, as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.bridges.wrapped import Wrapped
from benchmark.domain import Document, Generator, Pipeline
from benchmark.stopwatch import off_the_clock


@dataclass(frozen=True, kw_only=True)
class LangChain(Wrapped):
    """Let LangChain retrieve, or answer too where ``pipeline`` makes a whole chain; see ``Wrapped`` for the fields.

    ``question``: the key under which a chain wants the question, such as ``input``; ``None``: as a bare text.
    """

    question: str | None = None

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline:
        with off_the_clock():
            from benchmark.bridges.langchain import LangChainLibrary
        return self.over(LangChainLibrary(self.question), documents, generator)
