"""The best of many scores, with ties settled by position so that every machine ranks alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCK = 64


def best(scores: NDArray[np.floating], k: int) -> NDArray[np.intp]:
    """Positions of the ``k`` highest scores, highest first; of equal scores the earlier position first.

    >>> best(np.array([1.0, 3.0, 3.0, 2.0]), 3).tolist()
    [1, 2, 3]
    """
    blocks = len(scores) // _BLOCK
    if 0 < k < blocks:
        # The k best blocks hold at least k scores as high as the least of their maxima: the rest need not be sorted.
        maxima = np.sort(scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1))
        candidates = np.flatnonzero(scores >= maxima[-k])
    else:
        candidates = np.arange(len(scores))
    order = np.lexsort((candidates, -scores[candidates]))
    return candidates[order][:k]
