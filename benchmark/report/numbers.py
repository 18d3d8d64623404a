"""Numbers as reports write them."""

from __future__ import annotations

from benchmark.statistics import Estimate


def number(value: float, digits: int = 2) -> str:
    """A figure without a sign where it rounds to 0.

    >>> number(-1e-17), number(0.456), number(1519.3, 0)
    ('0.00', '0.46', '1519')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}"


def interval(one: Estimate, digits: int = 2) -> str | None:
    """
    >>> from benchmark.statistics import estimate
    >>> interval(estimate([1.0] * 10, on_unit_scale=True, seed=7)), interval(estimate([], on_unit_scale=True, seed=7))
    ('0.69–1.00', None)
    """
    if one.low is None or one.high is None:
        return None
    return f"{number(one.low, digits)}–{number(one.high, digits)}"


def digits_of(key: str) -> int:
    """How many decimals the means of a metric are worth."""
    return 0 if key in ("cost/context_tokens", "cost/prompt_tokens", "cost/completion_tokens") else 2
