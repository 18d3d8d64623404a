"""What became better or worse between two states of the same runs."""

from __future__ import annotations

import pytest

from benchmark.readings.improvement import Improvements, improvements
from benchmark.report.improvement import Versus, as_markdown, verdict


def moved(by: float, *, questions: int = 12, runs: int = 1, direction: str = "higher") -> Improvements:
    """Runs whose scores all move by as much, with one metric that does not move."""
    before = {f"q{number}": 0.2 + 0.01 * number for number in range(questions)}
    after = {name: value + by for name, value in before.items()}
    values = {"ragas/faithfulness": (before, after), "ragas/context_recall": (before, before)}
    directions = {"ragas/faithfulness": direction, "ragas/context_recall": "higher"}
    return improvements({f"run{number}": values for number in range(runs)}, directions=directions, seed=7)  # type: ignore[arg-type]  # texts


def told(found: Improvements) -> str:
    return " ".join(verdict(Versus("one", "two", found, {}, {})))


@pytest.mark.parametrize(
    ("by", "direction", "wanted"),
    [(0.3, "higher", "better"), (-0.1, "higher", "worse"), (-0.1, "lower", "better"), (0.1, "neither", "changed")],
)
def test_a_difference_on_every_question_has_the_verdict_of_its_direction(
    by: float, direction: str, wanted: str
) -> None:
    [row, same] = moved(by, direction=direction).rows
    assert (row.verdict, same.verdict, same.adjusted_p) == (wanted, "the same", None)


def test_what_did_not_move_costs_what_moved_nothing() -> None:
    row = moved(0.3, questions=12).rows[0]
    assert row.adjusted_p == row.p_value == 2**-11


def test_p_values_are_adjusted_over_all_that_moved() -> None:
    assert [row.adjusted_p for row in moved(0.3, runs=3).of("better")] == [3 * 2**-11] * 3


def test_a_large_difference_on_few_questions_is_not_told_apart() -> None:
    found = moved(0.5, questions=5)
    assert found.rows[0].verdict == "not told apart"
    assert "Cannot tell better from worse with 5 questions: the smallest attainable corrected p is 0.062" in told(found)


def test_only_questions_that_both_have_count_and_the_others_are_told() -> None:
    values = {"m": ({"q1": 1.0, "q2": 0.0}, {"q2": 1.0, "q3": 0.0})}
    [row] = improvements({"bm25": values}, directions={"m": "higher"}, seed=7).rows
    assert (row.before, row.after, row.difference.n, row.difference.missing) == (0.0, 1.0, 1, 2)


def test_a_metric_that_both_never_measured_together_is_left_out() -> None:
    assert improvements({"bm25": {"m": ({"q1": 1.0}, {})}}, directions={"m": "higher"}, seed=7).rows == ()


def test_the_table_marks_what_is_beyond_noise_and_says_so_below() -> None:
    found = moved(0.3)
    page = as_markdown(Versus("one", "two", found, {}, {}))
    [line] = [line for line in page.splitlines() if line.startswith("| Faithfulness | run0 | ")]
    assert line.endswith(" | < 0.001 | 12 | better |")
    assert "- Faithfulness of run0 is better: " in page
    assert "1 of 2 figures are the same on every question." in page
