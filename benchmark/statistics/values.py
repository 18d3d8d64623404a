"""Measured values of a metric by question, as mappings and as a matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import fsum

import numpy as np
from numpy.typing import NDArray

from benchmark.domain import Record

Values = Mapping[str, float]
"""One run's measured values of one metric, by question id."""

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def measured(records: Iterable[Record], key: str) -> dict[str, float]:
    """The values of a metric by question id, of the questions on which it was measured."""
    return {
        record.question.id: float(score.value)
        for record in records
        if (score := record.scores.get(key)) is not None and score.value is not None
    }


def mean(values: Collection[float]) -> float | None:
    """Their mean, the same in any order; ``None`` for no value."""
    return fsum(values) / len(values) if values else None


def as_matrix(runs: Mapping[str, Values]) -> tuple[tuple[str, ...], Matrix]:
    """Question ids in order, and values of shape (questions, runs), NaN where not measured.

    >>> as_matrix({"a": {"q2": 0.5, "q1": 1.0}, "b": {"q2": 0.0}})
    (('q1', 'q2'), array([[1. , nan],
           [0.5, 0. ]]))
    """
    questions = tuple(sorted({question for values in runs.values() for question in values}))
    rows = [[values.get(question, np.nan) for values in runs.values()] for question in questions]
    return questions, np.array(rows, dtype=np.float64).reshape(len(questions), len(runs))
