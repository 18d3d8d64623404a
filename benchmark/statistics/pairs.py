"""Runs two by two, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmark.statistics.intervals import LEVEL, Estimate, estimates
from benchmark.statistics.signflip import draws_for, holm, sign_flips, wilcoxon
from benchmark.statistics.values import Matrix, Values, as_matrix

ALPHA = 0.05
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run ``a`` less run ``b`` over the questions that both have measured.

    ``p_value`` is the sign-flip test's, ``adjusted_p`` the same after Holm over all pairs of the metric,
    ``wilcoxon_p`` the signed-rank test's beside it, not adjusted. ``deviation``: the differences' standard deviation.
    ``a_ahead`` and ``b_ahead`` count questions; on the rest both score the same.
    """

    metric: str
    a: str
    b: str
    difference: Estimate
    p_value: float
    adjusted_p: float
    wilcoxon_p: float
    deviation: float
    a_ahead: int
    b_ahead: int

    @property
    def effect(self) -> float | None:
        """The mean difference in standard deviations (Cohen 1988, d for paired samples); ``None`` without spread."""
        return (self.difference.mean or 0.0) / self.deviation if self.deviation > _SAME else None

    def better(self, *, higher_is_better: bool, alpha: float = ALPHA) -> str | None:
        """The run that is better beyond noise; ``None`` where the two cannot be told apart."""
        if self.adjusted_p > alpha or not self.difference.mean:
            return None
        return self.a if (self.difference.mean > 0) == higher_is_better else self.b


def comparisons(
    metric: str, runs: Mapping[str, Values], *, seed: int, alpha: float = ALPHA, level: float = LEVEL
) -> tuple[Comparison, ...]:
    """All pairs in the order of the runs; those without a common question are left out.

    ``seed`` draws the sign patterns (with more than 14 differences) and the resamples of the intervals. Sources: see
    ``sign_flips``, ``wilcoxon``, ``holm`` and ``bca``.

    >>> [pair] = comparisons("m", {"a": {"q1": 1.0, "q2": 0.5}, "b": {"q2": 0.0, "q3": 0.0}}, seed=7)
    >>> pair.difference.mean, pair.difference.n, pair.difference.missing, pair.adjusted_p
    (0.5, 1, 2, 1.0)
    """
    return comparisons_by_metric({metric: runs}, seed=seed, alpha=alpha, level=level)[metric]


def comparisons_by_metric(
    runs: Mapping[str, Mapping[str, Values]], *, seed: int, alpha: float = ALPHA, level: float = LEVEL
) -> dict[str, tuple[Comparison, ...]]:
    """The same for many metrics at once, which takes less time; each metric is adjusted by itself."""
    paired = {metric: _paired(values) for metric, values in runs.items()}
    samples = [(sample, left_out) for one in paired.values() for sample, left_out in one.samples()]
    differences = iter(
        estimates(
            [sample for sample, _ in samples],
            [left_out for _, left_out in samples],
            on_unit_scale=False,
            seed=seed,
            level=level,
        )
    )
    found = {}
    for metric, one in paired.items():
        p_values = sign_flips(one.moved, seed=seed, draws=draws_for(len(one.pairs), alpha=alpha)).tolist()
        columns = zip(
            one.pairs,
            p_values,
            holm(p_values),
            wilcoxon(one.moved).tolist(),
            one.deviations(),
            (one.moved > 0).sum(axis=0).tolist(),
            (one.moved < 0).sum(axis=0).tolist(),
            strict=True,
        )
        found[metric] = tuple(Comparison(metric, a, b, next(differences), *rest) for (a, b), *rest in columns)
    return found


@dataclass(frozen=True, slots=True)
class _Paired:
    """Differences of one metric, shape (questions, pairs): 0 where equal and where one of the two is not measured."""

    pairs: list[tuple[str, str]]
    moved: Matrix
    common: NDArray[np.bool_]
    left_out: list[int]

    def samples(self) -> Iterator[tuple[list[float], int]]:
        """The differences of each pair, and how many questions only one of the two has measured."""
        for column, left_out in enumerate(self.left_out):
            yield self.moved[self.common[:, column], column].tolist(), left_out

    def deviations(self) -> list[float]:
        n = self.common.sum(axis=0)
        squares = np.where(self.common, self.moved - self.moved.sum(axis=0) / n, 0.0) ** 2
        deviations: list[float] = np.sqrt(squares.sum(axis=0) / np.maximum(n - 1, 1)).tolist()
        return deviations


def _paired(runs: Mapping[str, Values]) -> _Paired:
    _, values = as_matrix(runs)
    known = ~np.isnan(values)
    pairs = [(i, j) for i, j in combinations(range(len(runs)), 2) if (known[:, i] & known[:, j]).any()]
    first, second = [i for i, _ in pairs], [j for _, j in pairs]
    common = known[:, first] & known[:, second]
    raw = np.where(common, values[:, first] - values[:, second], 0.0)
    left_out = (known[:, first] | known[:, second]).sum(axis=0) - common.sum(axis=0)
    names = list(runs)
    return _Paired(
        [(names[i], names[j]) for i, j in pairs], np.where(np.abs(raw) > _SAME, raw, 0.0), common, left_out.tolist()
    )


def spread(pairs: Sequence[Comparison]) -> float | None:
    """The standard deviation of differences over the pairs that differ (root of the mean variance), if any does."""
    deviations = [pair.deviation for pair in pairs if pair.deviation > _SAME]
    return float(np.sqrt(np.mean(np.square(deviations)))) if deviations else None
