"""Who rules on answers, and the one function that asks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

from benchmark.domain import (
    NOTHING_STATED,
    Failure,
    ImpliedQuestion,
    Judge,
    Outcome,
    RelevancyScale,
    Rulings,
    UserError,
    Verdict,
)
from benchmark.metrics import Unanswerable
from benchmark.metrics.cost import total_of
from benchmark.stopwatch import stopwatch
from benchmark.turns import together

Ruled = TypeVar("Ruled")


class NothingStated(ValueError):  # noqa: N818  # it is no error of the judge's, and asking again changes nothing
    """A reference in which a judge found no statement."""


@runtime_checkable
class Remote(Protocol):
    """A judge that waits for an endpoint: so many of its operations are worth having at once."""

    @property
    def in_flight(self) -> int: ...


@runtime_checkable
class Lenient(Protocol):
    """A judge that may be asked as the library ``ragas`` asks: without a context too, and of abstentions.

    Its verdicts are then taken however many they are.
    """

    @property
    def as_library(self) -> bool: ...


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
    failures: dict[str, Failure] = {}

    def ask(stage: str, operation: Callable[[], Ruled]) -> Ruled | None:
        try:
            return operation()
        except UserError:  # such as a key that is refused: no question can be judged before the user mends it
            raise
        # A judge is a plug-in that may call a model: whatever breaks in one operation must not lose the others.
        except Exception as error:  # noqa: BLE001
            kind = NOTHING_STATED if isinstance(error, NothingStated) else type(error).__name__
            failures[stage] = Failure(stage, kind, str(error) or kind)
            return None

    question, response = outcome.question, outcome.response
    asked, answer = question.query.text, response.answer
    context = [hit.chunk.text for hit in response.context]
    scored = question.answerable or unanswerable == "ragas"
    reference = question.reference if scored else None
    at_once = judge.in_flight if isinstance(judge, Remote) else 1

    lenient = isinstance(judge, Lenient) and judge.as_library

    def support() -> tuple[tuple[str, ...] | None, tuple[Verdict, ...] | None]:
        claims = (
            ()
            if response.abstained and not lenient
            else ask("statements", lambda: tuple(judge.statements(asked, answer)))
        )
        if claims is None:  # what could not be found cannot be supported, for the same reason
            failures["supported"] = replace(failures["statements"], stage="supported")
        if not claims or not (context or lenient):
            return claims, None
        return claims, ask(
            "supported", lambda: _each(judge.supported(claims, context), None if lenient else len(claims))
        )

    def useful() -> tuple[Verdict, ...] | None:
        if not reference or not (context or lenient):
            return None
        rulings = [partial(judge.useful, asked, passage, reference) for passage in context]
        return ask("useful", lambda: tuple(together(rulings, at_once=at_once)))

    def attributed(stage: str, texts: Sequence[str]) -> tuple[Verdict, ...] | None:
        if not reference or not (texts or lenient):
            return None
        return ask(stage, lambda: _some(judge.attributed(asked, reference, texts)))

    def implied_questions() -> tuple[ImpliedQuestion, ...] | None:
        return ask("implied", lambda: tuple(judge.implied_questions(asked, answer, implied))) if scored else None

    parts: Mapping[str, Callable[[], object]] = {  # what takes the most requests one after another stands first
        "implied": implied_questions,
        "support": support,
        "useful": useful,
        "attributed": partial(attributed, "attributed", context),
        "conveyed": partial(attributed, "conveyed", [answer]),
    }
    with stopwatch() as watch:
        found: dict[str, Any] = dict(zip(parts, together(list(parts.values()), at_once=at_once), strict=True))
    statements, supported = found.pop("support")
    in_order = tuple(failures[part.name] for part in fields(Rulings) if part.name in failures)
    cost = total_of(watch.completions, watch.embedded)
    return Rulings(statements, supported, **found, scale=scale, failures=in_order, cost=cost)


def _each(verdicts: Sequence[Verdict], wanted: int | None) -> tuple[Verdict, ...]:
    """The verdicts, if there is one for each statement; ``None`` takes any number."""
    if wanted is not None and len(verdicts) != wanted:
        raise ValueError(f"the judge gave {len(verdicts)} verdicts on {wanted} statements")
    return tuple(verdicts)


def _some(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts, if there are any: a reference states something."""
    if not verdicts:
        raise NothingStated("the judge found no statement in the reference")
    return tuple(verdicts)
