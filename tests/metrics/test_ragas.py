"""The four metrics of RAGAS: the worked examples, and what is not measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.domain import Failure, Outcome, RelevancyScale, Rulings, Score
from benchmark.metrics import ragas
from tests.factories import hit, implied, outcome, statements, verdicts

ANSWERED = outcome(context=[hit(0, 10)])
FIVE_PASSAGES = outcome(context=[hit(10 * place, 10 * place + 9) for place in range(5)])
UNANSWERABLE = outcome(context=[hit(0, 10)], answerable=False)
RULED = replace(statements(True), useful=verdicts(True), attributed=verdicts(True), implied=implied(0.6))


def test_two_of_two_supported_statements_are_faithful() -> None:
    assert ragas.faithfulness(ANSWERED, statements(True, True)).value == 1.0


def test_three_of_five_supported_statements_give_three_fifths() -> None:
    score = ragas.faithfulness(ANSWERED, statements(True, True, True, False, False))
    assert (score.value, score.why) == (0.6, "3 of 5 statements supported")


def test_three_of_five_attributed_facts_give_a_recall_of_three_fifths() -> None:
    rulings = Rulings(attributed=verdicts(True, False, True, False, True))
    assert ragas.context_recall(ANSWERED, rulings).value == 0.6


def test_relevancy_is_the_mean_similarity() -> None:
    score = ragas.answer_relevancy(ANSWERED, Rulings(implied=implied(0.92, 0.95, 0.88)))
    assert score.value == pytest.approx(0.917, abs=5e-4)


def test_useful_passages_at_ranks_one_two_and_four_give_a_precision_of_0_917() -> None:
    rulings = Rulings(useful=verdicts(True, True, False, True, False))
    assert ragas.context_precision(FIVE_PASSAGES, rulings).value == pytest.approx(0.917, abs=5e-4)


def test_passages_of_no_use_have_a_precision_of_zero() -> None:
    assert ragas.context_precision(ANSWERED, Rulings(useful=verdicts(False))).value == 0.0


def test_relevancy_is_read_on_the_scale_of_the_corpus_and_clipped() -> None:
    scale = RelevancyScale(zero=0.8, one=0.9)
    read = [
        ragas.answer_relevancy(ANSWERED, Rulings(implied=implied(raw), scale=scale)).value for raw in (0.7, 0.85, 1.0)
    ]
    assert read == pytest.approx([0.0, 0.5, 1.0])


def test_the_raw_relevancy_is_on_no_scale() -> None:
    rulings = Rulings(implied=implied(0.85), scale=RelevancyScale(zero=0.8, one=0.9))
    assert ragas.answer_relevancy_raw(ANSWERED, rulings).value == 0.85


def test_a_scale_without_width_measures_nothing() -> None:
    rulings = Rulings(implied=implied(0.85), scale=RelevancyScale(zero=0.8, one=0.8))
    assert ragas.answer_relevancy(ANSWERED, rulings).value is None


@pytest.mark.parametrize(
    ("abstained", "rulings"),
    [
        (True, Rulings(implied=implied(0.9))),
        (True, Rulings(implied=())),
        (False, Rulings(implied=implied(0.9, noncommittal=True))),
    ],
)
def test_an_answer_that_abstains_has_no_relevancy(abstained: bool, rulings: Rulings) -> None:
    abstaining = outcome(context=[hit(0, 10)], abstained=abstained)
    assert ragas.answer_relevancy(abstaining, rulings).value == 0.0
    assert ragas.answer_relevancy_answered(abstaining, rulings).why == "abstained"


def test_an_abstention_that_no_judge_saw_is_not_measured() -> None:
    score = ragas.answer_relevancy(outcome(abstained=True), Rulings())
    assert (score.value, score.why) == (None, "the judge was not asked")


def test_the_mean_is_that_of_the_four() -> None:
    assert ragas.mean(ANSWERED, RULED).value == pytest.approx((1 + 1 + 1 + 0.6) / 4)


def test_the_mean_of_three_is_not_measured_and_names_the_fourth() -> None:
    score = ragas.mean(ANSWERED, replace(RULED, attributed=None))
    assert (score.value, score.why) == (None, "without context_recall (the judge was not asked)")


@pytest.mark.parametrize("metric", [ragas.answer_relevancy, ragas.context_precision, ragas.context_recall, ragas.mean])
def test_an_unanswerable_question_is_measured_only_as_the_library_does(metric: Callable[..., Score]) -> None:
    assert metric(UNANSWERABLE, RULED).why == "unanswerable"
    assert metric(UNANSWERABLE, RULED, unanswerable="ragas").value is not None


def test_statements_on_an_unanswerable_question_are_measured() -> None:
    assert ragas.faithfulness(UNANSWERABLE, statements(True, False)).value == 0.5


@pytest.mark.parametrize(
    ("case", "rulings", "why"),
    [
        (ANSWERED, Rulings(statements=()), "no statement in the answer"),
        (outcome(), statements(True), "no context"),
        (
            ANSWERED,
            Rulings(failures=(Failure("statements", "Timeout", "judge failed: timed out"),)),
            "judge failed: timed out",
        ),
        (ANSWERED, replace(statements(True), supported=None), "the judge was not asked"),
        (ANSWERED, replace(statements(True, True), supported=verdicts(True)), "the judge ruled on 1 of 2 statements"),
    ],
)
def test_faithfulness_that_is_not_measured_says_why(case: Outcome, rulings: Rulings, why: str) -> None:
    score = ragas.faithfulness(case, rulings)
    assert (score.value, score.why) == (None, why)


@pytest.mark.parametrize("metric", [ragas.context_precision, ragas.context_recall])
def test_context_metrics_want_a_context_and_a_reference(metric: Callable[..., Score]) -> None:
    unknown = replace(ANSWERED, question=replace(ANSWERED.question, reference=None))
    assert metric(outcome(), RULED).why == "no context"
    assert metric(unknown, RULED).why == "no reference"


@given(st.lists(st.booleans(), min_size=1))
def test_precision_is_highest_when_useful_passages_stand_first(useful: list[bool]) -> None:
    value = ragas.average_precision(useful)
    assert 0.0 <= value <= ragas.average_precision(sorted(useful, reverse=True)) == float(any(useful))


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 1))
def test_a_rescaled_value_lies_between_zero_and_one(value: float, zero: float, width: float) -> None:
    assert 0.0 <= ragas.rescaled(value, zero=zero, one=zero + width) <= 1.0
