"""Which statements of runs people should label: those that a judge finds worst or is unsure of, and some at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmark.digest import digest
from benchmark.domain import Record
from benchmark.readings.people import Case

LOWEST, UNSURE, RANDOM = "lowest", "unsure", "random"
"""How a case was drawn."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that a judge has ruled on; ``share``: how much of its answer is supported.

    ``confidence`` is ``None`` of a judge that does not say how sure it is.
    """

    case: Case
    share: float
    holds: bool
    confidence: float | None


def candidates(records: Iterable[Record]) -> tuple[Candidate, ...]:
    """Every statement with a verdict and a context, each once: several runs may have made and judged the same."""
    found: dict[str, Candidate] = {}
    for record in records:
        response, verdicts = record.response, record.rulings.supported
        if response is None or not verdicts:
            continue
        question, context = record.question, tuple(hit.chunk.text for hit in response.context)
        share = sum(verdict.holds for verdict in verdicts) / len(verdicts)
        for verdict in verdicts:
            name = digest(question.query.text, context, response.answer, verdict.claim)[:12]
            case = Case(name, question.query.text, context, response.answer, verdict.claim, question.language)
            found.setdefault(name, Candidate(case, share, verdict.holds, verdict.confidence))
    return tuple(found.values())


def draw(found: Sequence[Candidate], counts: Mapping[str, int], *, seed: int) -> tuple[Case, ...]:
    """At most so many of each kind, in an order that does not tell which is which.

    Those at random are drawn first, from all, so that they stand for all; none is drawn twice.
    """
    random = np.random.default_rng(seed)
    mixed = [found[place] for place in random.permutation(len(found))]  # ties fall by chance, not by question
    left = {one.case.id: one for one in mixed}
    drawn: list[Case] = []

    def take(kind: str, order: Iterable[Candidate]) -> None:
        for one in list(order)[: counts.get(kind, 0)]:
            drawn.append(replace(one.case, drawn=kind))
            del left[one.case.id]

    take(RANDOM, mixed)
    take(LOWEST, sorted(left.values(), key=_worst))
    take(UNSURE, sorted((one for one in left.values() if one.confidence is not None), key=_surety))
    return tuple(drawn[place] for place in random.permutation(len(drawn)))


def _worst(one: Candidate) -> tuple[float, bool, float]:
    return one.share, one.holds, one.confidence or 0.0


def _surety(one: Candidate) -> float:
    """How far the confidence is from that of a coin."""
    return abs((one.confidence or 0.0) - 0.5)
