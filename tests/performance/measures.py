"""Clocks that a busy machine does not mislead: medians, and rivals measured turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from statistics import median
from time import perf_counter
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; ``target`` is the most that is allowed."""

    what: str
    value: float
    unit: str
    target: float
    beside: str

    @property
    def verdict(self) -> str:
        return "met" if self.value <= self.target else "MISSED"


class Meter:
    """Seconds spent inside the calls that it is laid around."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, call: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(call)
        def metered(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            began = perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - began

        return metered


def seconds(call: Call) -> float:
    began = perf_counter()
    call()
    return perf_counter() - began


def turn_by_turn(ours: Sequence[Call], theirs: Sequence[Call], *, rounds: int = 5) -> tuple[float, float, float]:
    """Median milliseconds of ours and of theirs, and the median of their ratios.

    Call by call the two go in turn, now one first and now the other, so that a slow moment of the machine and a warm
    cache fall on both; of each call the fastest round counts, since noise only ever adds.
    """
    for call in (ours[0], theirs[0]):
        call()
    pairs = []
    for own, other in zip(ours, theirs, strict=True):
        fastest = {own: float("inf"), other: float("inf")}
        for turn in range(rounds):
            for call in (own, other) if turn % 2 else (other, own):
                fastest[call] = min(fastest[call], seconds(call))
        pairs.append((fastest[own], fastest[other]))
    own_ms, other_ms = (1000 * median(column) for column in zip(*pairs, strict=True))
    return own_ms, other_ms, median(own / other for own, other in pairs)
