"""What is said of a drafted question: who wrote it, what it passed, and what a judge found in the pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from benchmark.domain import Document, Evidence, Question, Span

SYNTHETIC = "synthetic"
"""The tag of a question that a model wrote."""


@dataclass(frozen=True, slots=True)
class Made:
    """What wrote a draft: the model, the prompt's name and digest, and the day (ISO 8601)."""

    model: str
    prompt: str
    prompt_digest: str
    date: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """Whether a draft passed one filter, and why."""

    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Relevance:
    """A judge's grade of a passage of the pool: 0 beside the question, 1 on topic, 2 a part of the answer, 3 all."""

    span: Span
    grade: int
    why: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A question that a model drafted from ``passages``; one that a filter turned down is kept with the reason."""

    question: Question
    made: Made
    filters: Mapping[str, Filtered]
    relevance: tuple[Relevance, ...]
    passages: tuple[Span, ...]

    @property
    def id(self) -> str:
        return self.question.id

    @property
    def kind(self) -> str:
        """The first tag that says more than that it is synthetic."""
        return next((tag for tag in self.question.tags if tag != SYNTHETIC), "")

    @property
    def proposed(self) -> Question:
        """The question as an exam would have it: what the judge found relevant in the pool is evidence too.

        A passage that overlaps one of the evidence, or one of a higher grade, adds nothing and is left out.
        """
        evidence = list(self.question.evidence)
        for one in sorted(self.relevance, key=lambda relevance: -relevance.grade):
            if one.grade >= 1 and not any(one.span.overlaps(known.span) for known in evidence):
                evidence.append(Evidence(one.span, one.grade))
        return replace(self.question, evidence=tuple(evidence))

    @property
    def turned_down(self) -> tuple[str, ...]:
        """The filters that it did not pass."""
        return tuple(name for name, filtered in self.filters.items() if not filtered.passed)


@dataclass(frozen=True, slots=True)
class Drafting:
    """What made a set of drafts: ``digest`` is that of the documents, ``prompts`` are digests by name.

    ``unusable``: how many replies became no draft, by the reason.
    """

    corpus: str
    digest: str
    language: str
    model: str
    prompts: Mapping[str, str]
    date: str
    unusable: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drafts:
    """A set of drafts over the documents that they were drafted from."""

    about: Drafting
    documents: tuple[Document, ...]
    drafts: tuple[Draft, ...]

    @property
    def in_order_of_review(self) -> tuple[Draft, ...]:
        """Those that a filter turned down stand behind the others."""
        return tuple(sorted(self.drafts, key=lambda draft: bool(draft.turned_down)))

    @property
    def kinds(self) -> dict[str, int]:
        """How many drafts there are of each kind."""
        return dict(Counter(draft.kind for draft in self.drafts))

    @property
    def turned_down(self) -> dict[str, int]:
        """How many drafts each filter turned down; one draft may be turned down by several."""
        names = dict.fromkeys((name for draft in self.drafts for name in draft.filters), 0)
        return names | Counter(name for draft in self.drafts for name in draft.turned_down)
