"""Whether differences between runs are more than noise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from benchmark.domain import Record

Values = Mapping[str, float]
"""One run's measured values of one metric, by question id."""

_EXACT_UP_TO = 14
"""Questions for which all sign patterns are tried; with more, ``draws`` patterns are drawn."""


def measured(records: Iterable[Record], key: str) -> dict[str, float]:
    """The values of a metric by question id, of the questions on which it was measured."""
    return {
        record.question.id: float(score.value)
        for record in records
        if (score := record.scores.get(key)) is not None and score.value is not None
    }


def mean(values: Collection[float]) -> float | None:
    """Their mean, the same in any order; ``None`` for no value."""
    return fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Difference:
    """Run ``a`` less run ``b`` over the ``n`` questions that both have measured; ``p`` is Holm-adjusted."""

    a: str
    b: str
    mean: float
    n: int
    p: float


def differences(runs: Mapping[str, Values], *, seed: int, draws: int = 10_000) -> tuple[Difference, ...]:
    """All pairs, in order, by the two-sided paired sign-flip test, adjusted by Holm over the pairs.

    Pairs without a common question are left out. Sources: Fisher 1935, "The Design of Experiments", section 21, for the
    test; Holm 1979 for the adjustment.
    """
    pairs = [(a, b) for i, a in enumerate(runs) for b in list(runs)[i + 1 :] if runs[a].keys() & runs[b].keys()]
    paired = [np.array([runs[a][q] - runs[b][q] for q in sorted(runs[a].keys() & runs[b].keys())]) for a, b in pairs]
    adjusted = holm([sign_flip(values, seed=seed, draws=draws) for values in paired])
    return tuple(
        Difference(a, b, float(values.mean()), len(values), p)
        for (a, b), values, p in zip(pairs, paired, adjusted, strict=True)
    )


def sign_flip(values: NDArray[np.floating], *, seed: int, draws: int = 10_000) -> float:
    """Two-sided p of a mean difference as large as this one if every difference could as well have the other sign.

    Exact up to 14 questions with a difference, else from ``draws`` patterns, the observed one counted among them.

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=7)
    0.25
    >>> sign_flip(np.array([0.0, 0.0]), seed=7)
    1.0
    """
    moved = values[values != 0]
    if not len(moved):
        return 1.0
    if len(moved) <= _EXACT_UP_TO:
        patterns = np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved)) & 1
        drawn = 0
    else:
        patterns = np.random.default_rng(seed).integers(0, 2, size=(draws, len(moved)))
        drawn = 1
    sums = np.abs((2 * patterns - 1) @ moved)
    as_large = int((sums >= abs(moved.sum()) - 1e-12).sum())
    return (as_large + drawn) / (len(patterns) + drawn)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment: never below the raw value, in its order, at most 1.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def best_and_tied(
    runs: Mapping[str, Values], *, higher_is_better: bool, seed: int, alpha: float = 0.05
) -> tuple[str, frozenset[str]] | None:
    """The run of the best mean, and those that cannot be told apart from it at ``alpha``; ``None`` for fewer than two.

    A run is told apart only where the questions that both have measured favour the best as well, beyond noise: means
    over different questions do not decide. Runs without a measured value take no part.
    """
    rivals = {name: values for name, values in runs.items() if values}
    if len(rivals) < 2:
        return None
    sign = 1 if higher_is_better else -1
    best = max(rivals, key=lambda name: sign * sum(rivals[name].values()) / len(rivals[name]))
    behind = set()
    for pair in differences(rivals, seed=seed):
        if best in (pair.a, pair.b) and pair.p <= alpha:
            favours_a = sign * pair.mean > 0
            if favours_a == (pair.a == best):
                behind.add(pair.b if pair.a == best else pair.a)
    return best, frozenset(rivals.keys() - behind - {best})
