"""The loop: what reaches the judge, and what a record says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmark.config import Plan
from benchmark.domain import Record
from benchmark.job import examiner
from benchmark.run import index, run

UNANSWERABLE = "no-1"


@pytest.fixture
def unanswerable(planned: Callable[..., Plan]) -> Callable[..., Record]:
    """The record of the tiny exam's unanswerable question, by overrides."""

    def asked(*overrides: str) -> Record:
        plan = planned(*overrides)
        indexed = index(plan.architecture, plan.corpus.documents, plan.generator)
        questions = [question for question in plan.questions if question.id == UNANSWERABLE]
        [record] = run(indexed.pipeline, questions, examiner(plan))
        return record

    return asked


def test_unanswerable_questions_get_all_four_metrics_as_the_library_gives_them(
    unanswerable: Callable[..., Record],
) -> None:
    scores = unanswerable("architecture=random_passages", "metrics.unanswerable=ragas").scores
    assert scores["ragas/mean"].value is not None, scores["ragas/mean"].why


def test_by_default_they_get_faithfulness_alone(unanswerable: Callable[..., Record]) -> None:
    scores = unanswerable("architecture=random_passages").scores
    assert scores["ragas/faithfulness"].value is not None
    assert {scores[f"ragas/{name}"].why for name in ("mean", "context_recall", "answer_relevancy")} == {"unanswerable"}
