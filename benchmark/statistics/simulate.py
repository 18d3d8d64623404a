"""How well intervals and tests hold where the truth is known: ``python -m benchmark.statistics.simulate``.

Prints the tables of ``docs/statistics.md``, from which ``coverage.py`` has its figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmark.statistics.coverage import SIZES
from benchmark.statistics.intervals import How, estimates
from benchmark.statistics.ranking import POWER, questions_needed
from benchmark.statistics.signflip import holm, sign_flips
from benchmark.statistics.values import Matrix

SETS = 1_000
SEED = 7
SYSTEMS = 6


@dataclass(frozen=True, slots=True)
class Shape:
    """Scores of one kind: how to draw them, shape (questions, sets), and their true mean."""

    draw: Callable[[np.random.Generator, tuple[int, int]], Matrix]
    mean: float


def _with_ones(share: float) -> Shape:
    """That share of scores is 1, the rest lies anywhere between 0 and 1."""

    def draw(random: np.random.Generator, size: tuple[int, int]) -> Matrix:
        return np.where(random.random(size) < share, 1.0, random.random(size))

    return Shape(draw, share + (1 - share) / 2)


SHAPES: Mapping[str, Shape] = {
    "spread (normal)": Shape(lambda random, size: random.normal(0.5, 0.1, size), 0.5),
    "shares of 4 claims": Shape(lambda random, size: random.binomial(4, random.beta(2, 1, size)) / 4, 2 / 3),
    "80 % ones": _with_ones(0.8),
    "95 % ones": _with_ones(0.95),
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Share of simulated sets whose interval holds the true mean; ``bca``: without the way out for equal scores."""

    shipped: float
    bca: float


def coverage(shape: Shape, n: int, *, sets: int = SETS, seed: int = SEED) -> Coverage:
    """Of 95 % intervals for the mean of ``n`` scores of that shape."""
    samples = shape.draw(np.random.default_rng([seed, n]), (n, sets)).T.tolist()
    found = estimates(samples, on_unit_scale=True, seed=seed)
    held = [one.low is not None and one.high is not None and one.low <= shape.mean <= one.high for one in found]
    by_bca = [holds and one.how is How.BCA for holds, one in zip(held, found, strict=True)]
    return Coverage(sum(held) / sets, sum(by_bca) / sets)


def family_wise_error(n: int, *, in_fifths: bool, sets: int = SETS, seed: int = SEED) -> float:
    """Share of sets in which any pair of six equally good systems is told apart at 0.05.

    Questions are hard and easy alike for all systems. ``in_fifths`` rounds scores to fifths, so that many are equal.
    """
    random = np.random.default_rng([seed, n])
    errors = 0
    for _ in range(sets):
        scores = random.normal(0.6, 0.2, (n, 1)) + random.normal(0, 0.2, (n, SYSTEMS))
        scores = np.clip(scores.round(1) // 0.2 * 0.2, 0, 1) if in_fifths else scores
        differences = np.column_stack([scores[:, a] - scores[:, b] for a, b in combinations(range(SYSTEMS), 2)])
        errors += min(holm(sign_flips(differences, seed=seed).tolist())) <= 0.05
    return errors / sets


def power(deviation: float, difference: float, *, sets: int = SETS, seed: int = SEED) -> tuple[int, float]:
    """The questions that ``questions_needed`` asks for, and the share of sets in which the difference is then seen."""
    n = questions_needed(deviation, difference)
    random = np.random.default_rng([seed, n])
    p_values = sign_flips(random.normal(difference, deviation, (n, sets)), seed=seed)
    return n, float((p_values <= 0.05).mean())


def main() -> None:
    print(f"Coverage of 95 % intervals in {SETS} sets each, BCa alone in brackets where it differs:\n")
    print(f"| scores | {' | '.join(f'n = {n}' for n in SIZES)} |\n|---|{'---:|' * len(SIZES)}")
    for name, shape in SHAPES.items():
        cells = [coverage(shape, n) for n in SIZES]
        told = [f"{cell.shipped:.2f}" + f" ({cell.bca:.2f})" * (cell.shipped - cell.bca > 0.005) for cell in cells]
        print(f"| {name} | {' | '.join(told)} |")
    print(f"\nFamily-wise error among {SYSTEMS} equal systems, {SETS} sets each, at 0.05:\n")
    print("| scores | n = 10 | n = 20 | n = 40 | n = 100 |\n|---|---:|---:|---:|---:|")
    for name, in_fifths in (("normal", False), ("in fifths, many equal", True)):
        errors = [family_wise_error(n, in_fifths=in_fifths) for n in (10, 20, 40, 100)]
        print(f"| {name} | {' | '.join(f'{error:.3f}' for error in errors)} |")
    print(f"\nPower at the questions said to be needed, for {POWER:.0%}:\n")
    print("| deviation | difference | questions needed | seen |\n|---:|---:|---:|---:|")
    for deviation, difference in ((0.2, 0.1), (0.3, 0.1), (0.4, 0.2)):
        n, seen = power(deviation, difference)
        print(f"| {deviation} | {difference} | {n} | {seen:.3f} |")


if __name__ == "__main__":
    main()
