"""Who grades the passages of a pool from 0 to 3: a model at an endpoint, or any judge by its rulings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, create_model

from benchmark.domain import Hit, Judge, Question
from benchmark.drafting.nouns import Relevance
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.fencing import Texts, asked_of, key_of, numbered
from benchmark.text import stem_set

_ON_TOPIC = 0.5
"""The share of the question's content words from which a passage is on its topic, for judges that do not tell."""


class Grader(Protocol):
    @property
    def tasks(self) -> tuple[str, ...]:
        """The prompts that it asks with, beside a judge's own."""

    def grades(self, question: Question, hits: Sequence[Hit]) -> tuple[Relevance, ...]:
        """One for each hit: 0 beside the question, 1 on topic, 2 a part of the answer, 3 all of it."""


class Graded(BaseModel):
    """The reason stands first: a model that has written it grades by it."""

    reason: str
    grade: Literal[0, 1, 2, 3]


@cache
def _grades_of(count: int) -> type[BaseModel]:
    fields: dict[str, Any] = {key_of("passage", place): (Graded, ...) for place in range(count)}
    return create_model("Grades", __config__=ConfigDict(extra="forbid"), **fields)


@dataclass(frozen=True)
class ChatGrader:
    """One structured reply for a whole pool."""

    llm: ChatModel
    language: str

    @property
    def tasks(self) -> tuple[str, ...]:
        return ("judge_relevance",)

    def grades(self, question: Question, hits: Sequence[Hit]) -> tuple[Relevance, ...]:
        if not hits:
            return ()
        texts: Texts = {
            "question": question.query.text,
            "answer": question.reference or "",
            "passages": numbered("passage", [hit.chunk.text for hit in hits]),
        }
        asked = asked_of("judge_relevance", self.language, texts, count=len(hits))
        reply = self.llm.ask(asked, _grades_of(len(hits)))
        found: list[Graded] = [getattr(reply, key_of("passage", place)) for place in range(len(hits))]
        return tuple(
            Relevance(hit.chunk.span, one.grade, one.reason.strip() or "no reason given")
            for hit, one in zip(hits, found, strict=True)
        )


@dataclass(frozen=True)
class JudgeGrader:
    """3 where the judge finds every sentence of the reference in the passage alone, 2 where it finds some.

    No ruling tells a passage on the topic from one beside it: 1 goes by the question's words. An unanswerable question
    has no reference to be found, and is not graded.
    """

    judge: Judge
    language: str

    @property
    def tasks(self) -> tuple[str, ...]:
        return ()

    def grades(self, question: Question, hits: Sequence[Hit]) -> tuple[Relevance, ...]:
        return tuple(self._graded(question, hit) for hit in hits) if question.answerable else ()

    def _graded(self, question: Question, hit: Hit) -> Relevance:
        verdicts = self.judge.attributed(question.query.text, question.reference or "", [hit.chunk.text])
        held = [verdict for verdict in verdicts if verdict.holds]
        if held:
            return Relevance(hit.chunk.span, 3 if len(held) == len(verdicts) else 2, _shown(held[0].reason))
        wanted = stem_set(question.query.text, self.language)
        shared = len(wanted & stem_set(hit.chunk.text, self.language))
        why = f"nothing of the answer, as the judge has it; {shared} of the question's {len(wanted)} content words"
        return Relevance(hit.chunk.span, int(bool(wanted) and shared >= _ON_TOPIC * len(wanted)), why)


def _shown(reason: str) -> str:
    return reason.strip() or "the judge finds the answer in it"
