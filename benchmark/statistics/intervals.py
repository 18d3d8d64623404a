"""A mean and how far it can be trusted: bootstrap intervals over questions, and bounds for what was not measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

from benchmark.statistics.coverage import caution, measured_coverage
from benchmark.statistics.values import Matrix, Vector, mean

LEVEL = 0.95
_SAME = 1e-9
_COLUMNS = 200


class How(StrEnum):
    """How an interval was found, or why there is none."""

    BCA = "BCa bootstrap"
    BCA_OF_MEANS = "BCa bootstrap of a figure made of means"
    CLOPPER_PEARSON = "Clopper-Pearson"
    PERCENTILE = "percentile bootstrap"
    NO_SPREAD = "no spread"
    ONE_QUESTION = "one question"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``n`` questions with its interval; ``missing`` more were not measured.

    ``low`` and ``high`` are ``None`` where ``how`` says why. ``coverage``: how often BCa intervals of such scores held
    the true mean in simulation (see ``coverage.py``); ``None`` for others, and where that was not measured.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    missing: int
    how: How
    coverage: float | None = None

    @property
    def caution(self) -> str | None:
        """What to say beside the interval where it holds less than it promises."""
        return caution(self.n, self.coverage) if self.how is How.BCA else None

    def __str__(self) -> str:
        if self.mean is None:
            return "not measured"
        interval = str(self.how) if self.low is None else f"{self.low:.2f} to {self.high:.2f}"
        return f"{self.mean:.2f} ({interval}; n {self.n})"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the mean would be if all ``missing`` scores were 0 (``low``), and if all were 1 (``high``)."""

    low: float
    high: float
    missing: int


def missing_bounds(values: Sequence[float], missing: int) -> Bounds | None:
    """Bounds on the mean of scores in [0, 1] of which ``missing`` are not known; ``None`` for no question at all.

    Source: Manski 1989, "Anatomy of the Selection Problem".

    >>> missing_bounds([1.0, 0.5], 2)
    Bounds(low=0.375, high=0.875, missing=2)
    """
    total = len(values) + missing
    if total == 0:
        return None
    known = sum(values)
    return Bounds(known / total, (known + missing) / total, missing)


def clopper_pearson(successes: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """The exact interval of a proportion (Clopper and Pearson 1934).

    >>> low, high = clopper_pearson(10, 10)
    >>> round(low, 3), high
    (0.692, 1.0)
    """
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high


def upper_bound(failures: int, n: int, *, level: float = LEVEL) -> float:
    """The largest share of failures that so many in ``n`` allow: Clopper and Pearson's one-sided bound.

    >>> round(upper_bound(0, 40), 3), upper_bound(2, 2)
    (0.072, 1.0)
    """
    return clopper_pearson(failures, n, level=2 * level - 1)[1]


def estimate(
    values: Sequence[float], *, missing: int = 0, on_unit_scale: bool, seed: int, level: float = LEVEL
) -> Estimate:
    """The mean of one sample of values with its interval; see ``estimates``.

    >>> print(estimate([1.0] * 10, on_unit_scale=True, seed=7))
    1.00 (0.69 to 1.00; n 10)
    >>> print(estimate([0.4] * 10, on_unit_scale=True, seed=7))
    0.40 (no spread; n 10)
    >>> print(estimate([0.0, 0.5, 0.5, 1.0, 0.75], on_unit_scale=True, seed=7))
    0.55 (0.20 to 0.80; n 5)
    """
    return estimates([values], [missing], on_unit_scale=on_unit_scale, seed=seed, level=level)[0]


def estimates(
    samples: Sequence[Sequence[float]],
    missing: Sequence[int] | None = None,
    *,
    on_unit_scale: bool | Sequence[bool],
    seed: int,
    level: float = LEVEL,
) -> list[Estimate]:
    """The mean of each sample with its BCa interval over resampled questions.

    Samples of one size share their resamples, which depend on ``seed`` and that size alone, so that a run's interval
    does not change with the runs beside it. ``on_unit_scale``: whether values lie in [0, 1]. There, where all are 0 or
    all are 1, the interval is Clopper-Pearson's: a mean m leaves all n scores at 1 with a chance of at most m^n, as for
    a proportion. Elsewhere equal values have no interval but "no spread".
    """
    lacking = [0] * len(samples) if missing is None else missing
    on_unit = [on_unit_scale] * len(samples) if isinstance(on_unit_scale, bool) else on_unit_scale
    intervals: dict[int, tuple[float, float]] = {}
    spread: dict[int, list[int]] = {}
    for index, sample in enumerate(samples):
        if len(sample) > 1 and max(sample) - min(sample) > _SAME:
            spread.setdefault(len(sample), []).append(index)
    for indices in spread.values():
        columns = np.array([samples[index] for index in indices], dtype=np.float64).T
        lows, highs = bca(columns, seed=seed, level=level)
        intervals |= dict(zip(indices, zip(_rounded(lows), _rounded(highs), strict=True), strict=True))
    return [
        _estimate(sample, lacking[index], intervals.get(index), on_unit_scale=on_unit[index], level=level)
        for index, sample in enumerate(samples)
    ]


def _estimate(
    sample: Sequence[float], missing: int, interval: tuple[float, float] | None, *, on_unit_scale: bool, level: float
) -> Estimate:
    n, middle = len(sample), mean(sample)
    if middle is None:
        return Estimate(None, None, None, 0, missing, How.NOT_MEASURED)
    if interval is not None:
        edge = max(list(sample).count(0.0), list(sample).count(1.0)) / n if on_unit_scale else 0.0
        return Estimate(middle, *interval, n, missing, How.BCA, measured_coverage(n, edge))
    if on_unit_scale and round(middle, 9) in (0.0, 1.0):
        low, high = clopper_pearson(round(middle) * n, n, level=level)
        return Estimate(middle, low, high, n, missing, How.CLOPPER_PEARSON)
    return Estimate(middle, None, None, n, missing, How.ONE_QUESTION if n == 1 else How.NO_SPREAD)


def resamples_of(n: int) -> int:
    """How many resamples: 10,000 up to 100 questions, fewer for more so that time stays even, never below 2,000.

    >>> resamples_of(48), resamples_of(200), resamples_of(1190)
    (10000, 5000, 2000)
    """
    return min(10_000, max(2_000, 1_000_000 // n))


@lru_cache(maxsize=16)
def resampled(n: int, *, seed: int) -> NDArray[np.uint8]:
    """How often each of ``n`` questions stands in each resample, shape (resamples, n); rows add up to ``n``."""
    draws = resamples_of(n)
    picked = np.random.default_rng([seed, n]).integers(0, n, size=(draws, n))
    picked += np.arange(draws)[:, None] * n
    return np.bincount(picked.ravel(), minlength=draws * n).reshape(draws, n).astype(np.uint8)


def bca(columns: Matrix, *, seed: int, level: float = LEVEL) -> tuple[Vector, Vector]:
    """Low and high ends for the mean of each column, shape (n, columns), none of which may be constant.

    Source: Efron 1987, "Better Bootstrap Confidence Intervals"; for the mean the jackknife's acceleration is the
    skewness over 6 sqrt(n). The same as ``scipy.stats.bootstrap`` one column at a time, in a fraction of its time.
    """
    shares = resampled(len(columns), seed=seed) / len(columns)
    # Runs and metrics often have the same scores, as recall and hit have where each question has one passage.
    distinct, places = np.unique(columns, axis=1, return_inverse=True)
    ends = [_bca(distinct[:, start : start + _COLUMNS], shares, level) for start in _starts(distinct.shape[1])]
    low, high = (np.concatenate(side)[places.reshape(-1)] for side in zip(*ends, strict=True))
    return low, high


def bca_of_means(
    columns: Matrix, function: Callable[[Matrix], Vector], *, missing: int = 0, seed: int, level: float = LEVEL
) -> Estimate:
    """A figure made of several means over the same questions, such as a ratio, with its BCa interval.

    Args:
        columns: shape (questions, quantities).
        function: from means of shape (any, quantities) to the figure of each row, NaN where it is not defined; such
            resamples are left out.
    """
    n = len(columns)
    middle = float(function(columns.mean(axis=0)[None])[0]) if n else np.nan
    if not np.isfinite(middle):
        return Estimate(None, None, None, n, missing, How.NOT_MEASURED)
    if n < 2:
        return Estimate(middle, None, None, n, missing, How.ONE_QUESTION)
    figures = function(resampled(n, seed=seed) / n @ columns)
    figures = np.sort(figures[np.isfinite(figures)])[None]
    without = function((columns.sum(axis=0) - columns) / (n - 1))
    without = without[np.isfinite(without)]
    influence = (without.mean() - without)[:, None] if len(without) else np.zeros((1, 1))
    if figures[0, -1] - figures[0, 0] <= _SAME or not (influence**2).sum():
        return Estimate(middle, None, None, n, missing, How.NO_SPREAD)
    low, high = _ends(figures, np.array([middle]), influence, level)
    [low_end, high_end] = _rounded(np.concatenate([low, high]))
    return Estimate(middle, low_end, high_end, n, missing, How.BCA_OF_MEANS)


def _bca(columns: Matrix, shares: Matrix, level: float) -> tuple[Vector, Vector]:
    middle = columns.mean(axis=0)
    centred = columns - middle
    low, high = _ends(np.sort((shares @ centred).T, axis=1), np.zeros(len(middle)), centred, level)
    return middle + low, middle + high


def _ends(figures: Matrix, observed: Vector, influence: Matrix, level: float) -> tuple[Vector, Vector]:
    """From resampled figures in order, shape (figures, resamples), and the jackknife's influence of each question."""
    slack = 1e-12 * np.abs(influence).max(axis=0)
    under, over = (observed - slack)[:, None], (observed + slack)[:, None]
    below = ((figures < under).mean(axis=1) + (figures <= over).mean(axis=1)) / 2
    half = 0.5 / figures.shape[1]
    bias = ndtri(np.clip(below, half, 1 - half))
    acceleration = (influence**3).sum(axis=0) / (6 * (influence**2).sum(axis=0) ** 1.5)
    low, high = (_adjusted_quantile(figures, bias, acceleration, tail) for tail in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def _adjusted_quantile(means: Matrix, bias: Vector, acceleration: Vector, tail: float) -> Vector:
    shifted = bias + ndtri(tail)
    place = ndtr(bias + shifted / (1 - acceleration * shifted)) * (means.shape[1] - 1)
    under = np.floor(place).astype(int)
    over = np.minimum(under + 1, means.shape[1] - 1)
    rows = np.arange(len(means))
    ends: Vector = means[rows, under] + (place - under) * (means[rows, over] - means[rows, under])
    return ends


def _rounded(ends: Vector) -> list[float]:
    """Without what sums leave behind: an end at 0 is 0, not -3e-17."""
    rounded: list[float] = (ends.round(12) + 0.0).tolist()
    return rounded


def _starts(columns: int) -> Iterator[int]:
    yield from range(0, columns, _COLUMNS)
