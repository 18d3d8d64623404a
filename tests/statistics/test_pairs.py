from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.statistics.intervals import How
from benchmark.statistics.pairs import comparisons, spread

Run = dict[str, float]
runs = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d"]),
    st.dictionaries(st.sampled_from([f"q{i}" for i in range(9)]), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
)


def test_only_common_questions_are_compared() -> None:
    [pair] = comparisons("m", {"a": {"q1": 1.0, "q2": 0.5}, "b": {"q2": 0.0, "q3": 0.0}}, seed=7)
    assert (pair.difference.mean, pair.difference.n, pair.difference.missing) == (0.5, 1, 2)


def test_pairs_without_a_common_question_are_left_out() -> None:
    assert comparisons("m", {"a": {"q1": 1.0}, "b": {"q2": 0.0}}, seed=7) == ()


def test_the_effect_is_the_mean_difference_in_its_deviations() -> None:
    [pair] = comparisons("m", {"a": {"1": 0.2, "2": 0.6, "3": 0.7}, "b": {"1": 0.0, "2": 0.0, "3": 0.0}}, seed=7)
    assert pair.deviation == pytest.approx(np.std([0.2, 0.6, 0.7], ddof=1))
    assert pair.effect == pytest.approx(0.5 / np.std([0.2, 0.6, 0.7], ddof=1))
    assert (pair.a_ahead, pair.b_ahead) == (3, 0)


def test_equal_runs_differ_by_nothing_and_have_no_effect() -> None:
    [pair] = comparisons("m", {"a": {"1": 0.2, "2": 0.6}, "b": {"1": 0.2, "2": 0.6}}, seed=7)
    assert (pair.p_value, pair.effect, pair.difference.how, spread([pair])) == (1.0, None, How.NO_SPREAD, None)


@given(runs)
def test_every_pair_with_common_questions_has_finite_figures(found: dict[str, Run]) -> None:
    for pair in comparisons("m", found, seed=7):
        assert 0 < pair.p_value <= pair.adjusted_p <= 1
        assert 0 < pair.wilcoxon_p <= 1
        assert np.isfinite([pair.difference.mean or 0.0, pair.deviation, pair.effect or 0.0]).all()


@given(runs)
def test_swapping_two_runs_turns_the_difference_round(found: dict[str, Run]) -> None:
    turned = dict(reversed(found.items()))
    there = {(pair.a, pair.b): pair for pair in comparisons("m", found, seed=7)}
    for pair in comparisons("m", turned, seed=7):
        other = there[pair.b, pair.a]
        assert pair.difference.mean == pytest.approx(-(other.difference.mean or 0.0))
        assert pair.p_value == pytest.approx(other.p_value)
        assert pair.a_ahead == other.b_ahead
