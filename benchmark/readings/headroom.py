"""How much of the way from random passages to gold evidence an architecture goes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmark.statistics.intervals import Estimate, bca_of_means
from benchmark.statistics.values import Matrix, Values, Vector


def headroom(
    runs: Mapping[str, Values],
    *,
    floor: Values,
    ceiling: Values,
    higher_is_better: bool = True,
    seed: int,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """(x - random) / (oracle - random) of the means, by run, over the questions that run, floor and ceiling all have.

    0 is as good as random passages, 1 as good as gold evidence; below 0 and above 1 happen. Not measured where the
    ceiling is not better than the floor. ``missing``: questions of the run that floor or ceiling lack.

    >>> floor, ceiling = {"q1": 0.0, "q2": 0.2}, {"q1": 1.0, "q2": 1.0}
    >>> print(headroom({"bm25": {"q1": 0.5, "q2": 0.6}}, floor=floor, ceiling=ceiling, seed=7)["bm25"])
    0.50 (no spread; n 2)
    """
    found = {}
    for name, values in runs.items():
        common = sorted(values.keys() & floor.keys() & ceiling.keys())
        sign = 1 if higher_is_better else -1
        columns = sign * np.array([[values[q], floor[q], ceiling[q]] for q in common], dtype=float).reshape(-1, 3)
        missing = len(values) - len(common)
        found[name] = bca_of_means(columns, _recovered, missing=missing, seed=seed, level=level)
    return found


def _recovered(means: Matrix) -> Vector:
    room = means[:, 2] - means[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 1e-9, (means[:, 0] - means[:, 1]) / room, np.nan)
