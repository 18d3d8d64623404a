"""Each reading by itself: hand-worked values, laws, and other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from benchmark.readings.agreement import kappas
from benchmark.readings.duels import contested, duels
from benchmark.readings.headroom import headroom
from benchmark.readings.matched_tokens import fitting
from benchmark.readings.pareto import front
from benchmark.readings.variance import split

Run = dict[str, float]
scores = st.sampled_from([0.0, 0.25, 0.5, 1.0])
runs_of_five = st.dictionaries(
    st.sampled_from("abcd"), st.lists(scores, min_size=5, max_size=5).map(lambda row: named(row)), min_size=1
)


def named(row: list[float]) -> Run:
    return {f"q{place}": value for place, value in enumerate(row)}


# ----------------------------------------------------------------------------------------------------- headroom
def test_floor_recovers_nothing_and_ceiling_all_of_the_headroom() -> None:
    floor, ceiling = named([0.0, 0.1, 0.3, 0.0]), named([1.0, 0.9, 1.0, 0.7])
    found = headroom({"floor": floor, "ceiling": ceiling}, floor=floor, ceiling=ceiling, seed=7)
    assert (found["floor"].mean, found["ceiling"].mean) == (0.0, 1.0)


def test_headroom_has_an_interval_over_questions() -> None:
    draw = np.random.default_rng(1)
    floor, ceiling = named(draw.uniform(0, 0.2, 40).tolist()), named(draw.uniform(0.8, 1, 40).tolist())
    found = headroom({"a": named(draw.uniform(0.3, 0.7, 40).tolist())}, floor=floor, ceiling=ceiling, seed=7)["a"]
    assert 0.4 < (found.low or 0) < (found.mean or 0) < (found.high or 0) < 0.6


def test_without_room_headroom_is_not_measured() -> None:
    same = named([0.5, 0.5])
    assert headroom({"a": named([0.9, 0.8])}, floor=same, ceiling=same, seed=7)["a"].mean is None


def test_headroom_of_a_metric_of_which_less_is_better() -> None:
    found = headroom(
        {"a": named([0.5, 0.5])}, floor=named([1.0, 1.0]), ceiling=named([0.0, 0.0]), higher_is_better=False, seed=7
    )
    assert found["a"].mean == 0.5


# ------------------------------------------------------------------------------------------------------- pareto
def test_who_is_worse_and_dearer_is_not_on_the_front() -> None:
    quality = {"good": named([0.9, 0.8]), "lean": named([0.4, 0.5]), "bad": named([0.3, 0.5])}
    tokens = {"good": named([900, 900]), "lean": named([100, 100]), "bad": named([100, 100])}
    found = front(quality, {"tokens": tokens, "money": {name: {} for name in quality}}, named="f", seed=7)
    assert found.costs == ("tokens",)
    assert {name: place.on_front for name, place in found.places.items()} == {"good": True, "lean": True, "bad": False}
    assert found.places["good"].share == 1.0
    assert 0 < found.places["bad"].share < 1  # where only the second question is drawn both are alike


@given(runs_of_five)
def test_the_front_is_never_empty_and_none_of_it_is_dominated(quality: dict[str, Run]) -> None:
    found = front(quality, {"cost": {name: named([1.0] * 5) for name in quality}}, named="f", seed=7)
    assert any(place.on_front for place in found.places.values())
    assert all(0 <= place.share <= 1 for place in found.places.values())


def test_a_run_without_a_cost_is_left_out() -> None:
    found = front({"a": named([1.0]), "b": named([0.5])}, {"tokens": {"a": named([5.0]), "b": {}}}, named="f", seed=7)
    assert (tuple(found.places), found.left_out) == (("a",), ("b",))


# ----------------------------------------------------------------------------------------------------- variance
def grid(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[tuple[str, str], Run]:
    return {
        (f"a{i}", f"g{j}"): named(values[i, j].tolist()) for i in range(values.shape[0]) for j in range(values.shape[1])
    }


def test_components_that_were_put_in_are_found_again() -> None:
    draw = np.random.default_rng(3)
    shape = (30, 30, 60)
    effects = {(0,): 0.5, (1,): 0.3, (2,): 1.0, (0, 2): 0.4, (0, 1, 2): 0.6}
    values = np.zeros(shape)
    for axes, deviation in effects.items():
        values = values + draw.normal(0, deviation, [size if axis in axes else 1 for axis, size in enumerate(shape)])
    found = split(grid(values))
    assert found is not None
    variances = {one.source: one.variance for one in found.components}
    assert variances["architecture x question"] == pytest.approx(0.16, rel=0.1)
    assert variances["architecture x generator x question"] == pytest.approx(0.36, rel=0.05)
    assert variances["architecture x generator"] == pytest.approx(0.0, abs=0.01)
    assert variances["question"] == pytest.approx(1.0, rel=0.4)


@given(st.lists(scores, min_size=12, max_size=12))
def test_sums_of_squares_add_up_to_the_total(row: list[float]) -> None:
    values = np.array(row).reshape(2, 2, 3)
    found = split(grid(values))
    assert found is not None
    total = ((values - values.mean()) ** 2).sum()
    assert sum(one.sum_of_squares for one in found.components) == pytest.approx(total, abs=1e-9)
    shares = [one.share for one in found.components]
    assert shares == [None] * 7 or sum(share or 0.0 for share in shares) == pytest.approx(1)


def test_an_architecture_without_every_generator_is_left_out() -> None:
    runs = {("a", "g"): named([0.0, 1.0]), ("a", "h"): named([1.0, 0.5]), ("b", "g"): named([1.0, 1.0])}
    found = split(runs)
    assert found is not None
    assert (found.architectures, found.generators) == (("a",), ("g", "h"))


def test_one_run_has_nothing_to_split() -> None:
    assert split({("a", "g"): named([0.0, 1.0])}) is None


# -------------------------------------------------------------------------------------------------------- duels
@given(runs_of_five)
def test_every_common_question_of_a_duel_is_won_lost_or_level(runs: dict[str, Run]) -> None:
    for duel in duels(runs):
        assert sorted((*duel.won_by_a, *duel.won_by_b, *duel.level)) == sorted(runs[duel.a])


def test_the_widest_win_comes_first_and_small_leads_are_level() -> None:
    [duel] = duels({"a": named([0.3, 1.0, 0.05]), "b": named([0.0, 0.0, 0.0])}, margin=0.1)
    assert (duel.won_by_a, duel.level) == (("q1", "q0"), ("q2",))


def test_where_less_is_better_the_best_has_least() -> None:
    [one] = contested({"a": named([1.0]), "b": named([3.0])}, higher_is_better=False)
    assert (one.best, one.worst, one.gap) == (("a",), ("b",), 2.0)


# ---------------------------------------------------------------------------------------------- agreement, tokens
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_kappa_agrees_with_scikit_learn(ruled: list[tuple[bool, bool]]) -> None:
    judge, gold = [one for one, _ in ruled], [other for _, other in ruled]
    table = [ruled.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]
    [ours] = kappas(np.array([table], dtype=float))
    if len({*judge, *gold}) > 1:
        assert ours == pytest.approx(cohen_kappa_score(judge, gold))
    else:
        assert np.isnan(ours)


@given(st.lists(st.integers(1, 90), max_size=9), st.integers(0, 400))
def test_what_fits_never_exceeds_the_budget_and_one_more_would(sizes: list[int], tokens: int) -> None:
    kept = fitting(sizes, tokens)
    assert sum(sizes[:kept]) <= tokens
    assert kept == len(sizes) or sum(sizes[: kept + 1]) > tokens
