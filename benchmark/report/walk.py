"""One question's way through a run: at which rank its evidence stood at each stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Evidence, Hit, Record

SENT = "sent"
"""The name of the last stage: what the generator was given."""


@dataclass(frozen=True, slots=True)
class Stage:
    """``ranks``: for each piece of evidence the rank of the first hit that touches it, ``None`` where none does."""

    name: str
    hits: tuple[Hit, ...]
    ranks: tuple[int | None, ...]
    seconds: float | None = None


def stages(record: Record) -> tuple[Stage, ...]:
    """The stages that found something, in their order, and what was sent last.

    >>> from tests.factories import evidence, hit, question, response
    >>> from benchmark.domain import Cause, Rulings
    >>> sent = response(hit(100, 200), hit(0, 50))
    >>> found = stages(Record(question(evidence(10, 20)), sent, Rulings(), {}, Cause.NOT_JUDGED))
    >>> [(stage.name, stage.ranks) for stage in found]
    [('retrieve', (2,)), ('sent', (2,))]
    """
    if record.response is None:
        return ()
    evidence = record.question.evidence
    found = [
        Stage(step.name, step.hits, ranks(evidence, step.hits), step.seconds)
        for step in record.response.steps
        if step.hits
    ]
    return (*found, Stage(SENT, record.response.context, ranks(evidence, record.response.context)))


def ranks(evidence: Sequence[Evidence], hits: Sequence[Hit]) -> tuple[int | None, ...]:
    """For each piece of evidence the rank, from 1, of the first hit that touches it."""
    return tuple(
        next((rank for rank, hit in enumerate(hits, 1) if hit.chunk.span.overlaps(item.span)), None)
        for item in evidence
    )


def touched(evidence: Sequence[Evidence], hit: Hit) -> list[int]:
    """The places (from 0) of the evidence that a hit touches."""
    return [place for place, item in enumerate(evidence) if hit.chunk.span.overlaps(item.span)]
