"""Tests of paired differences whose signs could as well have been others, and Holm's adjustment for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from benchmark.statistics.values import Matrix, Vector

EXACT_UP_TO = 14
"""Questions with a difference for which all sign patterns are tried; with more, patterns are drawn."""
DRAWS = 10_000
_SAME = 1e-9
"""Differences up to this are none: what is left when the same scores are added up in another order."""
_BLOCK = 10_000


def sign_flip(values: Vector, *, seed: int, draws: int = DRAWS) -> float:
    """Two-sided p of a mean difference as large as this one if every difference could as well have the other sign.

    Exact up to 14 questions with a difference, else from ``draws`` patterns, the observed one counted among them.

    >>> sign_flip(np.array([1.0, 1.0, 1.0]), seed=7)
    0.25
    >>> sign_flip(np.array([0.0, 0.0]), seed=7)
    1.0
    """
    return float(sign_flips(np.asarray(values, dtype=np.float64)[:, None], seed=seed, draws=draws)[0])


def sign_flips(differences: Matrix, *, seed: int, draws: int = DRAWS) -> Vector:
    """The same for every column of (questions, pairs); a question that a pair has not measured is a difference of 0.

    All columns meet the same drawn patterns. Source: Fisher 1935, "The Design of Experiments", section 21; for counting
    the observed pattern among the drawn, Phipson and Smyth 2010.
    """
    moved = np.where(np.abs(differences) > _SAME, differences, 0.0)
    counts = np.count_nonzero(moved, axis=0)
    p_values = np.ones(differences.shape[1])
    for column in np.flatnonzero((counts > 0) & (counts <= EXACT_UP_TO)):
        p_values[column] = _exact(moved[moved[:, column] != 0, column])
    many = np.flatnonzero(counts > EXACT_UP_TO)
    if len(many):
        as_large = np.zeros(len(many))
        observed = np.abs(moved[:, many].sum(axis=0)) - _slack(moved[:, many])
        for number, size in enumerate(_blocks(draws)):
            signs = _signs(seed, number, size, len(moved))
            as_large += (np.abs(signs @ moved[:, many]) >= observed).sum(axis=0)
        p_values[many] = (as_large + 1) / (draws + 1)
    return p_values


def wilcoxon(differences: Matrix) -> Vector:
    """Two-sided p of the signed-rank test for every column; differences of 0 are dropped, ties share their mean rank.

    Exact up to 14 differences, ties or not; else by the normal approximation without correction for continuity.
    Source: Wilcoxon 1945; Pratt and Gibbons 1981, "Concepts of Nonparametric Theory", chapter 3, for ties.

    >>> wilcoxon(np.array([[1.0], [2.0], [3.0], [0.0]]))
    array([0.25])
    """
    p_values = np.ones(differences.shape[1])
    for column in range(differences.shape[1]):
        moved = differences[np.abs(differences[:, column]) > _SAME, column]
        if len(moved):
            signed = np.sign(moved) * _mean_ranks(np.abs(moved))
            exact = len(moved) <= EXACT_UP_TO
            p_values[column] = _exact(signed) if exact else 2 * ndtr(-abs(signed.sum()) / np.sqrt((signed**2).sum()))
    return p_values


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down adjustment (1979): never below the raw value, in its order, at most 1.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def draws_for(pairs: int, *, alpha: float) -> int:
    """Patterns to draw so that the smallest p they can give lies well below ``alpha`` after Holm over ``pairs``.

    >>> draws_for(3, alpha=0.05), draws_for(780, alpha=0.05)
    (10000, 78000)
    """
    return max(DRAWS, round(5 * pairs / alpha))


def smallest_p(questions: int, pairs: int, *, draws: int = DRAWS) -> float:
    """The smallest p after Holm that any of ``pairs`` comparisons on that many questions can reach.

    Two of the 2^n sign patterns are as extreme as can be; drawn patterns cannot show less than 1 / (draws + 1).

    >>> smallest_p(10, 120), smallest_p(0, 3)
    (0.234375, 1.0)
    """
    smallest = 2.0 ** (1 - questions) if questions <= EXACT_UP_TO else 1 / (draws + 1)
    return min(1.0, pairs * smallest)


def _exact(moved: Vector) -> float:
    """Over all patterns; half of them suffice, as the other half mirrors them."""
    sums = np.abs(_patterns(len(moved)) @ moved)
    return float((sums >= abs(moved.sum()) - _slack(moved)).mean())


@lru_cache
def _patterns(length: int) -> Matrix:
    """All signs of that many differences with a plus at the first, shape (2^(length - 1), length)."""
    bits = np.arange(2 ** (length - 1))[:, None] >> np.arange(length)[::-1] & 1
    return np.where(bits == 1, -1.0, 1.0)


@lru_cache(maxsize=2)
def _signs(seed: int, block: int, size: int, questions: int) -> Matrix:
    bits = np.random.default_rng([seed, block]).integers(0, 2, size=(size, questions), dtype=np.int8)
    return np.where(bits == 1, -1.0, 1.0)


def _blocks(draws: int) -> list[int]:
    full, rest = divmod(draws, _BLOCK)
    return [_BLOCK] * full + [rest] * bool(rest)


def _slack(moved: Vector | Matrix) -> Vector:
    """What a sum may lack by rounding and still be as large."""
    slack: Vector = 1e-12 + 1e-10 * np.abs(moved).sum(axis=0)
    return slack


def _mean_ranks(values: Vector) -> Vector:
    _, place, counts = np.unique(values.round(12), return_inverse=True, return_counts=True)
    ranks: Vector = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks
