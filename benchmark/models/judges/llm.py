"""A judge that asks a model behind an endpoint, with the house's own prompts, for verdicts with reasons."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, cast

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, create_model

from benchmark.digest import digest
from benchmark.domain import Embedder, ImpliedQuestion, Question, RelevancyScale, Verdict
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.fencing import asked_of, key_of, numbered
from benchmark.prompts import languages, version
from benchmark.text import sentences, without_passage_numbers

TASKS = ("judge_statements", "judge_supported", "judge_attributed", "judge_useful", "judge_implied")

_FORM = 1
"""Of the replies asked for and of the marks: raised when the same prompts would be answered otherwise."""


@dataclass(frozen=True, kw_only=True)
class LlmJudge:
    """The operations of a judge, each one request; ``embedder`` gives the nearness of questions.

    ``language``: of the questions and answers, and so of the prompts. What a model replies is taken as it is or not at
    all: a reply that does not rule on each claim once, with true or false, is sent back once, and then is a
    ``BadReplyError``.
    """

    llm: ChatModel
    embedder: Embedder
    language: str

    def __post_init__(self) -> None:
        if self.language not in languages(TASKS[0]):
            known = ", ".join(languages(TASKS[0]))
            warnings.warn(
                f"judge=llm has prompts in {known}, none in {self.language!r}: it asks in English", stacklevel=2
            )

    @property
    def name(self) -> str:
        prompts = digest(_FORM, [version(task, self.language) for task in TASKS])[:12]
        return f"llm-{prompts}/{self.language}/{self.llm.name}/{self.embedder.name}"

    @property
    def in_flight(self) -> int:
        """How many operations at once are worth having."""
        return self.llm.in_flight

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        """What the answer states, each understood by itself; nothing for one that only says that it does not know."""
        told = without_passage_numbers(answer).strip()
        if not told:
            return ()
        asked = asked_of("judge_statements", self.language, {"question": question, "answer": told})
        return self.llm.ask(asked, Statements).statements

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per statement against all passages together."""
        return self._verdicts("judge_supported", statements, context)

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per sentence of the reference against all passages together.

        The sentences are found without the model, so that every run counts the same ones.
        """
        found = sentences(without_passage_numbers(reference), self.language)
        return self._verdicts("judge_attributed", found, context, question=question)

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        """Whether the passage says a fact of the reference; asked of it alone, so equal for whoever retrieved it."""
        if not passage.strip():
            return Verdict(reference, holds=False, reason="the passage is empty")
        texts = {"question": question, "answer": reference, "passage": passage}
        ruled = self.llm.ask(asked_of("judge_useful", self.language, texts), Usefulness)
        return Verdict(reference, ruled.useful, ruled.reason)

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        """``n`` questions of one reply, which does not know the real one; noncommittal is ruled on once, with a reason.

        Nothing for an empty answer.
        """
        told = without_passage_numbers(answer).strip()
        if not told:
            return ()
        reply = self.llm.ask(asked_of("judge_implied", self.language, {"answer": told}, count=n), _implied_by(n))
        found = [str(getattr(reply, key_of("question", place))) for place in range(n)]
        vectors = np.asarray(self.embedder.embed([question, *found], role="query"), dtype=np.float64)
        return tuple(
            ImpliedQuestion(text, bool(reply.noncommittal), float(np.clip(cosine, -1.0, 1.0)))  # type: ignore[attr-defined]  # made below
            for text, cosine in zip(found, vectors[1:] @ vectors[0], strict=True)
        )

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:  # noqa: ARG002 - the verb's shape
        """The scale that changes nothing: a model's questions are near the real one when the answer is to the point."""
        return RelevancyScale()

    def _verdicts(self, task: str, claims: Sequence[str], context: Sequence[str], **texts: str) -> tuple[Verdict, ...]:
        passages = [passage for passage in context if passage.strip()]
        if not claims:
            return ()
        if not passages:
            return tuple(Verdict(claim, holds=False, reason="there is nothing to compare") for claim in claims)
        asked = asked_of(
            task,
            self.language,
            {**texts, "passages": numbered("passage", passages), "statements": numbered("statement", claims)},
            count=len(claims),
        )
        reply = self.llm.ask(asked, _rulings_on(len(claims)))
        rulings = (cast(Ruling, getattr(reply, key_of("statement", place))) for place in range(len(claims)))
        return tuple(
            Verdict(claim, ruling.supported, ruling.reason) for claim, ruling in zip(claims, rulings, strict=True)
        )


# ------------------------------------------------------------------------------------------------------- the replies


def _told(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is empty")
    return text.strip()


Told = Annotated[str, AfterValidator(_told)]
"""Not said in the schema: strict servers refuse one with a least length."""


class Statements(BaseModel):
    statements: tuple[Told, ...]


class Usefulness(BaseModel):
    reason: str
    useful: bool


class Ruling(BaseModel):
    """The reason stands first: a model that has written it rules by it."""

    reason: str
    supported: bool


@cache
def _rulings_on(count: int) -> type[BaseModel]:
    """A field for each statement by its number: one cannot be left out, doubled or moved without being seen."""
    fields: dict[str, Any] = {key_of("statement", place): (Ruling, ...) for place in range(count)}
    return create_model("Rulings", __config__=ConfigDict(extra="forbid"), **fields)


@cache
def _implied_by(count: int) -> type[BaseModel]:
    fields: dict[str, Any] = {key_of("question", place): (Told, ...) for place in range(count)}
    return create_model(
        "ImpliedQuestions",
        __config__=ConfigDict(extra="forbid"),
        tells=(str, ...),
        noncommittal=(bool, ...),
        **fields,
    )
