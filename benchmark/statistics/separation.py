"""How well a score tells two kinds apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmark.statistics.values import Vector


def separation(own: Sequence[float] | Vector, other: Sequence[float] | Vector) -> float:
    """AUC: the chance that one of ``own`` is larger than one of ``other``, ties counting half (Mann-Whitney).

    >>> separation([0.9, 0.5], [0.5, 0.1])
    0.875
    """
    ordered = np.sort(np.asarray(other, dtype=np.float64))
    below = np.searchsorted(ordered, own, "left") + np.searchsorted(ordered, own, "right")
    return float(below.mean() / 2 / len(ordered))


def separation_interval(
    scores: Vector, label: NDArray[np.bool_], group: NDArray[np.intp], *, draws: int = 1000, seed: int = 7
) -> tuple[float, float] | None:
    """The 95% percentile bootstrap of the AUC over groups (numbered from 0), whose members are not independent.

    ``None`` where no draw has both labels.
    """
    random = np.random.default_rng(seed)
    members = [np.flatnonzero(group == number) for number in range(group.max() + 1)]
    found = []
    for _ in range(draws):
        drawn = np.concatenate([members[index] for index in random.integers(0, len(members), len(members))])
        told = label[drawn]
        if 0 < told.sum() < len(told):
            found.append(separation(scores[drawn][told], scores[drawn][~told]))
    if not found:
        return None
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
