"""The four metrics of RAGAS and their mean, as arithmetic on a judge's rulings.

Source: Es et al. 2024, "RAGAS: Automated Evaluation of Retrieval Augmented Generation" (EACL demos), section 3, and for
context precision and context recall, which the paper does not define so, the documentation of the library ``ragas``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from benchmark.domain import Outcome, Rulings, Score, Verdict
from benchmark.metrics import NO_CONTEXT, NO_REFERENCE, NO_STATEMENT, UNANSWERABLE, Unanswerable


def share(holding: Sequence[bool]) -> float:
    """The share of claims that hold: faithfulness (section 3, F = \\|V\\| / \\|S\\|) and context recall.

    >>> share([True, True]), share([True, True, True, False, False])
    (1.0, 0.6)
    """
    if not holding:
        raise ValueError("a share of no claims is not defined")
    return sum(holding) / len(holding)


def mean_similarity(similarities: Sequence[float]) -> float:
    """The mean cosine of a question with the questions that its answer implies (section 3, answer relevance, AR).

    >>> round(mean_similarity([0.92, 0.95, 0.88]), 3)
    0.917
    """
    if not similarities:
        raise ValueError("the mean of no similarities is not defined")
    return fsum(similarities) / len(similarities)


def rescaled(value: float, *, zero: float, one: float) -> float:
    """``value`` read on a scale on which ``zero`` is 0 and ``one`` is 1, clipped to [0, 1].

    >>> round(rescaled(0.85, zero=0.8, one=0.9), 9), rescaled(0.7, zero=0.8, one=0.9), rescaled(1.0, zero=0.8, one=0.9)
    (0.5, 0.0, 1.0)
    """
    if one <= zero:
        raise ValueError(f"a scale runs upwards, not from {zero} to {one}")
    return min(1.0, max(0.0, (value - zero) / (one - zero)))


def average_precision(useful: Sequence[bool]) -> float:
    """Context precision: sum over i of precision@i x v_i, divided by sum of v_i; 0 when no passage is useful.

    Source: documentation of ``ragas``, "Context Precision".

    >>> round(average_precision([True, True, False, True, False]), 3)
    0.917
    """
    precisions = [sum(useful[:rank]) / rank for rank, holds in enumerate(useful, start=1) if holds]
    return fsum(precisions) / len(precisions) if precisions else 0.0


def faithfulness(outcome: Outcome, rulings: Rulings, /) -> Score:
    """Share of the answer's statements that the context supports; also for unanswerable questions."""
    verdicts = statement_verdicts(outcome, rulings)
    if isinstance(verdicts, Score):
        return verdicts
    return _share_of(verdicts, "statements supported")


def answer_relevancy(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Similarity of question and implied questions on the corpus's scale; 0 for an answer that commits to nothing."""
    raw = answer_relevancy_raw(outcome, rulings, unanswerable=unanswerable)
    if rulings.implied is not None and _abstains(outcome, rulings) and not _left_out(outcome, unanswerable):
        return Score(0.0, "the answer abstains")
    if raw.value is None:
        return raw
    scale = rulings.scale
    if scale.one <= scale.zero:
        return Score(None, f"the relevancy scale is empty: it runs from {scale.zero:.3f} to {scale.one:.3f}")
    value = rescaled(raw.value, zero=scale.zero, one=scale.one)
    return Score(value, f"{raw.why}; {scale.zero:.3f} reads as 0, {scale.one:.3f} as 1")


def answer_relevancy_raw(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Mean cosine of the question with the implied questions, on no scale, whether or not the answer commits."""
    if _left_out(outcome, unanswerable):
        return Score(None, UNANSWERABLE)
    if rulings.implied is None:
        return Score(None, rulings.why_missing("implied"))
    if not rulings.implied:
        return Score(None, "no question implied by the answer")
    value = mean_similarity([implied.similarity for implied in rulings.implied])
    return Score(value, f"mean cosine {value:.3f} over {len(rulings.implied)} implied questions")


def answer_relevancy_answered(
    outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude"
) -> Score:
    """Answer relevancy of the answers that do not abstain."""
    relevancy = answer_relevancy(outcome, rulings, unanswerable=unanswerable)
    return Score(None, "abstained") if relevancy.value is not None and _abstains(outcome, rulings) else relevancy


def context_precision(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Whether the useful passages of the context stand first."""
    missing = _without_gold(outcome, unanswerable)
    if missing is not None:
        return missing
    if rulings.useful is None:
        return Score(None, rulings.why_missing("useful"))
    if len(rulings.useful) != len(outcome.response.context):
        return Score(None, _incomplete(len(rulings.useful), len(outcome.response.context), "passages"))
    useful = [verdict.holds for verdict in rulings.useful]
    ranks = ", ".join(str(rank) for rank, holds in enumerate(useful, start=1) if holds)
    return Score(
        average_precision(useful), f"{sum(useful)} of {len(useful)} passages useful" + (ranks and f", at {ranks}")
    )


def context_recall(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """Share of the reference's sentences that can be attributed to the context."""
    missing = _without_gold(outcome, unanswerable)
    if missing is not None:
        return missing
    if rulings.attributed is None:
        return Score(None, rulings.why_missing("attributed"))
    if not rulings.attributed:
        return Score(None, "no sentence in the reference")
    return _share_of(rulings.attributed, "sentences of the reference attributed")


def mean(outcome: Outcome, rulings: Rulings, /, *, unanswerable: Unanswerable = "exclude") -> Score:
    """The arithmetic mean of the four, only where all four are measured."""
    if _left_out(outcome, unanswerable):
        return Score(None, UNANSWERABLE)
    scores = {
        "faithfulness": faithfulness(outcome, rulings),
        "answer_relevancy": answer_relevancy(outcome, rulings, unanswerable=unanswerable),
        "context_precision": context_precision(outcome, rulings, unanswerable=unanswerable),
        "context_recall": context_recall(outcome, rulings, unanswerable=unanswerable),
    }
    missing = [f"{name} ({score.why})" for name, score in scores.items() if score.value is None]
    if missing:
        return Score(None, f"without {', '.join(missing)}")
    values = [score.value for score in scores.values() if score.value is not None]
    return Score(fsum(values) / len(values), f"mean of {', '.join(f'{value:.3f}' for value in values)}")


def statement_verdicts(outcome: Outcome, rulings: Rulings) -> tuple[Verdict, ...] | Score:
    """One verdict per statement of the answer, at least one; or the score that says why there is none."""
    if not outcome.response.context:
        return Score(None, NO_CONTEXT)
    if rulings.statements is None:
        return Score(None, rulings.why_missing("statements"))
    if not rulings.statements:
        return Score(None, NO_STATEMENT)
    if rulings.supported is None:
        return Score(None, rulings.why_missing("supported"))
    if len(rulings.supported) != len(rulings.statements):
        return Score(None, _incomplete(len(rulings.supported), len(rulings.statements), "statements"))
    return rulings.supported


def _share_of(verdicts: Sequence[Verdict], what: str) -> Score:
    holding = [verdict.holds for verdict in verdicts]
    return Score(share(holding), f"{sum(holding)} of {len(holding)} {what}")


def _without_gold(outcome: Outcome, unanswerable: Unanswerable) -> Score | None:
    """Why a metric that compares the context with the reference cannot be measured, if it cannot."""
    if _left_out(outcome, unanswerable):
        return Score(None, UNANSWERABLE)
    if not outcome.response.context:
        return Score(None, NO_CONTEXT)
    return Score(None, NO_REFERENCE) if not outcome.question.reference else None


def _left_out(outcome: Outcome, unanswerable: Unanswerable) -> bool:
    return not outcome.question.answerable and unanswerable != "ragas"


def _abstains(outcome: Outcome, rulings: Rulings) -> bool:
    noncommittal = bool(rulings.implied) and all(implied.noncommittal for implied in rulings.implied or ())
    return outcome.response.abstained or noncommittal


def _incomplete(ruled: int, wanted: int, what: str) -> str:
    return f"the judge ruled on {ruled} of {wanted} {what}"
