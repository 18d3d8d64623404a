"""Short ways to make questions, hits and rulings; offsets are of the document ``guide`` unless said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark.domain import (
    Cause,
    Chunk,
    Evidence,
    Hit,
    ImpliedQuestion,
    Outcome,
    Query,
    Question,
    Record,
    Response,
    Rulings,
    Score,
    Span,
    Step,
    Verdict,
)

DOCUMENT = "guide"


def span(start: int, end: int, document: str = DOCUMENT) -> Span:
    return Span(document, start, end)


def evidence(start: int, end: int, grade: int = 3, document: str = DOCUMENT) -> Evidence:
    return Evidence(span(start, end, document), grade)


def hit(start: int, end: int, document: str = DOCUMENT, *, text: str | None = None, score: float = 1.0) -> Hit:
    return Hit(Chunk(f"{document}:{start}", span(start, end, document), text or "x" * (end - start)), score)


def step(*hits: Hit, name: str = "retrieve", seconds: float = 0.0) -> Step:
    return Step(name, seconds, hits=hits)


def question(
    *evidence: Evidence,
    reference: str | None = "Se dan 4 g.",
    answerable: bool = True,
    name: str = "q1",
    text: str = "¿Qué dosis?",
    tags: tuple[str, ...] = (),
) -> Question:
    return Question(Query(name, text), reference, answerable, evidence, language="es", tags=tags)


def response(
    *context: Hit,
    answer: str = "Se dan 4 g [1].",
    abstained: bool = False,
    steps: tuple[Step, ...] | None = None,
    retrieves: bool = True,
) -> Response:
    """One stage that found exactly the context, unless ``steps`` are given."""
    return Response(answer, abstained, context, (step(*context),) if steps is None else steps, retrieves)


def outcome(
    gold: Sequence[Evidence] = (),
    context: Sequence[Hit] = (),
    *,
    answerable: bool = True,
    abstained: bool = False,
    retrieves: bool = True,
) -> Outcome:
    """An answer with that context to a question with that evidence."""
    asked = question(*gold, answerable=answerable)
    return Outcome(asked, response(*context, abstained=abstained, retrieves=retrieves))


def verdicts(*holding: bool) -> tuple[Verdict, ...]:
    return tuple(Verdict(f"claim {place}", holds, "") for place, holds in enumerate(holding, start=1))


def implied(*similarities: float, noncommittal: bool = False) -> tuple[ImpliedQuestion, ...]:
    return tuple(ImpliedQuestion("¿Qué?", noncommittal, similarity) for similarity in similarities)


def statements(*supported: bool) -> Rulings:
    """Rulings on the statements of an answer alone."""
    return Rulings(
        statements=tuple(f"claim {place}" for place, _ in enumerate(supported)), supported=verdicts(*supported)
    )


def record(scores: Mapping[str, float | None], *, name: str = "q1", cause: Cause = Cause.CORRECT) -> Record:
    measured = {key: Score(value, "as given") for key, value in scores.items()}
    return Record(question(name=name), response(), Rulings(), measured, cause)
