"""How often a 95 % BCa interval of so many scores really holds the true mean, as ``simulate.py`` measured it."""

from __future__ import annotations

from bisect import bisect_right

SIZES = (5, 10, 20, 40, 100, 200, 500)
"""Numbers of questions that were simulated."""
COVERAGE = (
    (0.0, (0.84, 0.91, 0.94, 0.95, 0.94, 0.95, 0.95)),
    (0.7, (0.58, 0.81, 0.91, 0.94, 0.96, 0.94, 0.95)),
    (0.9, (0.19, 0.38, 0.59, 0.81, 0.94, 0.96, 0.95)),
)
"""By the least share of scores that are all 0 or all 1, coverage at each of the sizes: normal, 80 % and 95 % ones."""
TRUSTED = 100
"""From so many scores on an interval of any shape holds what it promises; with fewer it carries a caution."""


def measured_coverage(n: int, edge: float) -> float | None:
    """Coverage at the next smaller size; ``edge``: share of the scores that lie at one end. ``None`` below 5.

    >>> measured_coverage(10, 0.2), measured_coverage(48, 0.95), measured_coverage(3, 0.0)
    (0.91, 0.81, None)
    """
    size = bisect_right(SIZES, n) - 1
    return None if size < 0 else next(row for least, row in reversed(COVERAGE) if edge >= least)[size]


def caution(n: int, coverage: float | None) -> str | None:
    """What to say beside a BCa interval of ``n`` scores; ``None`` from 100 scores on.

    >>> caution(10, 0.38)
    'an interval of 10 scores: such ones held the true mean in 38 % of simulated exams, wanted 95 %'
    """
    if coverage is None:
        return f"an interval of {n} scores: too few to be trusted"
    if n >= TRUSTED:
        return None
    held = f"{100 * coverage:.0f} %"
    return f"an interval of {n} scores: such ones held the true mean in {held} of simulated exams, wanted 95 %"
