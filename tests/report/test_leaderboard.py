"""What may be said of the best of a table."""

from __future__ import annotations

import pytest

from benchmark.report.leaderboard import Leaderboard, Row, verdict
from tests.factories import record


def board(*runs: tuple[str, float, bool]) -> Leaderboard:
    rows = [row(name, value, yardstick=yardstick) for name, value, yardstick in runs]
    return Leaderboard.of(rows, seed=7)


def row(name: str, value: float, *, yardstick: bool = False, asked: int = 4) -> Row:
    records = tuple(record({"ragas/faithfulness": value}, name=f"q{n}") for n in range(4))
    return Row(name, records, asked=asked, seconds=0.0, yardstick=yardstick, k=5)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_means_have_no_best(value: float) -> None:
    [said] = verdict(board(("bm25", value, False), ("dense", value, False), ("oracle", 0.5, True)), lambda *_: None)
    assert said == f"Faithfulness: no difference: every run has the same mean ({value:.2f})."


def test_other_means_have_one_that_may_be_chance() -> None:
    [said] = verdict(board(("bm25", 0.0, False), ("dense", 1.0, False)), lambda *_: None)
    assert said == "Faithfulness: dense has the best mean (1.00), but no run can be told apart from it."


def test_a_run_alone_is_compared_with_nobody() -> None:
    assert verdict(board(("bm25", 0.0, False)), lambda *_: None) == []


def test_a_run_that_lacks_a_question_competes_for_nothing() -> None:
    leaders = Leaderboard.of([row("bm25", 0.5), row("dense", 0.25), row("hybrid", 1.0, asked=5)], seed=7)
    assert leaders.best["ragas/faithfulness"][0] == "bm25"
    assert leaders.cells(leaders.rows[2])[-4] == "4 of 5"


def test_the_second_table_says_over_how_many_answers_each_share_is() -> None:
    answers = tuple(record({"answer/grounded": value}, name=f"q{n}") for n, value in enumerate((1.0, 0.0, None, 1.0)))
    [shown] = Leaderboard.of([Row("bm25", answers, asked=4, seconds=0.0, yardstick=False, k=5)], seed=7).rows
    assert Leaderboard.of([shown], seed=7).answer_cells(shown)[5] == "0.67 (3)"
    assert shown.abstaining() == 0.0
