"""What a model makes of a drafted question: with its passages alone, with none, and with all that a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Chunk, Generator, Hit, Judge, Question
from benchmark.drafting.nouns import Filtered
from benchmark.pipelines import ClosedBookGenerator
from benchmark.text import is_abstention, without_passage_numbers


@dataclass(frozen=True)
class Examinee:
    """``reader`` answers from passages, ``knower`` from memory; the judge rules whether that conveys the reference."""

    reader: Generator
    knower: ClosedBookGenerator
    judge: Judge

    def supported(self, question: Question, quotes: Sequence[str]) -> Filtered:
        """Turned down where the judge does not find every sentence of the reference in the quotes."""
        missing = self._missing(question, quotes)
        if missing is None:
            return Filtered(True, "the judge finds the whole reference in the quotes")
        return Filtered(False, f"the judge does not find the reference in the quotes ({missing})")

    def needs_all(self, question: Question, quotes: Sequence[str]) -> Filtered:
        """Turned down where one of several quotes says the whole reference by itself."""
        whole = [quote for quote in quotes if self._missing(question, [quote]) is None]
        if whole:
            return Filtered(False, f"one quote says the whole reference by itself: {_shown(whole[0])}")
        return Filtered(True, "no quote says the whole reference by itself")

    def passage_alone(self, question: Question, passages: Sequence[Chunk]) -> Filtered:
        """Turned down where the passages alone do not lead to the reference."""
        answer = self.reader.answer(question.query, [Hit(passage, 1.0) for passage in passages]).text
        missing = self._unlike(question, answer)
        if missing is None:
            return Filtered(True, f"read with its passage alone, the answer is: {_shown(answer)}")
        return Filtered(False, f"read with its passage alone, the answer is: {_shown(answer)} ({missing})")

    def closed_book(self, question: Question) -> Filtered:
        """Turned down where the answer is general knowledge: the model gives it without any passage."""
        answer = self.knower.answer_closed_book(question.query).text
        if self._unlike(question, answer) is None:
            return Filtered(False, f"answered without any passage: {_shown(answer)}")
        return Filtered(True, f"without a passage the answer is: {_shown(answer)}")

    def unanswered(self, question: Question, pool: Sequence[Hit]) -> Filtered:
        """Turned down where a reader of all that was found for the question answers it."""
        answer = self.reader.answer(question.query, pool).text
        if is_abstention(answer):
            return Filtered(True, f"a reader of the {len(pool)} passages found for it abstains")
        return Filtered(False, f"a reader of the {len(pool)} passages found for it answers: {_shown(answer)}")

    def _unlike(self, question: Question, answer: str) -> str | None:
        """What keeps an answer from conveying the reference; ``None`` where it does."""
        if not answer.strip() or is_abstention(answer):
            return "it abstains"
        return self._missing(question, [without_passage_numbers(answer)])

    def _missing(self, question: Question, texts: Sequence[str]) -> str | None:
        """What of the reference the judge does not find in texts; ``None`` where it finds all."""
        verdicts = self.judge.attributed(question.query.text, question.reference or "", texts)
        if not verdicts:
            return "the judge finds no statement in the reference"
        return next((f"not in it: {verdict.claim}" for verdict in verdicts if not verdict.holds), None)


def _shown(answer: str) -> str:
    text = " ".join(answer.split())
    return repr(text if len(text) <= 200 else f"{text[:200]} ...")
