"""How much of the scores' variance is due to architecture, generator, question and their interactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmark.statistics.values import Values

FACTORS = ("architecture", "generator", "question")


@dataclass(frozen=True, slots=True)
class Component:
    """One source of variance: ``source`` names a factor or an interaction ("architecture x question").

    ``variance`` is the component's estimate, 0 where the estimate falls below; ``share`` its part of all components,
    ``share_of_squares`` that of the total sum of squares; both ``None`` where all scores are equal.
    """

    source: str
    sum_of_squares: float
    degrees: int
    variance: float
    share: float | None
    share_of_squares: float | None


@dataclass(frozen=True, slots=True)
class Split:
    """Components of a full grid; the last is the interaction of all factors, which no repetition parts from noise."""

    architectures: tuple[str, ...]
    generators: tuple[str, ...]
    questions: int
    components: tuple[Component, ...]


def split(runs: Mapping[tuple[str, str], Values]) -> Split | None:
    """The variance of scores by (architecture, generator) over the questions that all of them have measured.

    Architectures that were not run with every generator are left out. A factor with one level has no component.
    ``None`` where fewer than two questions or fewer than two runs are left.

    Random-effects analysis of variance of a crossed design, by the expected mean squares. Source: Brennan 2001,
    "Generalizability Theory", section 3.3; Searle, Casella and McCulloch 1992, "Variance Components", chapter 4.

    >>> runs = {("bm25", "g"): {"q1": 0.0, "q2": 0.4}, ("dense", "g"): {"q1": 0.2, "q2": 0.6}}
    >>> [(one.source, round(one.share, 2)) for one in split(runs).components]
    [('architecture', 0.2), ('question', 0.8), ('architecture x question', 0.0)]
    """
    generators = tuple(dict.fromkeys(generator for _, generator in runs))
    named = dict.fromkeys(architecture for architecture, _ in runs)
    architectures = tuple(name for name in named if all((name, generator) in runs for generator in generators))
    cells = [[runs[architecture, generator] for generator in generators] for architecture in architectures]
    every = [set(values) for row in cells for values in row]
    questions = sorted(set.intersection(*every)) if every else []
    if len(questions) < 2 or len(every) < 2:
        return None
    scores = np.array([[[values[question] for question in questions] for values in row] for row in cells])
    return Split(architectures, generators, len(questions), _components(scores))


def _components(scores: NDArray[np.float64]) -> tuple[Component, ...]:
    sizes = dict(enumerate(scores.shape))
    active = [axis for axis, size in sizes.items() if size > 1]
    sources = [source for length in range(1, len(active) + 1) for source in combinations(active, length)]
    squares: dict[tuple[int, ...], float] = {}
    mean_squares: dict[tuple[int, ...], float] = {}
    effects: dict[tuple[int, ...], NDArray[np.float64]] = {(): np.full((1, 1, 1), scores.mean())}
    for source in sources:
        rest = tuple(axis for axis in sizes if axis not in source)
        within = [part for length in range(len(source)) for part in combinations(source, length)]
        effects[source] = scores.mean(axis=rest, keepdims=True) - sum((effects[part] for part in within), np.zeros(1))
        squares[source] = float((effects[source] ** 2).sum() * _product(sizes, rest))
        mean_squares[source] = squares[source] / _degrees(sizes, source)
    variances = {source: max(0.0, _variance(source, sources, mean_squares, sizes)) for source in sources}
    total, all_squares = sum(variances.values()), sum(squares.values())
    equal = all_squares <= 1e-12
    return tuple(
        Component(
            " x ".join(FACTORS[axis] for axis in source),
            squares[source],
            _degrees(sizes, source),
            variances[source],
            None if equal else variances[source] / total,
            None if equal else squares[source] / all_squares,
        )
        for source in sources
    )


def _variance(
    source: tuple[int, ...],
    sources: list[tuple[int, ...]],
    mean_squares: Mapping[tuple[int, ...], float],
    sizes: Mapping[int, int],
) -> float:
    """Mean squares of the sources that contain this one, by turns added and taken off, over the repetitions."""
    holding = [other for other in sources if set(source) <= set(other)]
    signed = sum(mean_squares[other] * (-1.0 if (len(other) - len(source)) % 2 else 1.0) for other in holding)
    return signed / _product(sizes, tuple(axis for axis in sizes if axis not in source))


def _product(sizes: Mapping[int, int], axes: tuple[int, ...]) -> int:
    return int(np.prod([sizes[axis] for axis in axes], dtype=int))


def _degrees(sizes: Mapping[int, int], source: tuple[int, ...]) -> int:
    return int(np.prod([sizes[axis] - 1 for axis in source], dtype=int))
