"""How far the judge's rulings on passages agree with the exam's gold evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.domain import Record, Span
from benchmark.statistics.intervals import Estimate, bca_of_means
from benchmark.statistics.values import Matrix, Vector

WORDS = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))
"""Landis and Koch 1977, section 3; below 0 agreement is poor."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Passages by judge and gold: useful for ``both``, for one alone, for ``neither``.

    ``kappa`` (Cohen 1960) corrects the agreement for chance; its interval resamples questions, as passages of one
    question are not independent. It is not measured where judge or gold say the same of every passage.
    """

    kappa: Estimate
    both: int
    judge_alone: int
    gold_alone: int
    neither: int

    @property
    def passages(self) -> int:
        return self.both + self.judge_alone + self.gold_alone + self.neither

    @property
    def agreeing(self) -> float | None:
        return (self.both + self.neither) / self.passages if self.passages else None

    @property
    def word(self) -> str | None:
        """How Landis and Koch call such a kappa."""
        if self.kappa.mean is None:
            return None
        return next((word for least, word in WORDS if self.kappa.mean > least), "poor")

    @property
    def sentence(self) -> str:
        """How far the judge can be trusted on this corpus, in words."""
        if self.agreeing is None:
            return "no passage was both ruled on by the judge and is known to gold: its agreement is not measured"
        said = f"judge and gold evidence agree on {self.agreeing:.0%} of {self.passages} passages".replace("%", " %")
        if self.kappa.mean is None:
            return f"{said}; kappa is not measured, as one of them says the same of all"
        interval = "" if self.kappa.low is None else f" ({self.kappa.low:.2f} to {self.kappa.high:.2f})"
        return f"{said}: {self.word} agreement, kappa {self.kappa.mean:.2f}{interval}"


def agreement(records: Iterable[Record], *, min_grade: int, seed: int, level: float = 0.95) -> Agreement:
    """Cohen's kappa between the judge's "useful" and gold of at least ``min_grade`` that the passage overlaps.

    Of one run or of several: a passage that several runs read for a question counts once, with its first ruling.
    Questions without gold are left out; ``missing`` counts those with gold that have no ruling.
    """
    rulings: dict[str, dict[Span, tuple[bool, bool]]] = {}
    for record in records:
        gold = [item.span for item in record.question.evidence if item.grade >= min_grade]
        if not gold or not record.question.answerable:
            continue
        ruled = rulings.setdefault(record.question.id, {})
        useful, response = record.rulings.useful, record.response
        if useful is not None and response is not None and len(useful) == len(response.context):
            for hit, verdict in zip(response.context, useful, strict=True):
                span = hit.chunk.span
                ruled.setdefault(span, (verdict.holds, any(span.overlaps(other) for other in gold)))
    counts = np.array([_table(list(ruled.values())) for ruled in rulings.values() if ruled], dtype=float).reshape(-1, 4)
    missing = len(rulings) - len(counts)
    totals = both, judge_alone, gold_alone, _ = counts.sum(axis=0).astype(int).tolist()
    vary = 0 < both + judge_alone < sum(totals) and 0 < both + gold_alone < sum(totals)
    kappa = bca_of_means(counts if vary else counts[:0], kappas, missing=missing, seed=seed, level=level)
    return Agreement(kappa, *totals)


def kappas(tables: Matrix) -> Vector:
    """Cohen's kappa of each row (both, judge alone, gold alone, neither), NaN where chance explains all.

    >>> kappas(np.array([[20.0, 5.0, 10.0, 15.0], [3.0, 0.0, 0.0, 0.0]])).round(3)
    array([0.4, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        both, judge_alone, gold_alone, neither = (tables / tables.sum(axis=1, keepdims=True)).T
        judge, gold = both + judge_alone, both + gold_alone
        chance = judge * gold + (1 - judge) * (1 - gold)
        return np.where(1 - chance > 1e-9, (both + neither - chance) / (1 - chance), np.nan)


def _table(ruled: Sequence[tuple[bool, bool]]) -> list[int]:
    return [
        ruled.count((True, True)),
        ruled.count((True, False)),
        ruled.count((False, True)),
        ruled.count((False, False)),
    ]
