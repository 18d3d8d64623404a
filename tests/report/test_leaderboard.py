"""What may be said of the best of a table."""

from __future__ import annotations

import pytest

from benchmark.report.leaderboard import Leaderboard, Row, verdict
from tests.factories import record


def board(*runs: tuple[str, float, bool]) -> Leaderboard:
    rows = [
        Row(name, tuple(record({"ragas/faithfulness": value}, name=f"q{n}") for n in range(4)), 0.0, yardstick, 5)
        for name, value, yardstick in runs
    ]
    return Leaderboard.of(rows, seed=7)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_means_have_no_best(value: float) -> None:
    [said] = verdict(board(("bm25", value, False), ("dense", value, False), ("oracle", 0.5, True)), lambda *_: None)
    assert said == f"Faithfulness: no difference: every run has the same mean ({value:.2f})."


def test_other_means_have_one_that_may_be_chance() -> None:
    [said] = verdict(board(("bm25", 0.0, False), ("dense", 1.0, False)), lambda *_: None)
    assert said == "Faithfulness: dense has the best mean (1.00), but no run can be told apart from it."


def test_a_run_alone_is_compared_with_nobody() -> None:
    assert verdict(board(("bm25", 0.0, False)), lambda *_: None) == []
