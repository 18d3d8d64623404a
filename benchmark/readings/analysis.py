"""Everything that a report says of runs by their scores, made from their records in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark.domain import Record
from benchmark.metrics import described, on_unit_scale
from benchmark.readings.abstention import Abstention, abstention
from benchmark.readings.agreement import Agreement, agreement
from benchmark.readings.breakdown import Group, breakdown
from benchmark.readings.duels import Contested, Duel, contested, duels
from benchmark.readings.headroom import headroom
from benchmark.readings.matched_tokens import AtTokens, at_matched_tokens
from benchmark.readings.pareto import Front, front
from benchmark.readings.variance import Split, split
from benchmark.statistics import Estimate, Settings, Statistics, Values, measured, summarise

Role = Literal["rival", "floor", "ceiling", "yardstick"]
"""Rivals compete; the floor (random passages) and the ceiling (gold evidence) bound them; other yardsticks do not."""

FOCUS = (
    "ragas/faithfulness",
    "ragas/answer_relevancy",
    "ragas/context_precision",
    "ragas/context_recall",
    "ragas/mean",
    "answer/completeness",
)
"""What is read closely unless said, beside evidence recall."""
COSTS = ("cost/context_tokens", "cost/money", "cost/seconds")


@dataclass(frozen=True, slots=True)
class Label:
    """What a run is: its architecture (with the knobs that differ between runs), its generator, the part it plays."""

    architecture: str
    generator: str
    role: Role = "rival"


@dataclass(frozen=True, slots=True)
class Reading:
    """One metric read closely. ``headroom``, by rival, is empty where there is no floor and ceiling of its generator.

    ``front``, ``duels``, ``contested`` and ``split`` are of rivals, ``groups`` of all runs. ``split`` is ``None`` for
    fewer than two runs or two common questions, and where two runs have the same label.
    """

    key: str
    headroom: Mapping[str, Estimate]
    front: Front
    split: Split | None
    groups: tuple[Group, ...]
    duels: tuple[Duel, ...]
    contested: tuple[Contested, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """``readings`` by metric key; ``agreement`` and ``abstention`` by run; ``judge``: agreement over all rivals.

    ``matched``: evidence recall at equal context tokens, one entry for each budget, which the rivals' contexts set.
    """

    statistics: Statistics
    labels: Mapping[str, Label]
    readings: Mapping[str, Reading]
    judge: Agreement
    agreement: Mapping[str, Agreement]
    abstention: Mapping[str, Abstention]
    matched: tuple[AtTokens, ...]

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(name for name, label in self.labels.items() if label.role == "rival")


def analyse(
    runs: Mapping[str, Sequence[Record]],
    *,
    settings: Settings,
    labels: Mapping[str, Label] | None = None,
    focus: Sequence[str] | None = None,
    min_grade: int = 2,
) -> Analysis:
    """Runs of one exam, by name, to all figures of a report.

    Args:
        labels: by run; a run without one is a rival that is its own architecture. A run on fewer questions than the
            others should be no rival.
        focus: the metrics to read closely; unless given those of ``FOCUS`` and evidence recall, where measured.
        min_grade: the least grade of gold evidence that counts as relevant.
    """
    known = {name: (labels or {}).get(name, Label(name, "")) for name in runs}
    rivals = [name for name, label in known.items() if label.role == "rival"]
    statistics = summarise(runs, settings=settings, competing=rivals)
    seed, level = settings.seed, settings.level
    costs = {key: {name: measured(runs[name], key) for name in rivals} for key in COSTS}
    read = {}
    for key in focus if focus is not None else [key for key in statistics.metrics if _is_read(key)]:
        values = {name: measured(records, key) for name, records in runs.items()}
        competing = {name: values[name] for name in rivals}
        higher = described(key).direction != "lower"
        read[key] = Reading(
            key,
            _headroom(values, known, higher_is_better=higher, settings=settings),
            front(competing, costs, named=key, higher_is_better=higher, seed=seed, level=level),
            _split(competing, known),
            breakdown(runs, key, seed=seed, level=level),
            duels(competing, higher_is_better=higher),
            contested(competing, higher_is_better=higher),
        )
    competing_records = [record for name in rivals for record in runs[name]]
    return Analysis(
        statistics,
        known,
        read,
        agreement(competing_records, min_grade=min_grade, seed=seed, level=level),
        {name: agreement(own, min_grade=min_grade, seed=seed, level=level) for name, own in runs.items()},
        {name: abstention(own, seed=seed, level=level) for name, own in runs.items()},
        at_matched_tokens(runs, matching=rivals, min_grade=min_grade, seed=seed, level=level),
    )


def _is_read(key: str) -> bool:
    return key in FOCUS or (on_unit_scale(key) and key.startswith("retrieval/recall_"))


def _split(values: Mapping[str, Values], labels: Mapping[str, Label]) -> Split | None:
    cells = {(labels[name].architecture, labels[name].generator): own for name, own in values.items()}
    return split(cells) if len(cells) == len(values) else None


def _headroom(
    values: Mapping[str, Values], labels: Mapping[str, Label], *, higher_is_better: bool, settings: Settings
) -> dict[str, Estimate]:
    """Of every rival against the floor and the ceiling that have its generator."""
    found: dict[str, Estimate] = {}
    for name, label in labels.items():
        bounds = {
            other.role: values[bound]
            for bound, other in labels.items()
            if other.role in ("floor", "ceiling") and other.generator == label.generator
        }
        if label.role == "rival" and len(bounds) == 2:
            found |= headroom(
                {name: values[name]},
                floor=bounds["floor"],
                ceiling=bounds["ceiling"],
                higher_is_better=higher_is_better,
                seed=settings.seed,
                level=settings.level,
            )
    return found
