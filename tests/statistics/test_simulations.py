"""What the tests and the intervals promise, where the truth is known; ``docs/statistics.md`` has the figures."""

from __future__ import annotations

import pytest

from benchmark.statistics.coverage import COVERAGE, SIZES
from benchmark.statistics.simulate import SHAPES, coverage, family_wise_error, power

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("in_fifths", [False, True])
@pytest.mark.parametrize("n", [10, 20, 40, 100])
def test_the_family_wise_error_is_not_above_five_percent_beyond_chance(n: int, in_fifths: bool) -> None:
    assert family_wise_error(n, in_fifths=in_fifths) <= 0.064


@pytest.mark.parametrize("n", [100, 200, 500])
@pytest.mark.parametrize("shape", SHAPES)
def test_from_100_questions_on_intervals_hold_what_they_promise(shape: str, n: int) -> None:
    assert 0.93 <= coverage(SHAPES[shape], n).shipped <= 0.97


@pytest.mark.parametrize(("row", "shape"), [(0, "spread (normal)"), (1, "80 % ones"), (2, "95 % ones")])
def test_the_shipped_coverage_is_what_is_measured(row: int, shape: str) -> None:
    measured = [round(coverage(SHAPES[shape], n).bca, 2) for n in SIZES]
    assert measured == pytest.approx(list(COVERAGE[row][1]), abs=0.011)


def test_with_the_questions_said_to_be_needed_four_of_five_differences_are_seen() -> None:
    assert power(0.3, 0.1)[1] == pytest.approx(0.8, abs=0.04)
