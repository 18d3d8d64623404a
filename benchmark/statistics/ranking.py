"""Which runs are better beyond noise, what ranks that leaves open, and when no ranking is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

from scipy.special import ndtri

from benchmark.statistics.pairs import ALPHA, Comparison, spread
from benchmark.statistics.signflip import draws_for, smallest_p
from benchmark.statistics.values import Values, mean

POWER = 0.8
DIFFERENCE = 0.1
"""A difference of means that is worth seeing, of scores between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands among its rivals: ``ahead_of`` and ``behind`` name those told apart from it.

    ``tier`` 1 is beaten by nobody, ``tier`` 2 by somebody of tier 1, and so on. The true rank lies from
    ``highest_rank`` to ``lowest_rank``, for all rivals at once with a confidence of 1 - alpha.
    """

    tier: int
    highest_rank: int
    lowest_rank: int
    ahead_of: frozenset[str]
    behind: frozenset[str]


def standings(
    rivals: Sequence[str], pairs: Sequence[Comparison], *, higher_is_better: bool, alpha: float = ALPHA
) -> dict[str, Standing]:
    """Tiers and rank intervals from the pairs that can be told apart.

    Source of the rank intervals: Al Mohamad, Goeman and van Zwet 2022, "Simultaneous confidence intervals for ranks".
    """
    ahead: dict[str, set[str]] = {name: set() for name in rivals}
    for pair in pairs:
        better = pair.better(higher_is_better=higher_is_better, alpha=alpha)
        if better is not None:
            ahead[better].add(pair.b if better == pair.a else pair.a)
    behind = {name: {other for other in rivals if name in ahead[other]} for name in rivals}
    tiers = _tiers(behind)
    return {
        name: Standing(
            tiers[name],
            1 + len(behind[name]),
            len(rivals) - len(ahead[name]),
            frozenset(ahead[name]),
            frozenset(behind[name]),
        )
        for name in rivals
    }


def _tiers(behind: Mapping[str, set[str]]) -> dict[str, int]:
    """Those whom no other that is left beats, taken away tier by tier."""
    left, tiers = set(behind), dict[str, int]()
    tier = 1
    while left:
        # Pairs with different missing questions can beat each other in a circle: then all of it shares a tier.
        top = {name for name in left if not behind[name] & left} or set(left)
        tiers |= dict.fromkeys(top, tier)
        left -= top
        tier += 1
    return tiers


@dataclass(frozen=True, slots=True)
class Resolution:
    """What ``pairs`` comparisons on at most ``questions`` common questions can show.

    ``smallest_p`` is the smallest p after Holm that any pair can reach, however clear the difference. ``needed``
    questions show a true ``difference`` in ``POWER`` of all cases; ``None`` where no two runs differ, or for a metric
    of whose scale nothing is known.
    """

    questions: int
    pairs: int
    alpha: float
    smallest_p: float
    difference: float | None
    needed: int | None

    @property
    def can_rank(self) -> bool:
        return self.smallest_p <= self.alpha

    @property
    def sentence(self) -> str | None:
        """What to say where no ranking is possible; ``None`` where it is, or where there is nothing to rank."""
        if self.can_rank or not self.pairs:
            return None
        said = f"cannot rank with {self.questions} question{'s' * (self.questions != 1)}"
        if self.needed is not None:
            said += f"; about {self.needed} needed to see a difference of {self.difference:.2f}"
        return f"{said} (smallest attainable corrected p {self.smallest_p:.3f})"


def resolution(
    pairs: Sequence[Comparison], *, alpha: float = ALPHA, difference: float | None = DIFFERENCE
) -> Resolution:
    """What these pairs could show at best; the questions needed go by the spread of their differences."""
    smallest = min((_smallest(pair, len(pairs), alpha) for pair in pairs), default=1.0)
    questions = max((pair.difference.n for pair in pairs), default=0)
    deviation = spread(pairs)
    needed = None
    if deviation is not None and difference is not None:
        needed = questions_needed(deviation, difference, pairs=len(pairs), alpha=alpha)
    return Resolution(questions, len(pairs), alpha, smallest, difference, needed)


def questions_needed(
    deviation: float, difference: float, *, pairs: int = 1, alpha: float = ALPHA, power: float = POWER
) -> int:
    """About how many questions show a true ``difference`` with ``power``, at Holm's first and strictest step.

    ``deviation``: that of the paired differences. By the normal approximation of the paired test, and never fewer than
    the sign-flip test needs to reach alpha at all.

    >>> questions_needed(0.4, 0.1), questions_needed(0.4, 0.1, pairs=120), questions_needed(0.01, 0.5, pairs=120)
    (126, 306, 13)
    """
    if difference <= 0:
        raise ValueError(f"a difference to be seen is above 0, not {difference}")
    step = alpha / pairs
    by_spread = ((float(ndtri(1 - step / 2)) + float(ndtri(power))) * deviation / difference) ** 2
    return max(ceil(by_spread), ceil(1 - log2(step)))


def best_mean(runs: Mapping[str, Values], *, higher_is_better: bool) -> str:
    """The run of the best mean, of runs with values; the first of equals."""
    sign = 1 if higher_is_better else -1
    return max(runs, key=lambda name: sign * (mean(runs[name].values()) or 0.0))


def _smallest(pair: Comparison, pairs: int, alpha: float) -> float:
    return smallest_p(pair.difference.n, pairs, draws=draws_for(pairs, alpha=alpha))
