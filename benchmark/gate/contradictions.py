"""Results of one run that cannot both be right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmark.domain import Record
from benchmark.safety import Checked
from benchmark.statistics import mean, measured

_APART = 0.5
_MUCH, _LITTLE = 0.8, 0.4
_ANSWERS = 3
"""So many answers are no slip of one judge or check."""
_JUDGED = 20


def contradictions(corpus: str, records: Sequence[Record], checks: Sequence[Checked]) -> Iterator[str]:
    """Which results contradict each other, in words.

    A judge that finds every statement of an answer supported, where a check finds a medication or a dose in it that the
    context does not have; a judge's context recall and the recall of gold evidence far apart; complete answers from
    contexts that do not hold them.
    """
    faithful = {question for question, value in measured(records, "ragas/faithfulness").items() if value == 1.0}
    for one in checks:
        if one.name in ("medications", "doses"):
            cases = [case for case in one.cases if "context" in case.why and case.question_id.startswith(f"{corpus}/")]
            foreign = {case.question_id.removeprefix(f"{corpus}/") for case in cases}
            both = sorted(faithful & foreign)
            if len(both) >= _ANSWERS:
                told = ", ".join(both[:3])
                yield (
                    f"the judge finds {len(both)} answers wholly supported ({told}) in which the check {one.name} "
                    "finds what the context does not have"
                )
    recall = next((key for record in records for key in record.scores if key.startswith("retrieval/recall_")), None)
    judged, gold = _means(records, "ragas/context_recall", recall)
    if judged is not None and gold is not None and abs(judged - gold) > _APART:
        yield f"the judge's context recall is {judged:.2f}, the recall of gold evidence {gold:.2f}"
    complete, there = _means(records, "answer/completeness", "ragas/context_recall")
    if complete is not None and there is not None and complete >= _MUCH and there <= _LITTLE:
        yield f"answers are complete ({complete:.2f}), but their context holds little of it (recall {there:.2f})"


def _means(records: Sequence[Record], one: str, other: str | None) -> tuple[float | None, float | None]:
    """The means of two metrics over the questions that have both, if there are enough."""
    if other is None:
        return None, None
    a, b = measured(records, one), measured(records, other)
    common = [question for question in a if question in b]
    if len(common) < _JUDGED:
        return None, None
    return mean([a[question] for question in common]), mean([b[question] for question in common])
