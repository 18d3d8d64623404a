"""Shapes that many architectures share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Protocol, runtime_checkable

from benchmark.domain import (
    Chunk,
    Chunker,
    Completion,
    Document,
    Generator,
    Hit,
    Query,
    Reranker,
    Response,
    Retriever,
    Step,
    UserError,
)
from benchmark.stopwatch import Stopwatch, stopwatch
from benchmark.text import abstention, count_tokens, is_abstention, sentences, without_passage_numbers


@runtime_checkable
class Staged(Protocol):
    """A retriever of several stages: as ``search``, but with every stage; the last one's hits are the result."""

    def stages(self, query: Query, k: int) -> tuple[Step, ...]: ...


@runtime_checkable
class Noticing(Protocol):
    """A pipeline, or a part of one, with something to tell the user when a run is over."""

    def notices(self) -> Sequence[str]: ...


def noticed(part: object) -> Sequence[str]:
    """What a part itself has to tell."""
    return part.notices() if isinstance(part, Noticing) else ()


def notices(part: object) -> Iterator[str]:
    """What a part has to tell, and the parts that its fields hold."""
    yield from noticed(part)
    if isinstance(part, Mapping):
        for held in part.values():
            yield from notices(held)
    elif is_dataclass(part) and not isinstance(part, type):
        for held in fields(part):
            yield from notices(getattr(part, held.name))


@runtime_checkable
class Speaking(Protocol):
    """A generator that has a language: it is the one to abstain in."""

    @property
    def language(self) -> str: ...


@runtime_checkable
class ClosedBookGenerator(Protocol):
    """A generator that can also be asked, by name, for what it remembers: what ``closed_book`` stands on."""

    def answer_closed_book(self, query: Query) -> Completion:
        """An answer without a corpus, or an abstention where the generator has no memory."""
        ...


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What every architecture gives its generator: at most ``k`` passages, within ``context_tokens`` if set."""

    k: int = 5
    context_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.k <= 0:
            raise UserError(f"k is {self.k}: a generator reads at least one passage, for instance k=5")
        if self.context_tokens is not None and self.context_tokens <= 0:
            raise UserError(
                f"context_tokens is {self.context_tokens}: it is null (no limit) or a number of tokens above 0"
            )

    def context(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The longest beginning of the ranking that fits, in whole passages."""
        kept: list[Hit] = []
        room = self.context_tokens
        for hit in hits[: self.k]:
            if room is not None:
                room -= count_tokens(hit.chunk.text)
                if room < 0:
                    break
            kept.append(hit)
        return tuple(kept)


def chunked(documents: Sequence[Document], chunker: Chunker) -> list[Chunk]:
    """All chunks of all documents, in order."""
    return [chunk for document in documents for chunk in chunker(document)]


def retrieve(retriever: Retriever, query: Query, k: int) -> tuple[Step, ...]:
    """The stages of a search; at least one, and the last one's hits are the result."""
    if isinstance(retriever, Staged):
        return retriever.stages(query, k)
    with stopwatch() as watch:
        hits = retriever.search(query, k)
    return (Step("retrieve", watch.seconds, watch.cached, hits),)


@runtime_checkable
class Asking(Protocol):
    """A reranker that asks a model: as ``rerank``, with the calls that it took."""

    def reranked(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[tuple[Hit, ...], tuple[Completion, ...]]: ...


def rerank(reranker: Reranker, query: Query, hits: Sequence[Hit], k: int) -> Step:
    """The stage of a reranker."""
    with stopwatch() as watch:
        if isinstance(reranker, Asking):
            best, completions = reranker.reranked(query, hits, k)
        else:
            best, completions = reranker.rerank(query, hits, k), ()
    return Step("rerank", watch.seconds, watch.cached, best, completions)


def read(generator: Generator, query: Query, context: Sequence[Hit], steps: Sequence[Step]) -> Response:
    """Let the generator answer from the context, and put its step behind the others.

    An empty context is answered by an abstention, and the step is ``abstain``: no generator is asked, since one with
    a memory would answer from it, and the answer would pass for the corpus's.
    """
    if not context:
        language = generator.language if isinstance(generator, Speaking) else "en"
        return Response(abstention(language), True, (), (*steps, Step("abstain", 0.0)))
    with stopwatch() as watch:
        completion = generator.answer(query, context)
    return answered(completion, watch, context, steps)


def answered(
    completion: Completion,
    watch: Stopwatch,
    context: Sequence[Hit] = (),
    steps: Sequence[Step] = (),
    *,
    retrieves: bool = True,
) -> Response:
    """The response that a completion makes, its step behind the others; ``watch`` timed it."""
    answer = completion.text.strip()
    step = Step("generate", watch.seconds, watch.cached or completion.cached, (), (completion,))
    return Response(answer, abstained(answer), tuple(context), (*steps, step), retrieves)


def abstained(answer: str) -> bool:
    """Whether an answer says that it does not know; an empty answer says nothing.

    Its first sentence abstains, and no sentence that cites a passage says anything else: "There is no information. Ask
    your doctor." abstains, a quoted "There are no data on its use [1]" before a cited answer does not.
    """
    said = sentences(answer, "en")  # full stops are alike enough in every language
    if not said:
        return True
    cited = [sentence for sentence in said if sentence != without_passage_numbers(sentence)]
    return is_abstention(said[0]) and all(is_abstention(sentence) for sentence in cited)


@dataclass(frozen=True)
class RetrieveThenRead:
    """Rank ``candidates`` passages, read the first of them."""

    retriever: Retriever
    generator: Generator
    reading: Reading
    candidates: int = 20

    def answer(self, query: Query) -> Response:
        steps = retrieve(self.retriever, query, max(self.candidates, self.reading.k))
        return read(self.generator, query, self.reading.context(steps[-1].hits), steps)
