"""The four metrics as the library ``ragas`` computes them, to the last bit: what ``metrics=as_library`` takes.

Source: ``ragas`` 0.4.3, ``metrics/_faithfulness.py``, ``_answer_relevance.py``, ``_context_precision.py`` and
``_context_recall.py``. Where the library gives NaN, nothing is measured and the reason is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import numpy as np

from benchmark.domain import Outcome, Rulings, Score, Verdict
from benchmark.metrics import NO_CONTEXT, NO_REFERENCE, NO_STATEMENT, UNANSWERABLE, Unanswerable

_TINY = 1e-10


def average_precision(useful: Sequence[bool]) -> float:
    """Context precision with the library's tiny summand in the denominator, so that the best value is below 1.

    >>> average_precision([True]), average_precision([])
    (0.9999999999, 0.0)
    """
    verdicts = [1 if holds else 0 for holds in useful]
    numerator = sum((sum(verdicts[: rank + 1]) / (rank + 1)) * verdicts[rank] for rank in range(len(verdicts)))
    return numerator / (sum(verdicts) + _TINY)


def mean_similarity(similarities: Sequence[float], *, noncommittal: bool) -> float:
    """Answer relevancy: numpy's mean, and nothing for an answer that commits to nothing.

    >>> mean_similarity([0.5, 1.0], noncommittal=False), mean_similarity([0.5, 1.0], noncommittal=True)
    (0.75, 0.0)
    """
    return float(np.asarray(similarities, dtype=np.float64).mean() * int(not noncommittal))


def faithfulness(outcome: Outcome, rulings: Rulings, /) -> Score:
    """Share of the verdicts that hold, however many there are."""
    if rulings.statements is None:
        return Score(None, rulings.why_missing("statements"))
    if not rulings.statements:
        return Score(None, NO_STATEMENT)
    if rulings.supported is None:
        failed = any(failure.stage == "supported" for failure in rulings.failures)
        return Score(None, rulings.why_missing("supported") if failed or outcome.response.context else NO_CONTEXT)
    return _share(rulings.supported, "verdicts hold")


def answer_relevancy(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Mean cosine; 0 where all implied questions are noncommittal, whether or not the pipeline abstained."""
    if _left_out(outcome, unanswerable):
        return Score(None, UNANSWERABLE)
    if rulings.implied is None:
        return Score(None, rulings.why_missing("implied"))
    if not rulings.implied:
        return Score(None, "no question implied by the answer")
    noncommittal = all(implied.noncommittal for implied in rulings.implied)
    value = mean_similarity([implied.similarity for implied in rulings.implied], noncommittal=noncommittal)
    return Score(
        value, "noncommittal" if noncommittal else f"mean cosine over {len(rulings.implied)} implied questions"
    )


def context_precision(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Average precision of the passages; 0 for a context that is empty."""
    missing = _without_gold(outcome, unanswerable)
    if missing is not None:
        return missing
    if rulings.useful is None:
        return Score(0.0, NO_CONTEXT) if not outcome.response.context else Score(None, rulings.why_missing("useful"))
    useful = [verdict.holds for verdict in rulings.useful]
    return Score(average_precision(useful), f"{sum(useful)} of {len(useful)} passages useful")


def context_recall(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Share of the reference's sentences that can be attributed to the context."""
    missing = _without_gold(outcome, unanswerable)
    if missing is not None:
        return missing
    if rulings.attributed is None:
        failed = any(failure.stage == "attributed" for failure in rulings.failures)
        return Score(None, rulings.why_missing("attributed") if failed or outcome.response.context else NO_CONTEXT)
    return _share(rulings.attributed, "sentences of the reference attributed")


def mean(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """The arithmetic mean of the four, only where all four are measured; the library has none."""
    scores = (
        faithfulness(outcome, rulings),
        answer_relevancy(outcome, rulings, unanswerable=unanswerable),
        context_precision(outcome, rulings, unanswerable=unanswerable),
        context_recall(outcome, rulings, unanswerable=unanswerable),
    )
    values = [score.value for score in scores if score.value is not None]
    if len(values) < len(scores):
        return Score(None, f"without {', '.join(score.why for score in scores if score.value is None)}")
    return Score(fsum(values) / len(values), "mean of the four")


def _share(verdicts: Sequence[Verdict], what: str) -> Score:
    if not verdicts:
        return Score(None, "the judge gave no verdict")
    holding = sum(verdict.holds for verdict in verdicts)
    return Score(holding / len(verdicts), f"{holding} of {len(verdicts)} {what}")


def _left_out(outcome: Outcome, unanswerable: Unanswerable) -> bool:
    return not outcome.question.answerable and unanswerable != "ragas"


def _without_gold(outcome: Outcome, unanswerable: Unanswerable) -> Score | None:
    if _left_out(outcome, unanswerable):
        return Score(None, UNANSWERABLE)
    return None if outcome.question.reference else Score(None, NO_REFERENCE)
