"""All that can be said of runs by their scores: every metric, every run, every pair."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from benchmark.domain import Record
from benchmark.metrics import OUTSIDE, Direction, described, in_order, on_unit_scale
from benchmark.statistics.intervals import LEVEL, Bounds, Estimate, estimates, missing_bounds
from benchmark.statistics.pairs import ALPHA, Comparison, comparisons_by_metric
from benchmark.statistics.ranking import DIFFERENCE, Resolution, Standing, best_mean, resolution, standings
from benchmark.statistics.values import Values, measured

_EQUAL = 1e-9  # no closer than sums in another order


@dataclass(frozen=True, slots=True)
class Settings:
    """How statistics are made: ``alpha`` of tests, ``level`` of intervals.

    ``difference``: one worth seeing between means of scores from 0 to 1, of which the questions needed are told.
    """

    seed: int
    alpha: float = ALPHA
    level: float = LEVEL
    difference: float = DIFFERENCE


@dataclass(frozen=True, slots=True)
class MetricStatistics:
    """One metric over runs. Mappings are by run; ``pairs`` and ``standings`` are of runs that compete.

    ``bounds`` say what the mean would be with all missing scores at 0 and at 1, of the questions to which the metric
    applies; they are empty for a metric that is not between 0 and 1. ``standings`` and ``best`` are empty and ``None``
    for a metric of which neither direction is better, and where fewer than two competing runs have values.
    """

    key: str
    direction: Direction
    estimates: Mapping[str, Estimate]
    bounds: Mapping[str, Bounds]
    pairs: tuple[Comparison, ...]
    standings: Mapping[str, Standing]
    best: str | None
    resolution: Resolution

    @property
    def tied(self) -> frozenset[str]:
        """The runs that cannot be told apart from the best."""
        if self.best is None:
            return frozenset()
        return frozenset(self.standings) - self.standings[self.best].ahead_of - {self.best}

    @property
    def is_level(self) -> bool:
        """Whether all runs that are ranked have the same mean: then ``best`` is but the first of them."""
        means = [mean for name in self.standings if (mean := self.estimates[name].mean) is not None]
        return bool(means) and max(means) - min(means) < _EQUAL

    @property
    def told_apart(self) -> int:
        """How many pairs differ beyond noise."""
        return sum(pair.adjusted_p <= self.resolution.alpha for pair in self.pairs)


def summarise(
    runs: Mapping[str, Sequence[Record]],
    *,
    settings: Settings,
    competing: Collection[str] | None = None,
    keys: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, MetricStatistics]:
    """Runs of one exam, by name, to the statistics of each metric, in the house's order.

    Args:
        competing: who takes part in comparisons and standings, all unless given. Bounds such as the oracle do not:
            every further rival raises the corrected p of all.
        keys: the metrics, all that are in the records unless given: by a key that says direction and scale, the key by
            run that its records have, as runs of another k have another.
    """
    if keys is None:
        named = dict.fromkeys(key for records in runs.values() for one in records for key in one.scores)
        keys = {key: dict.fromkeys(runs, key) for key in in_order(named)}
    return statistics_of(
        {key: {name: measured(runs[name], own) for name, own in by_run.items()} for key, by_run in keys.items()},
        missing={key: missing_of(runs, by_run) for key, by_run in keys.items()},
        competing=runs if competing is None else competing,
        settings=settings,
    )


def missing_of(runs: Mapping[str, Sequence[Record]], keys: Mapping[str, str]) -> dict[str, int]:
    """How many questions each run has not measured, of those to which the metric applies.

    It does not apply where the score of any run says that this lies in the question. ``keys``: the metric's by run, as
    runs with another k have another.
    """
    lacking: dict[str, set[str]] = {}
    outside = set[str]()
    for name, records in runs.items():
        lacking[name] = set()
        for record in records:
            score = record.scores.get(keys[name])
            if score is None or score.value is None:
                lacking[name].add(record.question.id)
                if score is not None and score.why in OUTSIDE:
                    outside.add(record.question.id)
    return {name: len(questions - outside) for name, questions in lacking.items()}


def statistics_of(
    values: Mapping[str, Mapping[str, Values]],
    *,
    missing: Mapping[str, Mapping[str, int]],
    competing: Collection[str],
    settings: Settings,
) -> dict[str, MetricStatistics]:
    """Statistics by metric, from each metric's values by run.

    ``missing`` counts, by metric and run, the questions to which it applies and on which it was not measured.
    """
    rivals = {
        key: {name: measured for name, measured in runs.items() if name in competing and measured}
        for key, runs in values.items()
    }
    pairs = comparisons_by_metric(rivals, seed=settings.seed, alpha=settings.alpha, level=settings.level)
    cells = [(key, name) for key, runs in values.items() for name in runs]
    found = estimates(
        [list(values[key][name].values()) for key, name in cells],
        [missing[key][name] for key, name in cells],
        on_unit_scale=[on_unit_scale(key) for key, _ in cells],
        seed=settings.seed,
        level=settings.level,
    )
    by_cell = dict(zip(cells, found, strict=True))
    return {
        key: _statistics(
            key,
            {name: by_cell[key, name] for name in runs},
            values[key],
            missing[key],
            rivals[key],
            pairs[key],
            settings,
        )
        for key, runs in values.items()
    }


def _statistics(
    key: str,
    found: Mapping[str, Estimate],
    values: Mapping[str, Values],
    missing: Mapping[str, int],
    rivals: Mapping[str, Values],
    pairs: tuple[Comparison, ...],
    settings: Settings,
) -> MetricStatistics:
    direction = described(key).direction
    ranked, best = dict[str, Standing](), None
    if direction != "neither" and len(rivals) > 1:
        higher = direction == "higher"
        ranked = standings(list(rivals), pairs, higher_is_better=higher, alpha=settings.alpha)
        best = best_mean(rivals, higher_is_better=higher)
    bounds = {
        name: bound
        for name, measured in values.items()
        if on_unit_scale(key) and (bound := missing_bounds(list(measured.values()), missing[name])) is not None
    }
    worth_seeing = settings.difference if on_unit_scale(key) else None
    limits = resolution(pairs, alpha=settings.alpha, difference=worth_seeing)
    return MetricStatistics(key, direction, found, bounds, pairs, ranked, best, limits)
