"""Metrics of the answer itself: likeness to the reference, abstention, and statements without support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmark.domain import Outcome, Rulings, Score
from benchmark.metrics import ANSWERABLE, NO_REFERENCE, UNANSWERABLE
from benchmark.metrics.ragas import share, statement_verdicts
from benchmark.text import stems, without_passage_numbers, words


def f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of the tokens, counted as a multiset.

    Source: Rajpurkar et al. 2016, "SQuAD", section 6.1.

    >>> f1(["4", "g"], ["4", "g"]), round(f1(["4", "g", "oral"], ["4", "mg"]), 3), f1([], ["4"])
    (1.0, 0.4, 0.0)
    """
    common = (Counter(answer) & Counter(reference)).total()
    return 2 * common / (len(answer) + len(reference)) if common else 0.0


def content(text: str, other: str, language: str) -> tuple[list[str], list[str]]:
    """Folded stems of both texts; all of their words where one has only function words, such as the answer "No".

    >>> content("La dosis de 4 g", "4 gramos", "es")
    (['dosis', '4', 'g'], ['4', 'gram'])
    >>> content("No.", "No se da", "es")
    (['no'], ['no', 'se', 'da'])
    """
    pair = stems(text, language), stems(other, language)
    return pair if all(pair) else (words(text), words(other))


def exact_match(outcome: Outcome, _: Rulings, /) -> Score:
    """1 where the answer's words are the reference's, without regard to case, accents, punctuation, passage numbers."""
    texts = _answer_and_reference(outcome)
    if isinstance(texts, Score):
        return texts
    same = words(texts[0]) == words(texts[1])
    return Score(float(same), "the same words" if same else "other words than the reference")


def token_f1(outcome: Outcome, _: Rulings, /) -> Score:
    """F1 of the answer's content stems against the reference's; 0 for an answer that abstains."""
    texts = _answer_and_reference(outcome)
    if isinstance(texts, Score):
        return texts
    answer, reference = content(*texts, outcome.question.language)
    common = (Counter(answer) & Counter(reference)).total()
    why = f"{common} stems in common, {len(answer)} in the answer, {len(reference)} in the reference"
    return Score(f1(answer, reference), why)


def completeness(outcome: Outcome, rulings: Rulings, /) -> Score:
    """Share of the reference's sentences that the answer conveys."""
    if not outcome.question.answerable:
        return Score(None, UNANSWERABLE)
    if not outcome.question.reference:
        return Score(None, NO_REFERENCE)
    if rulings.conveyed is None:
        return Score(None, rulings.why_missing("conveyed"))
    if not rulings.conveyed:
        return Score(None, "no sentence in the reference")
    conveyed = [verdict.holds for verdict in rulings.conveyed]
    return Score(share(conveyed), f"{sum(conveyed)} of {len(conveyed)} sentences of the reference conveyed")


def abstained_rightly(outcome: Outcome, _: Rulings, /) -> Score:
    """Of unanswerable questions: 1 where the answer abstains."""
    return _abstention(outcome, answerable=False, wanted=True)


def answered_wrongly(outcome: Outcome, _: Rulings, /) -> Score:
    """Of unanswerable questions: 1 where there is an answer all the same."""
    return _abstention(outcome, answerable=False, wanted=False)


def refused_wrongly(outcome: Outcome, _: Rulings, /) -> Score:
    """Of answerable questions: 1 where the answer abstains."""
    return _abstention(outcome, answerable=True, wanted=True)


def grounded(outcome: Outcome, rulings: Rulings, /) -> Score:
    """Of answers with a statement: 1 where the context supports every one and the answer does not abstain."""
    verdicts = statement_verdicts(outcome, rulings)
    if isinstance(verdicts, Score):
        return verdicts
    unsupported = sum(not verdict.holds for verdict in verdicts)
    why = f"{unsupported} of {len(verdicts)} statements unsupported"
    if outcome.response.abstained:
        return Score(0.0, f"abstains; {why}")
    return Score(float(not unsupported), why)


def hallucinated(outcome: Outcome, rulings: Rulings, /) -> Score:
    """Of answers with a statement: 1 where the context does not support at least one."""
    verdicts = statement_verdicts(outcome, rulings)
    if isinstance(verdicts, Score):
        return verdicts
    unsupported = sum(not verdict.holds for verdict in verdicts)
    return Score(float(unsupported > 0), f"{unsupported} of {len(verdicts)} statements unsupported")


def _answer_and_reference(outcome: Outcome) -> tuple[str, str] | Score:
    if not outcome.question.answerable:
        return Score(None, UNANSWERABLE)
    if not outcome.question.reference:
        return Score(None, NO_REFERENCE)
    if outcome.response.abstained:
        return Score(0.0, "the answer abstains")
    return without_passage_numbers(outcome.response.answer), outcome.question.reference


def _abstention(outcome: Outcome, *, answerable: bool, wanted: bool) -> Score:
    if outcome.question.answerable != answerable:
        return Score(None, UNANSWERABLE if answerable else ANSWERABLE)
    abstained = outcome.response.abstained
    return Score(float(abstained == wanted), "the answer abstains" if abstained else "the answer does not abstain")
