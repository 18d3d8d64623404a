"""Which architectures no other beats in quality, tokens and time at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.statistics.intervals import Estimate, estimates, resampled
from benchmark.statistics.values import Values

Points = NDArray[np.float64]
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run lies: its objectives' estimates, and the runs that are at least as good in all and better in one.

    ``share`` of the resampled exams have it on the front: near 1 it surely belongs there, near 0 surely not.
    """

    objectives: Mapping[str, Estimate]
    dominated_by: tuple[str, ...]
    share: float

    @property
    def on_front(self) -> bool:
        return not self.dominated_by


@dataclass(frozen=True, slots=True)
class Front:
    """Places by run over ``questions`` common questions; ``left_out`` runs lack one of the objectives."""

    quality: str
    costs: tuple[str, ...]
    questions: int
    places: Mapping[str, Place]
    left_out: tuple[str, ...]


def front(
    quality: Mapping[str, Values],
    costs: Mapping[str, Mapping[str, Values]],
    *,
    named: str,
    higher_is_better: bool = True,
    seed: int,
    level: float = 0.95,
) -> Front:
    """The Pareto front of a quality, called ``named``, against costs, of which less is better, by run.

    Means are over the questions on which every placed run has every objective. A cost that no run has measured is
    dropped, as money is where no endpoint tells a price.

    >>> quality = {"a": {"q": 0.9}, "b": {"q": 0.5}, "c": {"q": 0.5}}
    >>> tokens = {"tokens": {"a": {"q": 900.0}, "b": {"q": 300.0}, "c": {"q": 400.0}}}
    >>> {name: place.dominated_by for name, place in front(quality, tokens, named="f", seed=7).places.items()}
    {'a': (), 'b': (), 'c': ('b',)}
    """
    known = {name: runs for name, runs in costs.items() if any(runs.values())}
    objectives = {named: quality, **known}
    placed = [name for name in quality if all(runs.get(name) for runs in objectives.values())]
    left_out = tuple(name for name in quality if name not in placed)
    every = [set(runs[name]) for runs in objectives.values() for name in placed]
    questions = sorted(set.intersection(*every)) if every else []
    if not questions:
        return Front(named, tuple(known), 0, {}, tuple(quality))
    # shape (questions, runs, objectives), all turned so that more is better
    values = np.array([[[runs[name][q] for runs in objectives.values()] for name in placed] for q in questions])
    turned = values * np.array([1.0 if higher_is_better else -1.0] + [-1.0] * len(known))
    means = turned.mean(axis=0)
    drawn = np.tensordot(resampled(len(questions), seed=seed) / len(questions), turned, axes=1)
    beaten = np.stack([_beats(drawn, drawn[:, [place]]).any(axis=1) for place in range(len(placed))], axis=1)
    columns = np.moveaxis(values, 0, -1).reshape(-1, len(questions))
    found = iter(estimates(columns.tolist(), on_unit_scale=False, seed=seed, level=level))
    places = {}
    for place, name in enumerate(placed):
        by = tuple(placed[other] for other in np.flatnonzero(_beats(means, means[[place]])))
        places[name] = Place({key: next(found) for key in objectives}, by, float(1 - beaten[:, place].mean()))
    return Front(named, tuple(known), len(questions), places, left_out)


def _beats(points: Points, one: Points) -> NDArray[np.bool_]:
    """Which points, objectives last, are at least as good as ``one`` in all objectives and better in some."""
    as_good, better = points >= one - _SAME, points > one + _SAME
    return np.asarray(as_good.all(axis=-1) & better.any(axis=-1))
