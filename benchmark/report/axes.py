"""Axes: round numbers to mark, and where a value lies between two ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

Place = Callable[[float], float]


def ticks(low: float, high: float, *, wanted: int = 4) -> tuple[float, ...]:
    """Round numbers from at most ``low`` to at least ``high``, about ``wanted`` steps of 1, 2 or 5 apart.

    >>> ticks(0, 523), ticks(0.31, 0.62)
    ((0.0, 200.0, 400.0, 600.0), (0.3, 0.4, 0.5, 0.6, 0.7))
    """
    span = high - low or abs(high) or 1.0
    rough = span / wanted
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return tuple(round(number * step, 10) for number in range(first, last + (first == last) + 1))


def scale_of(values: Sequence[float], start: float, end: float, *, unit: bool) -> tuple[Place, tuple[float, ...]]:
    """Where a value lies from ``start`` to ``end``, and the numbers to mark; ``unit``: scores, always from 0 to 1.

    >>> place, marks = scale_of([0.2, 0.4], 100, 200, unit=True)
    >>> place(0.5), marks
    (150.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    """
    marks = (0.0, 0.25, 0.5, 0.75, 1.0) if unit else ticks(min(values), max(values))
    low, high = min(marks[0], *values), max(marks[-1], *values)
    return (lambda value: start + (end - start) * (value - low) / (high - low)), marks
