"""Which questions one run wins and another loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from benchmark.statistics.values import Values


@dataclass(frozen=True, slots=True)
class Duel:
    """Question ids that each of two runs wins by the margin, the widest first; on the rest they are level."""

    a: str
    b: str
    won_by_a: tuple[str, ...]
    won_by_b: tuple[str, ...]
    level: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contested:
    """A question on which runs differ: ``gap`` between the best and the worst score, and who has them."""

    question: str
    gap: float
    best: tuple[str, ...]
    worst: tuple[str, ...]


def duels(runs: Mapping[str, Values], *, higher_is_better: bool = True, margin: float = 0.0) -> tuple[Duel, ...]:
    """All pairs in the order of the runs, over the questions that both have; a win is by more than ``margin``.

    >>> [duel] = duels({"a": {"q1": 1.0, "q2": 0.0, "q3": 0.5}, "b": {"q1": 0.0, "q2": 0.5, "q3": 0.5}})
    >>> duel.won_by_a, duel.won_by_b, duel.level
    (('q1',), ('q2',), ('q3',))
    """
    return tuple(
        _duel(a, b, runs[a], runs[b], sign=1 if higher_is_better else -1, margin=margin)
        for a, b in combinations(runs, 2)
    )


def _duel(a: str, b: str, first: Values, second: Values, *, sign: int, margin: float) -> Duel:
    leads = {question: sign * (first[question] - second[question]) for question in first if question in second}
    won = sorted((q for q, lead in leads.items() if lead > margin), key=lambda q: -leads[q])
    lost = sorted((q for q, lead in leads.items() if -lead > margin), key=lambda q: leads[q])
    return Duel(a, b, tuple(won), tuple(lost), tuple(q for q, lead in leads.items() if abs(lead) <= margin))


def contested(runs: Mapping[str, Values], *, higher_is_better: bool = True) -> tuple[Contested, ...]:
    """Questions on which at least two runs differ, the widest gap first.

    >>> contested({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.0, "q2": 0.5}})
    (Contested(question='q1', gap=1.0, best=('a',), worst=('b',)),)
    """
    found = []
    for question in dict.fromkeys(question for values in runs.values() for question in values):
        scores = {name: values[question] for name, values in runs.items() if question in values}
        high, low = max(scores.values()), min(scores.values())
        top = tuple(name for name, score in scores.items() if score == high)
        bottom = tuple(name for name, score in scores.items() if score == low)
        if high > low:
            found.append(Contested(question, high - low, *((top, bottom) if higher_is_better else (bottom, top))))
    return tuple(sorted(found, key=lambda one: -one.gap))
