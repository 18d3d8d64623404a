from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.statistics.pairs import comparisons
from benchmark.statistics.ranking import questions_needed, resolution, standings

Run = dict[str, float]


def level(value: float, *, n: int = 20, seed: int = 1) -> Run:
    """Scores near that value, each question by itself."""
    return {f"q{i}": value + float(x) for i, x in enumerate(np.random.default_rng(seed).normal(0, 0.02, n))}


def test_tiers_and_rank_intervals_follow_from_the_pairs_told_apart() -> None:
    runs = {"good": level(0.9), "near": level(0.9, seed=2), "middle": level(0.6, seed=3), "bad": level(0.2, seed=4)}
    ranked = standings(list(runs), comparisons("m", runs, seed=7), higher_is_better=True)
    assert {name: one.tier for name, one in ranked.items()} == {"good": 1, "near": 1, "middle": 2, "bad": 3}
    ranks = {name: (one.highest_rank, one.lowest_rank) for name, one in ranked.items()}
    assert ranks == {"good": (1, 2), "near": (1, 2), "middle": (3, 3), "bad": (4, 4)}


def test_where_nothing_is_told_apart_every_rank_is_open() -> None:
    runs = {"a": {"1": 1.0, "2": 1.0}, "b": {"1": 0.0, "2": 0.0}, "c": {"1": 0.5, "2": 0.0}}
    ranked = standings(list(runs), comparisons("m", runs, seed=7), higher_is_better=True)
    assert {(one.tier, one.highest_rank, one.lowest_rank) for one in ranked.values()} == {(1, 1, 3)}


def test_runs_that_beat_each_other_in_a_circle_share_a_tier() -> None:
    ones, zeros = dict.fromkeys, [f"{part}{i}" for part in "xyz" for i in range(12)]
    x, y, z = zeros[:12], zeros[12:24], zeros[24:]
    runs = {
        "a": {**ones(x, 1.0), **ones(z, 0.0)},
        "b": {**ones(x, 0.0), **ones(y, 1.0)},
        "c": {**ones(y, 0.0), **ones(z, 1.0)},
    }
    ranked = standings(list(runs), comparisons("m", runs, seed=7), higher_is_better=True)
    assert [one.tier for one in ranked.values()] == [1, 1, 1]


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9), min_size=2, max_size=5))
def test_nobody_of_a_tier_beats_another_of_it_and_ranks_are_in_range(scores: list[list[float]]) -> None:
    runs = {f"s{i}": {f"q{j}": value for j, value in enumerate(row)} for i, row in enumerate(scores)}
    ranked = standings(list(runs), comparisons("m", runs, seed=7), higher_is_better=True)
    for one in ranked.values():
        assert 1 <= one.highest_rank <= one.lowest_rank <= len(runs)
        assert all(ranked[other].tier > one.tier for other in one.ahead_of)


def test_two_questions_cannot_rank_and_the_sentence_says_how_many_could() -> None:
    runs = {"a": {"1": 0.9, "2": 0.6}, "b": {"1": 0.5, "2": 0.5}}
    found = resolution(comparisons("m", runs, seed=7))
    wanted = questions_needed(float(np.std([0.4, 0.1], ddof=1)), 0.1)
    assert (found.smallest_p, found.can_rank, found.needed) == (0.5, False, wanted)
    assert found.sentence == (
        f"cannot rank with 2 questions; about {wanted} needed to see a difference of 0.10 "
        "(smallest attainable corrected p 0.500)"
    )


def test_where_a_ranking_is_possible_there_is_no_sentence() -> None:
    assert resolution(comparisons("m", {"a": level(0.5), "b": level(0.6, seed=2)}, seed=7)).sentence is None


def test_equal_runs_say_nothing_of_the_questions_needed() -> None:
    found = resolution(comparisons("m", {"a": {"1": 1.0}, "b": {"1": 1.0}}, seed=7))
    assert found.sentence == "cannot rank with 1 question (smallest attainable corrected p 1.000)"


def test_a_smaller_difference_and_more_pairs_need_more_questions() -> None:
    assert questions_needed(0.3, 0.05) > questions_needed(0.3, 0.1) < questions_needed(0.3, 0.1, pairs=10)


def test_a_difference_of_nothing_cannot_be_seen() -> None:
    with pytest.raises(ValueError, match="above 0"):
        questions_needed(0.3, 0.0)
