from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchmark.statistics.signflip import draws_for, holm, sign_flip, sign_flips, smallest_p, wilcoxon

differences = st.lists(st.sampled_from([-1.0, -0.6, -0.2, 0.0, 0.2, 0.4, 1.0]), min_size=1, max_size=12)


def test_the_exact_test_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 10)
    expected = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert sign_flip(values, seed=7) == pytest.approx(expected)


def test_the_drawn_test_is_near_the_exact_one() -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 18)
    expected = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert sign_flip(values, seed=7) == pytest.approx(expected, abs=0.02)


def test_a_drawn_p_is_never_zero() -> None:
    assert sign_flip(np.ones(60), seed=7) == pytest.approx(1 / 10_001)


def test_ten_questions_that_all_differ_cannot_fall_below_two_in_1024() -> None:
    assert sign_flip(np.ones(10), seed=7) == 2 / 1024


@given(differences)
def test_the_sign_of_all_differences_does_not_matter(values: list[float]) -> None:
    assert sign_flip(np.array(values), seed=7) == sign_flip(-np.array(values), seed=7)


@given(differences, differences)
def test_a_pair_has_the_same_p_beside_another(one: list[float], other: list[float]) -> None:
    length = max(len(one), len(other))
    padded = np.array([values + [0.0] * (length - len(values)) for values in (one, other)]).T
    assert sign_flips(padded, seed=7).tolist() == [sign_flip(np.array(values), seed=7) for values in (one, other)]


def test_equal_scores_that_rounding_parts_are_no_difference() -> None:
    assert sign_flip(np.array([0.1 + 0.2 - 0.3] * 10), seed=7) == 1.0


def test_the_signed_rank_test_agrees_with_scipy_where_nothing_ties() -> None:
    values = np.random.default_rng(3).normal(0.4, 1, (14, 5))
    expected = [stats.wilcoxon(column, method="exact").pvalue for column in values.T]
    assert wilcoxon(values).tolist() == pytest.approx(expected)


def test_the_signed_rank_test_agrees_with_scipys_approximation_where_much_ties() -> None:
    values = np.random.default_rng(3).integers(-3, 5, (60, 5)) / 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [stats.wilcoxon(column, method="asymptotic").pvalue for column in values.T]
    assert wilcoxon(values).tolist() == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_is_never_below_the_raw_one(p_values: list[float]) -> None:
    assert all(raw <= adjusted <= 1 for raw, adjusted in zip(p_values, holm(p_values), strict=True))


@given(st.integers(1, 60), st.integers(1, 2000))
def test_enough_patterns_are_drawn_that_pairs_alone_do_not_forbid_a_ranking(questions: int, pairs: int) -> None:
    reached = smallest_p(questions, pairs, draws=draws_for(pairs, alpha=0.05))
    assert reached <= 0.05 or questions <= 16
