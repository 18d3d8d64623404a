"""Retrieval metrics on evidence and on documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.domain import Evidence, Hit, Outcome, Response, Rulings, Score
from benchmark.metrics import retrieval
from tests.factories import evidence, hit, outcome, question, step

UNJUDGED = Rulings()
METRICS = ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")


def score(
    name: str, case: Outcome, *, k: int = 5, min_grade: int = 2, of: Literal["evidence", "documents"] = "evidence"
) -> Score:
    metric: Callable[..., Score] = getattr(retrieval, name)
    grades = {} if name == "ndcg" else {"min_grade": min_grade}
    measured: Score = metric(case, UNJUDGED, k=k, of=of, **grades)
    return measured


def value(name: str, case: Outcome, *, k: int = 5, min_grade: int = 2) -> float:
    measured = score(name, case, k=k, min_grade=min_grade).value
    assert measured is not None
    return measured


TWO_SPANS = [evidence(0, 10), evidence(100, 110, grade=2)]
NOTHING = hit(900, 910)


def test_precision_divides_by_k_also_where_fewer_were_found() -> None:
    assert value("precision", outcome(TWO_SPANS, [hit(0, 20)])) == 1 / 5


def test_evidence_that_one_hit_meets_together_is_one_target() -> None:
    both = outcome([evidence(0, 10, grade=2), evidence(20, 30)], [hit(0, 40)])
    assert value("ndcg", both) == value("map", both) == value("recall", both) == 1.0


def test_a_target_is_credited_only_at_the_first_hit_that_overlaps_it() -> None:
    split = outcome([evidence(0, 10)], [hit(0, 5), hit(5, 10)])
    assert value("precision", split, k=2) == 0.5


def test_recall_counts_spans_and_not_targets() -> None:
    case = outcome([*TWO_SPANS, evidence(12, 15)], [hit(0, 20)])
    assert value("recall", case) == 2 / 3


def test_hits_behind_the_cutoff_are_not_credited() -> None:
    assert [value(name, outcome(TWO_SPANS, [NOTHING, hit(0, 9)]), k=1) for name in METRICS] == [0.0] * len(METRICS)


def test_the_cutoff_does_not_change_what_there_is_to_find() -> None:
    case = outcome([evidence(0, 10), evidence(20, 30), evidence(900, 910)], [hit(0, 10), hit(0, 40)])
    assert score("ndcg", case, k=1).why == "gains [3], ideal [3]"
    assert score("map", case, k=1) == Score(0.5, "at ranks [1]; 2 targets")


def test_evidence_on_topic_counts_for_ndcg_alone() -> None:
    on_topic = outcome([evidence(0, 10, grade=1)], [hit(0, 10)])
    assert value("ndcg", on_topic) == 1.0
    assert score("recall", on_topic).why == "no evidence of grade 2 or more"


def test_the_least_grade_is_a_parameter() -> None:
    assert value("recall", outcome([evidence(0, 10, grade=1)], [hit(0, 10)]), min_grade=1) == 1.0


@pytest.mark.parametrize("name", METRICS)
def test_what_cannot_be_measured_says_why(name: str) -> None:
    assert score(name, outcome(TWO_SPANS, answerable=False)).why == "unanswerable"
    assert score(name, outcome(TWO_SPANS, retrieves=False)).why == "this pipeline does not retrieve"
    assert score(name, outcome([], [hit(0, 9)])).value is None


@pytest.mark.parametrize("name", METRICS)
def test_a_retriever_that_found_nothing_scores_zero(name: str) -> None:
    assert value(name, outcome(TWO_SPANS)) == 0.0
    assert "nothing was retrieved" in score(name, outcome(TWO_SPANS)).why


def test_the_reason_tells_the_ranks() -> None:
    case = outcome(TWO_SPANS, [NOTHING, hit(0, 20)])
    assert score("mrr", case) == Score(0.5, "at ranks [2]")
    assert score("ndcg", case).why == "gains [0, 3], ideal [3, 2]"


def test_documents_stand_at_the_rank_of_their_best_passage() -> None:
    passages = [hit(0, 9, "other"), hit(20, 30, "other"), hit(500, 510), hit(600, 610)]
    assert score("mrr", outcome(TWO_SPANS, passages), of="documents").value == 0.5
    assert score("precision", outcome(TWO_SPANS, passages), of="documents").value == 1 / 5


def test_a_document_has_the_highest_grade_of_its_evidence() -> None:
    gold = [evidence(0, 10, grade=3), evidence(20, 30, grade=1), evidence(0, 10, grade=2, document="other")]
    case = outcome(gold, [hit(90, 99), hit(90, 99, "other")])
    assert score("ndcg", case, of="documents") == Score(1.0, "gains [3, 2], ideal [3, 2]")


def test_candidates_of_every_stage_count_for_candidate_recall() -> None:
    stages = (step(hit(0, 20)), step(hit(100, 120)), step(NOTHING, name="rerank"))
    case = Outcome(question(*TWO_SPANS), Response("", False, (NOTHING,), stages))
    assert retrieval.candidate_recall(case, UNJUDGED, min_grade=2).value == 1.0


def test_a_pipeline_that_names_no_candidates_has_no_candidate_recall() -> None:
    case = Outcome(question(*TWO_SPANS), Response("", False, (NOTHING,), ()))
    assert retrieval.candidate_recall(case, UNJUDGED, min_grade=2).why == "no stage names its candidates"


def test_evidence_characters_are_counted_once() -> None:
    case = outcome([evidence(0, 10), evidence(5, 20)], [hit(0, 5), hit(3, 10)])
    assert retrieval.evidence_characters(case, UNJUDGED, min_grade=2).value == 0.5


# ------------------------------------------------------------------------------------------------- laws


def spans(most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.lists(st.tuples(st.integers(0, 60), st.integers(1, 25)), min_size=1, max_size=most)


GOLD = st.builds(
    lambda places, grades: [evidence(a, a + n, grade) for (a, n), grade in zip(places, grades, strict=False)],
    spans(5),
    st.lists(st.integers(1, 3), min_size=5, max_size=5),
)
FOUND = spans(8).map(lambda places: [hit(start, start + length) for start, length in places])


@given(GOLD, FOUND, st.integers(1, 10))
def test_every_metric_lies_between_zero_and_one(gold: list[Evidence], found: list[Hit], k: int) -> None:
    case = outcome(gold, found)
    assert all(0.0 <= value(name, case, k=k, min_grade=1) <= 1.0 + 1e-12 for name in METRICS)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6))
def test_an_ideal_ranking_scores_one(grades: list[int]) -> None:
    gold = [evidence(10 * place, 10 * place + 9, grade) for place, grade in enumerate(sorted(grades, reverse=True))]
    case = outcome(gold, [hit(item.span.start, item.span.end) for item in gold])
    assert [value(name, case, k=len(gold), min_grade=1) for name in METRICS] == pytest.approx([1.0] * len(METRICS))


@given(GOLD, FOUND, st.integers(1, 10))
def test_recall_grows_with_k(gold: list[Evidence], found: list[Hit], k: int) -> None:
    case = outcome(gold, found)
    assert value("recall", case, k=k, min_grade=1) <= value("recall", case, k=k + 1, min_grade=1)


@given(GOLD, FOUND, FOUND, st.integers(1, 10))
def test_moving_a_relevant_hit_up_never_lowers_ndcg(
    gold: list[Evidence], first: list[Hit], then: list[Hit], k: int
) -> None:
    risen, *rest = then
    before, after = outcome(gold, [*first, NOTHING, *rest, risen]), outcome(gold, [*first, risen, *rest, NOTHING])
    assert value("ndcg", after, k=k) >= value("ndcg", before, k=k) - 1e-12
