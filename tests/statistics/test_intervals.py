from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmark.statistics.intervals import How, clopper_pearson, estimate, estimates, missing_bounds

scores = st.lists(st.floats(0, 1), max_size=30)


@pytest.mark.parametrize("n", [8, 30, 120])
def test_the_interval_agrees_with_scipys_bca(n: int) -> None:
    values = np.random.default_rng(n).beta(2, 1, n)
    expected = stats.bootstrap((values,), np.mean, method="BCa", rng=1).confidence_interval
    found = estimate(values.tolist(), on_unit_scale=True, seed=7)
    width = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.05 * width)


def test_the_same_seed_gives_the_same_interval_whoever_stands_beside() -> None:
    alone = estimate([0.1, 0.5, 0.9], on_unit_scale=True, seed=7)
    assert estimates([[0.0, 1.0, 1.0], [0.1, 0.5, 0.9]], on_unit_scale=True, seed=7)[1] == alone


def test_another_seed_gives_another_interval() -> None:
    values = np.random.default_rng(1).normal(size=12).tolist()
    one, other = (estimate(values, on_unit_scale=False, seed=seed).low for seed in (7, 8))
    assert one != other


@given(scores)
def test_the_interval_holds_the_mean_and_stays_in_the_scores_range(values: list[float]) -> None:
    found = estimate(values, on_unit_scale=True, seed=7)
    if found.mean is not None and found.low is not None and found.high is not None:
        assert -1e-9 <= found.low <= found.mean + 1e-9
        assert found.mean - 1e-9 <= found.high <= 1 + 1e-9


def test_ten_ones_have_clopper_pearsons_interval() -> None:
    found = estimate([1.0] * 10, on_unit_scale=True, seed=7)
    assert found.low == pytest.approx(0.6915, abs=1e-4)
    assert (found.high, found.how) == (1.0, How.CLOPPER_PEARSON)


def test_equal_scores_elsewhere_have_no_spread() -> None:
    found = [estimate([0.5] * 9, on_unit_scale=True, seed=7), estimate([1.0] * 9, on_unit_scale=False, seed=7)]
    assert [(one.low, one.high, one.how) for one in found] == [(None, None, How.NO_SPREAD)] * 2


def test_no_value_is_not_measured() -> None:
    found = estimate([], missing=4, on_unit_scale=True, seed=7)
    assert (found.mean, found.how, found.missing) == (None, How.NOT_MEASURED, 4)


@pytest.mark.parametrize(("successes", "n"), [(0, 7), (3, 10), (10, 10)])
def test_clopper_pearson_agrees_with_scipy(successes: int, n: int) -> None:
    expected = stats.binomtest(successes, n).proportion_ci(method="exact")
    assert clopper_pearson(successes, n) == pytest.approx((expected.low, expected.high))


@given(scores.filter(bool), st.integers(0, 9))
def test_bounds_hold_the_mean_of_what_was_measured(values: list[float], missing: int) -> None:
    bounds = missing_bounds(values, missing)
    assert bounds is not None
    assert bounds.low - 1e-9 <= sum(values) / len(values) <= bounds.high + 1e-9


def test_few_scores_and_scores_near_the_ceiling_carry_a_caution() -> None:
    few = estimate([0.2, 0.4, 0.5, 0.6, 0.9] * 2, on_unit_scale=True, seed=7)
    near_ceiling = estimate([1.0] * 39 + [0.5], on_unit_scale=True, seed=7)
    many = estimate(np.linspace(0, 1, 100).tolist(), on_unit_scale=True, seed=7)
    assert (few.coverage, near_ceiling.coverage, many.caution) == (0.91, 0.81, None)
    assert "91 %" in (few.caution or "")
