"""What became better or worse between two states of the same runs, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from benchmark.metrics import Direction
from benchmark.statistics import ALPHA, Estimate, Resolution, Values, holm, mean, resolution
from benchmark.statistics.pairs import Comparison, comparisons_by_metric

Verdict = Literal["better", "worse", "changed", "not told apart", "the same"]
"""``changed``: beyond noise, of a metric of which neither direction is better. ``the same``: on every question."""


@dataclass(frozen=True, slots=True)
class Improvement:
    """One metric of one run, after less before, over the questions that both states have measured.

    ``difference.missing`` counts the questions that only one of the two has. ``adjusted_p`` is the sign-flip test's p
    after Holm over all that moved; ``None`` where nothing did, as there is nothing to test.
    """

    run: str
    key: str
    before: float
    after: float
    difference: Estimate
    p_value: float
    adjusted_p: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Improvements:
    """Of all runs and metrics; ``resolution`` says what the differences could show at best, ``None`` if none moved."""

    rows: tuple[Improvement, ...]
    resolution: Resolution | None

    def of(self, *verdicts: Verdict) -> tuple[Improvement, ...]:
        return tuple(row for row in self.rows if row.verdict in verdicts)


def improvements(
    runs: Mapping[str, Mapping[str, tuple[Values, Values]]],
    *,
    directions: Mapping[str, Direction],
    seed: int,
    alpha: float = ALPHA,
) -> Improvements:
    """Runs, each with its values by question before and after for every metric key, to what moved.

    All rows are read together, so Holm goes over all of them. Those that are the same on every question are left out
    of it: no sign pattern could make them differ (Tarone 1990), and that is known without looking at the signs.

    >>> runs = {"bm25": {"m": ({"q1": 0.0, "q2": 0.5}, {"q1": 1.0, "q2": 0.5}), "n": ({"q1": 1.0}, {"q1": 1.0})}}
    >>> found = improvements(runs, directions={"m": "higher", "n": "higher"}, seed=7)
    >>> [(row.key, row.after - row.before, row.adjusted_p, row.verdict) for row in found.rows]
    [('m', 0.5, 1.0, 'not told apart'), ('n', 0.0, None, 'the same')]
    """
    cells = {(run, key): values for run, by_key in runs.items() for key, values in by_key.items()}
    # An alpha that is shared by all cells draws enough patterns for the smallest p that Holm may ask for.
    found = comparisons_by_metric(
        {f"{run}\n{key}": {"after": after, "before": before} for (run, key), (before, after) in cells.items()},
        seed=seed,
        alpha=alpha / max(1, len(cells)),
    )
    paired = {cell: pairs[0] for cell, pairs in zip(cells, found.values(), strict=True) if pairs}
    moved = [cell for cell, pair in paired.items() if _moved(pair)]
    adjusted = dict(zip(moved, holm([paired[cell].p_value for cell in moved]), strict=True))
    rows = tuple(
        _improvement(cell, paired[cell], cells[cell], adjusted.get(cell), directions[cell[1]], alpha) for cell in paired
    )
    limits = resolution([paired[cell] for cell in moved], alpha=alpha, difference=None) if moved else None
    return Improvements(rows, limits)


def _moved(pair: Comparison) -> bool:
    return pair.a_ahead + pair.b_ahead > 0


def _improvement(
    cell: tuple[str, str],
    pair: Comparison,
    values: tuple[Values, Values],
    adjusted_p: float | None,
    direction: Direction,
    alpha: float,
) -> Improvement:
    before, after = values
    common = [question for question in before if question in after]
    return Improvement(
        *cell,
        before=mean([before[question] for question in common]) or 0.0,
        after=mean([after[question] for question in common]) or 0.0,
        difference=pair.difference,
        p_value=pair.p_value,
        adjusted_p=adjusted_p,
        verdict=_verdict(pair.difference.mean or 0.0, adjusted_p, direction, alpha),
    )


def _verdict(difference: float, adjusted_p: float | None, direction: Direction, alpha: float) -> Verdict:
    if adjusted_p is None:
        return "the same"
    if adjusted_p > alpha or not difference:
        return "not told apart"
    if direction == "neither":
        return "changed"
    return "better" if (difference > 0) == (direction == "higher") else "worse"
