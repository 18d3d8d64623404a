from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmark.search.ranking import best


@given(st.integers(0, 2000), st.integers(0, 40), st.integers(1, 300))
def test_the_best_are_those_of_a_stable_sort(size: int, k: int, levels: int) -> None:
    scores = np.random.default_rng(size).integers(0, levels, size).astype(np.float32)
    assert best(scores, k).tolist() == np.argsort(-scores, kind="stable")[:k].tolist()
