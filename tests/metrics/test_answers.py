"""Metrics of the answer itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmark.domain import Outcome, Rulings, Score
from benchmark.metrics import answers
from tests.factories import hit, outcome, question, response, statements, verdicts

UNJUDGED = Rulings()


def said(answer: str, reference: str | None) -> Outcome:
    return Outcome(question(reference=reference), response(hit(0, 9), answer=answer))


def test_case_accents_punctuation_and_passage_numbers_do_not_matter_to_an_exact_match() -> None:
    assert (
        answers.exact_match(said("SULFATO de magnesio: 4 g [1, 2].", "Sulfato de mágnesio, 4 g"), UNJUDGED).value == 1.0
    )


def test_a_negation_is_no_exact_match() -> None:
    assert answers.exact_match(said("Se recomienda.", "No se recomienda."), UNJUDGED).value == 0.0


def test_token_f1_counts_content_stems() -> None:
    score = answers.token_f1(said("Dosis de 4 g", "La dosis: 4 g y oral"), UNJUDGED)
    assert score.value == pytest.approx(2 * 3 / (3 + 4))
    assert score.why == "3 stems in common, 3 in the answer, 4 in the reference"


def test_a_reference_of_function_words_is_compared_word_by_word() -> None:
    assert answers.token_f1(said("No.", "No"), UNJUDGED).value == 1.0


def test_an_abstention_is_not_like_any_reference() -> None:
    assert answers.token_f1(outcome(abstained=True), UNJUDGED).value == 0.0


@pytest.mark.parametrize("metric", [answers.exact_match, answers.token_f1, answers.completeness])
def test_likeness_wants_an_answerable_question_with_a_reference(metric: Callable[..., Score]) -> None:
    assert metric(outcome(answerable=False), UNJUDGED).why == "unanswerable"
    assert metric(said("4 g", None), UNJUDGED).why == "no reference"


def test_completeness_is_the_share_of_conveyed_sentences() -> None:
    score = answers.completeness(outcome(), Rulings(conveyed=verdicts(True, False)))
    assert (score.value, score.why) == (0.5, "1 of 2 sentences of the reference conveyed")


def test_an_abstention_is_right_only_without_an_answer_in_the_corpus() -> None:
    without, within = outcome(answerable=False, abstained=True), outcome(abstained=True)
    assert answers.abstained_rightly(without, UNJUDGED).value == 1.0
    assert answers.answered_wrongly(without, UNJUDGED).value == 0.0
    assert answers.refused_wrongly(within, UNJUDGED).value == 1.0


def test_abstention_is_measured_on_the_questions_that_it_is_about() -> None:
    assert answers.abstained_rightly(outcome(), UNJUDGED).why == "answerable"
    assert answers.answered_wrongly(outcome(), UNJUDGED).why == "answerable"
    assert answers.refused_wrongly(outcome(answerable=False), UNJUDGED).why == "unanswerable"


def test_one_unsupported_statement_is_a_hallucination() -> None:
    answered = outcome(context=[hit(0, 9)])
    assert answers.hallucinated(answered, statements(True, False)).value == 1.0
    assert answers.grounded(answered, statements(True, False)).value == 0.0


def test_an_answer_is_grounded_when_it_is_supported_and_does_not_abstain() -> None:
    answered = outcome(context=[hit(0, 9)])
    abstaining = replace(answered, response=replace(answered.response, abstained=True))
    assert answers.grounded(answered, statements(True, True)).value == 1.0
    assert answers.grounded(abstaining, statements(True, True)).value == 0.0


def test_an_answer_without_statements_is_neither_grounded_nor_hallucinated() -> None:
    answered = outcome(context=[hit(0, 9)])
    assert answers.grounded(answered, statements()).why == "no statement in the answer"
    assert answers.hallucinated(answered, statements()).value is None
