"""The nouns: frozen, and named as the field names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import fsum, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]
"""Vectors as rows, shape (texts, dimensions)."""


class UserError(Exception):
    """A mistake in what the user gave: the message says what was found, what was wanted and what to type."""


Role = Literal["rival", "floor", "ceiling", "yardstick"]
"""Rivals compete; the floor (random passages) and the ceiling (gold evidence) bound them; other yardsticks do not."""


def role_of(yardstick: object) -> Role | None:
    """The role that a yaml's or a file's ``yardstick`` says; ``None`` for what is no such value.

    >>> role_of(False), role_of(True), role_of("floor"), role_of("best")
    ('rival', 'yardstick', 'floor', None)
    """
    if isinstance(yardstick, bool):
        return "yardstick" if yardstick else "rival"
    named: dict[object, Role] = {"floor": "floor", "ceiling": "ceiling"}
    return named.get(yardstick) if isinstance(yardstick, str) else None


@dataclass(frozen=True, slots=True)
class Document:
    """A text of the corpus; ``metadata["tenant"]`` names the patient or customer whose queries alone may read it."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def tenant(self) -> str | None:
        tenant = self.metadata.get("tenant")
        return None if tenant is None else str(tenant)


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) of one document's text."""

    document_id: str
    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one character."""
        return self.document_id == other.document_id and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: ``text == document.text[span.start:span.end]``, always."""

    id: str
    span: Span
    text: str
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """All that an architecture sees of a question."""

    id: str
    text: str
    tenant: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Gold: a span and how much of the answer it supports (3 = all of it alone, 2 = a part, 1 = on topic)."""

    span: Span
    grade: int


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The passage nearest to an unanswerable question, and why it does not answer it."""

    span: Span
    why: str


@dataclass(frozen=True, slots=True)
class Question:
    """One item of the exam; ``reference`` is the gold answer and may be unknown.

    An answerable question without ``evidence`` is one whose gold nobody named. ``absent``: the documents that the exam
    names as gold (grade >= 2) and the corpus does not have.
    """

    query: Query
    reference: str | None
    answerable: bool = True
    evidence: tuple[Evidence, ...] = ()
    language: str = "en"
    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    hard_negatives: tuple[Span, ...] = ()
    nearest: NearMiss | None = None
    absent: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.query.id


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents and the exam over them; ``digest`` is a hash of both, ``language`` that of the documents."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    language: str
    digest: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk and the score that its finder gave it; higher is better."""

    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked. Equal prompts with another ``sample`` index are another draw from the model.

    ``preamble``: how many characters of ``user`` stand there whatever is asked, such as examples.
    """

    system: str
    user: str
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sample: int = 0
    preamble: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply; ``seconds`` and ``money`` (``None``: no price known) are of when it was made, kept or not."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    cached: bool = False
    finish_reason: str | None = None
    cached_tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """What it cost to embed texts at an endpoint, kept ones at the price of their making.

    ``tokens``, ``money`` (in the currency of the price table): ``None`` where those of at least one text are not known.
    """

    texts: int
    tokens: int | None
    money: float | None

    @classmethod
    def sum_of(cls, parts: Sequence[Embedded]) -> Embedded | None:
        """All of them as one, to the bit the same in whatever order they came; ``None`` where there is none."""
        if not parts:
            return None
        tokens = [part.tokens for part in parts if part.tokens is not None]
        money = [part.money for part in parts if part.money is not None]
        return cls(
            sum(part.texts for part in parts),
            sum(tokens) if len(tokens) == len(parts) else None,
            fsum(money) if len(money) == len(parts) else None,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One stage of an answer: what it took and produced.

    The first word of its name is its kind: retrieve, fuse, rerank, widen, hypothesise, rewrite, generate, abstain, or
    one of an architecture's own. Where a question was lost is read off it.
    """

    name: str
    seconds: float
    cached: bool = False
    hits: tuple[Hit, ...] = ()
    completions: tuple[Completion, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """An answer; ``context`` is what the generator was really given, in that order.

    ``retrieves`` is False for a pipeline without a retriever: its retrieval metrics are not measured rather than 0.
    ``embedded``: what was embedded at an endpoint for it, over all steps; the harness fills it in, no pipeline does.
    """

    answer: str
    abstained: bool
    context: tuple[Hit, ...]
    steps: tuple[Step, ...]
    retrieves: bool = True
    embedded: Embedded | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question and the response to it."""

    question: Question
    response: Response


@dataclass(frozen=True, slots=True)
class Verdict:
    """One ruling of a judge on one claim."""

    claim: str
    holds: bool
    reason: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ImpliedQuestion:
    """A question that the answer would be an answer to; ``similarity`` is its cosine with the real one, in [-1, 1]."""

    text: str
    noncommittal: bool
    similarity: float


@dataclass(frozen=True, slots=True)
class RelevancyScale:
    """How raw similarities read on a corpus: ``zero`` reads as 0, ``one`` as 1, clipped to [0, 1] in between.

    ``auc`` is the chance that a question is nearer to its own reference than to another's; ``None`` where not measured.
    The default scale changes nothing.
    """

    zero: float = 0.0
    one: float = 1.0
    auc: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and where: never an answer text, never a score of 0."""

    stage: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"failed at {self.stage}: {self.kind}: {self.message}"


NOTHING_STATED = "NothingStated"  # the kind of failure of a judge that finds no statement in the reference, each time


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of models at endpoints by a judge, or to index; ``None``: at least one call does not tell.

    ``calls`` and tokens are those of models that write. ``embedded``: what was embedded beside. ``money``: of both.
    """

    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    money: float | None
    embedded: Embedded | None = None


@dataclass(frozen=True, slots=True)
class Rulings:
    """What a judge ruled on one outcome; ``None`` where it was not asked, a failure where it could not say.

    ``statements``: the answer's claims. ``supported``: one verdict per statement, against the whole context.
    ``useful``: one verdict per passage of the context. ``attributed``: one verdict per sentence of the reference,
    against the whole context. ``conveyed``: the same, against the answer. ``implied``: questions read off the answer.
    ``failures``: their ``stage`` is the name of the field that is missing. ``cost``: of what was asked for all this.
    """

    statements: tuple[str, ...] | None = None
    supported: tuple[Verdict, ...] | None = None
    useful: tuple[Verdict, ...] | None = None
    attributed: tuple[Verdict, ...] | None = None
    conveyed: tuple[Verdict, ...] | None = None
    implied: tuple[ImpliedQuestion, ...] | None = None
    scale: RelevancyScale = RelevancyScale()
    failures: tuple[Failure, ...] = ()
    cost: Asked | None = None

    def why_missing(self, ruling: str) -> str:
        """The reason for which the ruling of that name is ``None``."""
        return next((f.message for f in self.failures if f.stage == ruling), "the judge was not asked")


@dataclass(frozen=True, slots=True)
class Score:
    """A number, or ``None`` for NOT MEASURED; ``why`` says how it came about, or why it did not."""

    value: float | None
    why: str

    def __post_init__(self) -> None:
        if self.value is not None and not isfinite(self.value):
            raise ValueError(f"a score is a finite number or None, not {self.value}: {self.why}")
        if self.value is None and not self.why:
            raise ValueError("a score that was not measured says why")


class Cause(StrEnum):
    """Where a question was lost, or that it was not; ``NO_GOLD`` and ``NOT_JUDGED``: what it would take to say so."""

    CORRECT = "correct"
    LUCKY = "lucky"
    NOT_IN_CORPUS = "not_in_corpus"
    SPLIT_BY_CHUNKING = "split_by_chunking"
    NOT_RETRIEVED = "not_retrieved"
    LOST_IN_FUSION = "lost_in_fusion"
    LOST_IN_RERANKING = "lost_in_reranking"
    CUT_BY_K = "cut_by_k"
    CUT_BY_TOKENS = "cut_by_tokens"
    NOT_USED = "not_used"
    UNSUPPORTED = "unsupported"
    WRONGLY_REFUSED = "wrongly_refused"
    WRONGLY_ANSWERED = "wrongly_answered"
    RIGHTLY_REFUSED = "rightly_refused"
    NO_RETRIEVAL = "no_retrieval"
    NO_GOLD = "no_gold"
    NOT_JUDGED = "not_judged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of one question in one run: one line of ``records.jsonl``."""

    question: Question
    response: Response | None
    rulings: Rulings
    scores: Mapping[str, Score]
    cause: Cause
    failure: Failure | None = None

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The question's, or its judge's: what is missing for now and another try may bring."""
        unruled = tuple(failure for failure in self.rulings.failures if failure.kind != NOTHING_STATED)
        return unruled if self.failure is None else (self.failure,)
