"""Who rules on answers, and the one function that asks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from benchmark.domain import NOTHING_STATED, Failure, Judge, Outcome, RelevancyScale, Rulings, UserError, Verdict
from benchmark.metrics import Unanswerable

Ruled = TypeVar("Ruled")


class NothingStated(ValueError):  # noqa: N818  # it is no error of the judge's, and asking again changes nothing
    """A reference in which a judge found no statement."""


def rule(
    judge: Judge | None,
    outcome: Outcome,
    *,
    scale: RelevancyScale,
    implied: int = 3,
    unanswerable: Unanswerable = "exclude",
) -> Rulings:
    """What a judge says of one outcome: ``None`` where it was not asked, with a ``Failure`` where it could not say.

    Of an unanswerable question only the answer's statements and their support are asked, which show hallucination; with
    ``unanswerable="ragas"`` all that is asked of any other, as its reference allows.
    """
    if judge is None:
        return Rulings(scale=scale)
    failures: list[Failure] = []

    def ask(stage: str, operation: Callable[[], Ruled]) -> Ruled | None:
        try:
            return operation()
        except UserError:  # such as a key that is refused: no question can be judged before the user mends it
            raise
        # A judge is a plug-in that may call a model: whatever breaks in one operation must not lose the others.
        except Exception as error:  # noqa: BLE001
            kind = NOTHING_STATED if isinstance(error, NothingStated) else type(error).__name__
            failures.append(Failure(stage, kind, str(error) or kind))
            return None

    question, response = outcome.question, outcome.response
    asked, answer = question.query.text, response.answer
    context = [hit.chunk.text for hit in response.context]
    scored = question.answerable or unanswerable == "ragas"
    reference = question.reference if scored else None

    statements = () if response.abstained else ask("statements", lambda: tuple(judge.statements(asked, answer)))
    if statements is None:  # what could not be found cannot be supported, for the same reason
        failures.append(replace(failures[-1], stage="supported"))
    supported = useful = attributed = conveyed = implied_questions = None
    if statements and context:
        claims = statements
        supported = ask("supported", lambda: _each(judge.supported(claims, context), len(claims), "statements"))
    if reference:
        gold = reference
        if context:
            useful = ask("useful", lambda: tuple(judge.useful(asked, passage, gold) for passage in context))
            attributed = ask("attributed", lambda: _some(judge.attributed(asked, gold, context)))
        conveyed = ask("conveyed", lambda: _some(judge.attributed(asked, gold, [answer])))
    if scored:
        implied_questions = ask("implied", lambda: tuple(judge.implied_questions(asked, answer, implied)))
    return Rulings(statements, supported, useful, attributed, conveyed, implied_questions, scale, tuple(failures))


def _each(verdicts: Sequence[Verdict], wanted: int, of_what: str) -> tuple[Verdict, ...]:
    """The verdicts, if there is one for each claim."""
    if len(verdicts) != wanted:
        raise ValueError(f"the judge gave {len(verdicts)} verdicts on {wanted} {of_what}")
    return tuple(verdicts)


def _some(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts, if there are any: a reference states something."""
    if not verdicts:
        raise NothingStated("the judge found no statement in the reference")
    return tuple(verdicts)
