from __future__ import annotations

import numpy as np

from benchmark.statistics.separation import separation, separation_interval


def test_separation_is_a_half_for_equal_values() -> None:
    assert separation([0.5, 0.5], [0.5]) == 0.5


def test_a_score_that_tells_all_apart_has_an_interval_of_one() -> None:
    scores, label = np.array([0.9, 0.8, 0.2, 0.1] * 5), np.array([True, True, False, False] * 5)
    assert separation_interval(scores, label, np.arange(20)) == (1.0, 1.0)


def test_members_of_a_group_are_drawn_together_so_that_few_groups_give_a_wide_interval() -> None:
    random = np.random.default_rng(3)
    label = random.random(400) < 0.5
    scores = label * 0.5 + random.random(400)
    alone = separation_interval(scores, label, np.arange(400))
    assert alone is not None
    together = separation_interval(np.repeat(scores[:20], 20), np.repeat(label[:20], 20), np.repeat(np.arange(20), 20))
    assert together is not None
    assert together[1] - together[0] > 2 * (alone[1] - alone[0])


def test_without_a_draw_of_both_labels_there_is_none() -> None:
    assert separation_interval(np.array([0.5, 0.6]), np.array([True, True]), np.arange(2)) is None
