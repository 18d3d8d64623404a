"""A pipeline of another library, built once for every reader and asked like one of ours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from benchmark.bridges.building import Parts, asked_for, is_recipe, made, named
from benchmark.bridges.overhearing import Overheard, listening
from benchmark.bridges.places import Passage, Places
from benchmark.domain import (
    Chunk,
    Chunker,
    Completion,
    Document,
    Embedder,
    Generator,
    Pipeline,
    Query,
    Recipe,
    Response,
    Retriever,
    Step,
    UserError,
    Writer,
)
from benchmark.pipelines import Reading, abstained, chunked, read
from benchmark.search.tenants import PerTenant
from benchmark.stopwatch import off_the_clock, stopwatch

PARTS = (
    *("documents", "chunks", "embedder", "writer", "generator", "retrievers"),
    *("k", "candidates", "language", "tenant"),
)
"""What a recipe may ask for."""

_CURE = (
    "Give them the metadata `source` (the document's id) and `start_index`, or leave their text as it is in the "
    "document"
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a pipeline gave: its passages, best first (``None``: it shows none), and its own answer, if it has one."""

    passages: tuple[Passage, ...] | None
    answer: str | None = None


class Library(Protocol):
    """What differs from one library to another; objects are of the library's classes."""

    def documents(self, documents: Sequence[Document]) -> list[object]: ...
    def chunks(self, chunks: Sequence[Chunk], documents: Mapping[str, Document]) -> list[object]: ...
    def embedder(self, embedder: Embedder) -> object: ...
    def model(self, writer: Writer, max_tokens: int) -> object: ...
    def retriever(self, retriever: Retriever, tenant: str | None, k: int) -> object: ...
    def asker(self, pipeline: object, candidates: int) -> Callable[[str], Told]:
        """How to ask what a recipe made. Raises a ``UserError`` where it is nothing that can be asked."""


@dataclass(frozen=True, kw_only=True)
class Wrapped:
    """The fields that architectures over other libraries share.

    ``pipeline``: ``module:name`` of a function or class that is called with those of these that its parameters name, or
    of a ready pipeline: ``documents`` (whole, or ``chunks`` as ``documents: chunks`` says), ``chunks``, ``embedder``,
    ``writer``, ``generator``, ``retrievers`` (ours, by name), ``k``, ``candidates``, ``language``, ``tenant``.
    ``options``: its other parameters. ``max_tokens``: of one reply of ``writer`` or ``generator`` there.
    """

    pipeline: str
    chunker: Chunker
    embedder: Embedder
    writer: Writer
    retrievers: Mapping[str, Recipe]
    language: str
    reading: Reading
    options: Mapping[str, object] = field(default_factory=dict)
    documents: Literal["whole", "chunks"] = "whole"
    max_tokens: int = 128
    candidates: int = 20

    def __post_init__(self) -> None:
        """What cannot be named, or asks for what nothing gives, is found before anything is written."""
        with off_the_clock():
            found = named(self.pipeline)
        if callable(found) and is_recipe(found):
            asked_for(found, self.pipeline, PARTS, self.options)

    def over(self, library: Library, documents: Sequence[Document], generator: Generator) -> Pipeline:
        """The pipeline, built for every tenant apart over what that tenant may read.

        Raises:
            UserError: it cannot be built, or is ready made and the corpus has documents of tenants.
        """
        found = named(self.pipeline)
        worded = [document for document in documents if document.text.strip()]
        tenants = sorted({document.tenant for document in worded if document.tenant is not None})
        if tenants and not is_recipe(found):
            raise UserError(
                f"{self.pipeline} is a ready pipeline, and the corpus has documents that only {tenants[0]} and other "
                "tenants may read: it would show one's to another.\n"
                "    to do:  name a function that builds it; it is called for each tenant with what that one may read"
            )

        def asked_by(readable: Sequence[Document]) -> Reader:
            tenant = next((document.tenant for document in readable if document.tenant is not None), None)
            ask = self._asker(found, library, readable, tenant, generator) if readable else None
            return Reader(Places.of(readable), ask)

        return AskThenRead(self.pipeline, PerTenant(worded, asked_by), generator, self.reading, Mapped())

    def _asker(
        self, found: object, library: Library, documents: Sequence[Document], tenant: str | None, generator: Generator
    ) -> Callable[[str], Told]:
        built = found
        if callable(found) and is_recipe(found):
            parts = self._parts(library, documents, tenant, generator)
            built = made(found, self.pipeline, parts, self.options)
        return library.asker(built, max(self.candidates, self.reading.k))

    def _parts(
        self, library: Library, documents: Sequence[Document], tenant: str | None, generator: Generator
    ) -> Parts:
        depth = max(self.candidates, self.reading.k)
        chunks = chunked(documents, self.chunker)
        by_id = {document.id: document for document in documents}

        def cut() -> object:
            return library.chunks(chunks, by_id)

        def answering() -> object:
            if not isinstance(generator, Writer):
                raise UserError(
                    f"{self.pipeline} asks for the generator as a model, and {generator.name} completes no prompts.\n"
                    "    to do:  choose a model, such as generator=openai, or take its parameter `generator` out and "
                    "return a retriever: the generator then reads its passages"
                )
            return library.model(Overheard(generator, "generator"), self.max_tokens)

        return {
            "documents": cut if self.documents == "chunks" else lambda: library.documents(documents),
            "chunks": cut,
            "embedder": lambda: library.embedder(self.embedder),
            "writer": lambda: library.model(Overheard(self.writer, "writer"), self.max_tokens),
            "generator": answering,
            "retrievers": lambda: {
                name: library.retriever(recipe.over(chunks), tenant, depth) for name, recipe in self.retrievers.items()
            },
            "k": lambda: self.reading.k,
            "candidates": lambda: depth,
            "language": lambda: self.language,
            "tenant": lambda: tenant,
        }


@dataclass(frozen=True)
class Reader:
    """What one tenant may read, and how to ask the pipeline over it; ``None`` where there is nothing to read."""

    places: Places
    ask: Callable[[str], Told] | None


@dataclass
class Mapped:
    """How many passages were found in the corpus."""

    passages: int = 0
    lost: int = 0
    example: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count(self, passages: int, lost: Sequence[Passage]) -> None:
        with self._lock:
            self.passages += passages
            self.lost += len(lost)
            if lost and not self.example:
                self.example = " ".join(lost[0].text.split())[:60]

    def notices(self, of: str, cure: str = _CURE) -> tuple[str, ...]:
        """The share that could not be mapped, with an example and what to do."""
        if not self.lost:
            return ()
        return (
            f"{of}: {self.lost} of {self.passages} passages ({self.lost / self.passages:.1%}) stand nowhere in the "
            f"corpus and are left out, such as {self.example!r}. {cure}",
        )


@dataclass(frozen=True)
class AskThenRead:
    """Ask the other library; where it has no answer of its own, the generator reads its passages."""

    pipeline: str
    readers: PerTenant[Document, Reader]
    generator: Generator
    reading: Reading
    mapped: Mapped

    def notices(self) -> tuple[str, ...]:
        return self.mapped.notices(self.pipeline)

    def answer(self, query: Query) -> Response:
        reader = self.readers.at(query.tenant)
        if reader.ask is None or not query.text.strip():
            return read(self.generator, query, (), [Step("retrieve", 0.0)])
        with stopwatch() as watch, listening() as heard:
            told = reader.ask(query.text)
        passages = told.passages or ()
        hits, lost = reader.places.hits(passages)
        self.mapped.count(len(passages), lost)
        answering = (*heard.generator, *heard.own)
        seconds = sum(completion.seconds for completion in answering)
        cached = watch.cached or any(completion.cached for completion in heard.writer)
        found = Step("retrieve", max(0.0, watch.seconds - seconds), cached, hits, tuple(heard.writer))
        if told.answer is None:
            if answering:
                found = Step("retrieve", watch.seconds, cached, hits, (*heard.writer, *answering))
            return read(self.generator, query, self.reading.context(hits), [found])
        written = Step(
            "generate",
            seconds,
            any(completion.cached for completion in answering),
            (),
            answering or (Completion(told.answer),),  # of which the pipeline tells nothing
        )
        answer = told.answer.strip()
        return Response(answer, abstained(answer), hits, (found, written), retrieves=told.passages is not None)
