"""Relevancy that rewards a right refusal and not a wrong one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.domain import Record
from benchmark.statistics.intervals import Estimate, estimates

RELEVANCY = "ragas/answer_relevancy"


@dataclass(frozen=True, slots=True)
class Abstention:
    """One run's refusals and what they do to relevancy.

    ``answered``: share of answerable questions that were answered. ``refused``: share of unanswerable ones that were
    refused. ``relevancy``: mean relevancy of the answers given to answerable questions. ``aware``: over all questions,
    relevancy where one can be answered (0 for a refusal), and 1 or 0 for refusing or answering one that cannot.
    """

    answered: Estimate
    refused: Estimate
    relevancy: Estimate
    aware: Estimate


def abstention(records: Sequence[Record], *, seed: int, level: float = 0.95) -> Abstention:
    """Refusals and relevancy of one run; ``missing`` counts questions that failed or whose relevancy is not known."""
    known = [(record, record.response) for record in records if record.response is not None]
    failed = [record.question.answerable for record in records if record.response is None]
    answered = [float(not response.abstained) for record, response in known if record.question.answerable]
    refused = [float(response.abstained) for record, response in known if not record.question.answerable]
    given = [_relevancy(record) for record, response in known if record.question.answerable and not response.abstained]
    aware = [
        float(response.abstained)
        if not record.question.answerable
        else 0.0
        if response.abstained
        else _relevancy(record)
        for record, response in known
    ]
    samples = [answered, refused, *([value for value in values if value is not None] for values in (given, aware))]
    missing = [sum(failed), len(failed) - sum(failed), given.count(None), aware.count(None) + len(failed)]
    return Abstention(*estimates(samples, missing, on_unit_scale=True, seed=seed, level=level))


def _relevancy(record: Record) -> float | None:
    score = record.scores.get(RELEVANCY)
    return None if score is None else score.value
