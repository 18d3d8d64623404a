"""What is kept of an embedded text comes back, in the form of before too."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark.domain import Embedded
from benchmark.kept_vectors import Maker, kept_vector, maker_of, to_keep

MAKER = Maker("http://localhost:1/v1", "modèle")
VECTOR = np.array([0.6, -0.8, 0.0], dtype=np.float32)


@pytest.mark.parametrize(("tokens", "money"), [(7, 0.1), (0, 0.0), (None, None), (7, None)])
def test_a_vector_comes_back_with_what_it_cost(tokens: int | None, money: float | None) -> None:
    value = to_keep(VECTOR, maker=MAKER, seconds=0.1, tokens=tokens, money=money)
    kept = kept_vector(value)
    assert (kept.vector.tolist(), kept.seconds, kept.cost) == (VECTOR.tolist(), 0.1, Embedded(1, tokens, money))
    assert maker_of(value) == MAKER


@pytest.mark.parametrize("name", ["m", "mo", "model", "m" * 8, "m" * 99])
def test_the_vector_is_aligned_whatever_the_models_name(name: str) -> None:
    value = to_keep(VECTOR, maker=Maker("http://a/v1", name), seconds=0.1, tokens=1, money=0.1)
    assert kept_vector(value).vector.flags.aligned
    assert maker_of(value) == Maker("http://a/v1", name)


@pytest.mark.parametrize("seconds", [0.0, 0.25, 1e30])
def test_what_was_kept_as_seconds_and_vector_is_read_and_its_price_is_unknown(seconds: float) -> None:
    value = np.concatenate([[np.float32(seconds)], VECTOR]).astype(np.float32).tobytes()
    kept = kept_vector(value)
    assert (kept.vector.tolist(), kept.cost) == (VECTOR.tolist(), Embedded(1, None, None))
    assert kept.seconds == np.float32(seconds)
    assert maker_of(value) is None
