from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from benchmark.statistics import best_and_tied, differences, holm, sign_flip


def test_the_exact_test_agrees_with_scipy() -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 10)
    expected = permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert sign_flip(values, seed=7) == pytest.approx(expected)


def test_the_drawn_test_is_near_the_exact_one() -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 18)
    expected = permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    assert sign_flip(values, seed=7) == pytest.approx(expected, abs=0.02)


def test_ten_questions_that_all_differ_cannot_fall_below_two_in_1024() -> None:
    assert sign_flip(np.ones(10), seed=7) == 2 / 1024


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_is_never_below_the_raw_one(p_values: list[float]) -> None:
    assert all(raw <= adjusted <= 1 for raw, adjusted in zip(p_values, holm(p_values), strict=True))


def test_only_common_questions_are_compared() -> None:
    [pair] = differences({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q2": 0.0, "q3": 0.0}}, seed=7)
    assert (pair.mean, pair.n) == (0.5, 1)


def test_a_clear_best_is_told_apart_and_a_near_one_is_not() -> None:
    draw = np.random.default_rng(1)
    good = {f"q{i}": 0.8 + float(x) for i, x in enumerate(draw.normal(0, 0.1, 40))}
    near = {q: value + float(x) for (q, value), x in zip(good.items(), draw.normal(-0.001, 0.1, 40), strict=True)}
    bad = {q: value - 0.4 for q, value in good.items()}
    assert best_and_tied({"good": good, "near": near, "bad": bad}, higher_is_better=True, seed=7) in (
        ("good", frozenset({"near"})),
        ("near", frozenset({"good"})),
    )


def test_with_two_questions_nothing_can_be_told_apart() -> None:
    found = best_and_tied({"a": {"1": 1.0, "2": 1.0}, "b": {"1": 0.0, "2": 0.0}}, higher_is_better=True, seed=7)
    assert found == ("a", frozenset({"b"}))


def test_a_mean_over_easier_questions_does_not_beat_who_is_better_on_the_common_ones() -> None:
    easy, hard = [f"e{i}" for i in range(6)], [f"h{i}" for i in range(20)]
    all_of_them = {**dict.fromkeys(easy, 1.0), **dict.fromkeys(hard, 0.3)}
    found = best_and_tied({"a": dict.fromkeys(easy, 0.9), "b": all_of_them}, higher_is_better=True, seed=7)
    assert found == ("a", frozenset({"b"}))


def test_runs_without_a_common_question_are_not_told_apart() -> None:
    found = best_and_tied({"a": {"q1": 1.0}, "b": {"q2": 0.0}}, higher_is_better=True, seed=7)
    assert found == ("a", frozenset({"b"}))


def test_lower_is_better_where_so_said() -> None:
    found = best_and_tied({"a": {"1": 1.0}, "b": {"1": 0.0}}, higher_is_better=False, seed=7)
    assert found == ("b", frozenset({"a"}))
