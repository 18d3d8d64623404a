"""The answer in one sentence claims what the tests allow."""

from __future__ import annotations

from benchmark.report.answer import answer, unbeaten
from benchmark.report.phrases import phrases
from tests.report.accounts import account

EN, ES = phrases("en"), phrases("es")


def test_one_run_that_is_ahead_is_named_with_those_it_beats() -> None:
    told = answer(account({"bm25": 0.3, "hybrid": 0.8, "oracle": 0.95}), EN)
    assert told.startswith("hybrid is best or cannot be told apart from the best on all 7 metrics (Faithfulness, ")
    assert "every other run (bm25) is beaten beyond noise" in told


def test_many_that_are_beaten_are_counted() -> None:
    told = answer(account({f"s{number}": 0.2 + 0.1 * number for number in range(7)}, bounds={}), EN)
    assert "every other run (6 in all) is beaten" in told


def test_few_questions_rank_nobody() -> None:
    told = answer(account(questions=3), EN)
    assert told.startswith("3 questions cannot rank 2 runs on any metric: to see a difference of 0.10")


def test_runs_that_are_the_same_are_not_told_apart() -> None:
    found = account({"a": 0.5, "b": 0.5000001}, bounds={})
    assert unbeaten(found) in (("a", "b"), ("a",), ("b",))
    assert "on 30 questions" in answer(found, EN).lower()


def test_a_run_alone_is_compared_with_nothing() -> None:
    assert answer(account({"bm25": 0.5}, bounds={}), ES).startswith("Se examinó una sola ejecución")
    assert answer(account({"bm25": 0.5, "oracle": 0.9}), EN).startswith("No two runs compete")
