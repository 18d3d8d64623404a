"""Rulings: who is asked what, and what a failure leaves standing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from benchmark.domain import (
    NOTHING_STATED,
    Chunk,
    Hit,
    ImpliedQuestion,
    Outcome,
    Query,
    Question,
    RelevancyScale,
    Response,
    Rulings,
    Span,
    Verdict,
)
from benchmark.metrics import ragas
from benchmark.models.judges import rule

BY_MODE = (  # and the mean of the four
    ragas.answer_relevancy,
    ragas.context_precision,
    ragas.context_recall,
    ragas.mean,
)
SCALE = RelevancyScale(0.7, 0.9, 0.95)


@dataclass
class Scripted:
    """A judge that holds everything, breaks where it is told to, and notes what it was asked."""

    breaks: str = ""
    asked: list[tuple[object, ...]] = field(default_factory=list)
    name: str = "scripted"

    def _note(self, operation: str, *what: object) -> None:
        self.asked.append((operation, *what))
        if operation == self.breaks:
            raise TimeoutError(f"{operation} took too long")

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        self._note("statements", answer)
        return ("one", "two")

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        self._note("supported", tuple(statements), tuple(context))
        return tuple(Verdict(statement, True, "") for statement in statements)

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        self._note("useful", passage)
        return Verdict(passage, True, "")

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        self._note("attributed", tuple(context))
        return (Verdict(reference, True, ""),)

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        self._note("implied", n)
        return (ImpliedQuestion("one", False, 0.8),)

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:
        return SCALE


class Miscounting(Scripted):
    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        return (Verdict("one", True, ""),)


class FindingNothing(Scripted):
    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        return ()


def outcome(
    *,
    answerable: bool = True,
    abstained: bool = False,
    passages: Sequence[str] = ("p", "q"),
    reference: str | None = "r",
) -> Outcome:
    context = tuple(Hit(Chunk(text, Span("d", 0, len(text)), text), 1.0) for text in passages)
    return Outcome(Question(Query("1", "?"), reference, answerable), Response("a", abstained, context, ()))


def missing(rulings: Rulings) -> set[str]:
    names = ("statements", "supported", "useful", "attributed", "conveyed", "implied")
    return {name for name in names if getattr(rulings, name) is None}


def test_without_a_judge_nothing_is_ruled_and_the_scale_is_kept() -> None:
    assert rule(None, outcome(), scale=SCALE) == Rulings(scale=SCALE)


def test_a_judge_is_asked_everything_about_an_answerable_question() -> None:
    judge = Scripted()
    rulings = rule(judge, outcome(), scale=SCALE, implied=2)
    assert missing(rulings) == set()
    assert [operation for operation, *_ in judge.asked].count("useful") == 2
    assert ("attributed", ("p", "q")) in judge.asked
    assert ("attributed", ("a",)) in judge.asked
    assert ("implied", 2) in judge.asked
    assert rulings.scale == SCALE


def test_of_an_unanswerable_question_only_hallucination_is_asked() -> None:
    assert missing(rule(Scripted(), outcome(answerable=False), scale=SCALE)) == {
        "useful",
        "attributed",
        "conveyed",
        "implied",
    }


def test_as_the_library_does_an_unanswerable_question_is_ruled_on_like_any_other() -> None:
    asked = outcome(answerable=False)
    rulings = rule(Scripted(), asked, scale=SCALE, unanswerable="ragas")
    assert missing(rulings) == set()
    assert ragas.faithfulness(asked, rulings).value is not None
    assert all(metric(asked, rulings, unanswerable="ragas").value is not None for metric in BY_MODE)
    assert missing(rule(Scripted(), outcome(answerable=False, reference=None), scale=SCALE, unanswerable="ragas")) == {
        "useful",
        "attributed",
        "conveyed",
    }


def test_an_abstention_has_no_statements_and_nothing_to_support() -> None:
    rulings = rule(Scripted(), outcome(abstained=True), scale=SCALE)
    assert rulings.statements == ()
    assert rulings.supported is None


def test_without_context_what_needs_one_is_not_asked() -> None:
    assert missing(rule(Scripted(), outcome(passages=()), scale=SCALE)) == {"supported", "useful", "attributed"}


def test_without_a_reference_what_needs_one_is_not_asked() -> None:
    assert missing(rule(Scripted(), outcome(reference=None), scale=SCALE)) == {"useful", "attributed", "conveyed"}


@pytest.mark.parametrize(
    ("breaks", "lost"),
    [
        ("statements", {"statements", "supported"}),
        ("supported", {"supported"}),
        ("useful", {"useful"}),
        ("attributed", {"attributed", "conveyed"}),
        ("implied", {"implied"}),
    ],
)
def test_a_failure_leaves_the_others_standing(breaks: str, lost: set[str]) -> None:
    rulings = rule(Scripted(breaks=breaks), outcome(), scale=SCALE)
    assert missing(rulings) == lost
    assert all(rulings.why_missing(name) == f"{breaks} took too long" for name in lost)
    assert {failure.kind for failure in rulings.failures} == {"TimeoutError"}


def test_too_few_verdicts_are_a_failure() -> None:
    rulings = rule(Miscounting(), outcome(), scale=SCALE)
    assert rulings.supported is None
    assert rulings.why_missing("supported") == "the judge gave 1 verdicts on 2 statements"


def test_a_reference_in_which_a_judge_finds_nothing_is_a_failure_not_a_score() -> None:
    rulings = rule(FindingNothing(), outcome(), scale=SCALE)
    assert rulings.attributed is None
    assert rulings.why_missing("attributed") == "the judge found no statement in the reference"
    assert {failure.kind for failure in rulings.failures} == {NOTHING_STATED}


def test_an_interruption_is_not_swallowed() -> None:
    class Interrupted(Scripted):
        def statements(self, question: str, answer: str) -> tuple[str, ...]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rule(Interrupted(), outcome(), scale=SCALE)
