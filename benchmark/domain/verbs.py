"""The verbs: what a part must be able to do, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from benchmark.domain.nouns import (
    Chunk,
    Completion,
    Document,
    FloatMatrix,
    Hit,
    ImpliedQuestion,
    Outcome,
    Prompt,
    Query,
    Question,
    RelevancyScale,
    Response,
    Rulings,
    Score,
    Span,
    Verdict,
)


@runtime_checkable
class Chunker(Protocol):
    def __call__(self, document: Document, /) -> Iterable[Chunk]: ...


@runtime_checkable
class Embedder(Protocol):
    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        """Unit vectors, shape (len(texts), dimensions)."""


@runtime_checkable
class Retriever(Protocol):
    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        """At most ``k`` hits that the query's tenant may read, best first."""


@runtime_checkable
class Recipe(Protocol):
    """How to make a retriever over chunks: what ``conf/retriever/*.yaml`` name."""

    def over(self, chunks: Sequence[Chunk]) -> Retriever: ...


@runtime_checkable
class Reranker(Protocol):
    def rerank(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[Hit, ...]: ...


@runtime_checkable
class Generator(Protocol):
    """Who answers, from the passages alone; without any it abstains, whatever it remembers. What a sweep varies."""

    @property
    def name(self) -> str: ...

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion: ...


@runtime_checkable
class Writer(Protocol):
    """Who writes hypotheses and rewrites for retrieval."""

    @property
    def name(self) -> str: ...

    def complete(self, prompt: Prompt) -> Completion: ...


@runtime_checkable
class Pipeline(Protocol):
    def answer(self, query: Query) -> Response: ...


@runtime_checkable
class Architecture(Protocol):
    """A recipe: documents and a generator go in, a pipeline that answers questions comes out."""

    def build(self, documents: Sequence[Document], generator: Generator) -> Pipeline: ...


@runtime_checkable
class GoldArchitecture(Protocol):
    """An architecture whose yaml asks for the exam's gold evidence (``role.gold: true``): the upper bound."""

    def with_gold(self, gold: Mapping[str, Sequence[Span]]) -> Architecture:
        """The same with the spans that support the answer, by query id."""


@runtime_checkable
class Judge(Protocol):
    """Answers the questions that the RAGAS formulas ask; never sees gold evidence."""

    @property
    def name(self) -> str: ...

    def statements(self, question: str, answer: str) -> tuple[str, ...]: ...
    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]: ...
    def useful(self, question: str, passage: str, reference: str) -> Verdict: ...
    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]: ...
    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]: ...
    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale: ...


@runtime_checkable
class Metric(Protocol):
    def __call__(self, outcome: Outcome, rulings: Rulings, /) -> Score: ...


@runtime_checkable
class Memory(Protocol):
    """What floor 3 remembers through: bytes kept under a digest."""

    def get(self, key: str) -> bytes | None: ...
    def put(self, key: str, value: bytes) -> None: ...
