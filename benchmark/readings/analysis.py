"""Everything that a report says of runs by their scores read together, made from their records in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.domain import Record, Role
from benchmark.metrics import described
from benchmark.readings.abstention import Abstention, abstention
from benchmark.readings.agreement import Agreement, agreement
from benchmark.readings.breakdown import Group, breakdown
from benchmark.readings.duels import Contested, Duel, contested, duels
from benchmark.readings.headroom import headroom
from benchmark.readings.matched_tokens import AtTokens, at_matched_tokens
from benchmark.readings.pareto import Front, front
from benchmark.readings.variance import Split, split
from benchmark.statistics import Estimate, Settings, Values, measured

COSTS = ("cost/context_tokens", "cost/money", "cost/seconds")


@dataclass(frozen=True, slots=True)
class Label:
    """What a run is: its architecture (with the knobs that differ between runs), its generator, the part it plays.

    ``k``: how many passages it reads; ``judge``: who ruled on its answers.
    """

    architecture: str
    generator: str
    role: Role = "rival"
    k: int | None = None
    judge: str = "judge"


@dataclass(frozen=True, slots=True)
class Reading:
    """One metric read closely; ``front``, ``duels`` and ``contested`` are of rivals, ``groups`` of all runs."""

    name: str
    front: Front
    groups: tuple[Group, ...]
    duels: tuple[Duel, ...]
    contested: tuple[Contested, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """``headroom`` by metric and rival, without those that have no floor and ceiling; ``splits`` by metric.

    A metric has no split for fewer than two runs or two common questions, and where two runs have the same label.
    ``agreement`` and ``abstention`` by run; ``judges``: each judge's agreement with gold evidence over all rivals.
    ``matched``: evidence recall at equal context tokens, one entry for each budget, which the rivals' contexts set.
    """

    labels: Mapping[str, Label]
    headroom: Mapping[str, Mapping[str, Estimate]]
    splits: Mapping[str, Split]
    headline: Reading | None
    judges: Mapping[str, Agreement]
    agreement: Mapping[str, Agreement]
    abstention: Mapping[str, Abstention]
    matched: tuple[AtTokens, ...]

    @property
    def rivals(self) -> tuple[str, ...]:
        return tuple(name for name, label in self.labels.items() if label.role == "rival")


def analyse(
    runs: Mapping[str, Sequence[Record]],
    *,
    labels: Mapping[str, Label],
    keys: Mapping[str, Mapping[str, str]],
    headline: str | None,
    settings: Settings,
    min_grade: int = 2,
) -> Analysis:
    """Runs of one exam, by name, to all figures of a report that are read off several scores.

    Args:
        labels: by run. A run on fewer questions than the others should be no rival.
        keys: the metrics to read, by any name: the key by run that the records have, as runs of another k have another.
        headline: the name of the metric to read closely; ``None`` for none.
        min_grade: the least grade of gold evidence that counts as relevant.
    """
    rivals = [name for name in runs if labels[name].role == "rival"]
    seed, level = settings.seed, settings.level
    values = {key: {name: measured(runs[name], own) for name, own in by_run.items()} for key, by_run in keys.items()}
    higher = {key: _is_better_higher(by_run) for key, by_run in keys.items()}
    recovered = {key: _headroom(found, labels, higher=higher[key], settings=settings) for key, found in values.items()}
    parts = {key: _split({name: found[name] for name in rivals}, labels) for key, found in values.items()}
    by_judge: dict[str, list[Record]] = {}
    for name in rivals:
        by_judge.setdefault(labels[name].judge, []).extend(runs[name])
    return Analysis(
        {name: labels[name] for name in runs},
        {key: found for key, found in recovered.items() if found},
        {key: found for key, found in parts.items() if found is not None},
        None if headline is None else _read(headline, runs, rivals, keys[headline], settings),
        {name: agreement(own, min_grade=min_grade, seed=seed, level=level) for name, own in by_judge.items()},
        {name: agreement(own, min_grade=min_grade, seed=seed, level=level) for name, own in runs.items()},
        {name: abstention(own, seed=seed, level=level) for name, own in runs.items()},
        at_matched_tokens(runs, matching=rivals, min_grade=min_grade, seed=seed, level=level),
    )


def _is_better_higher(by_run: Mapping[str, str]) -> bool:
    return all(described(key).direction != "lower" for key in by_run.values())


def _read(
    name: str,
    runs: Mapping[str, Sequence[Record]],
    rivals: Sequence[str],
    by_run: Mapping[str, str],
    settings: Settings,
) -> Reading:
    seed, level, higher = settings.seed, settings.level, _is_better_higher(by_run)
    costs = {cost: {rival: measured(runs[rival], cost) for rival in rivals} for cost in COSTS}
    competing = {rival: measured(runs[rival], by_run[rival]) for rival in rivals}
    return Reading(
        name,
        front(competing, costs, named=name, higher_is_better=higher, seed=seed, level=level),
        breakdown(runs, by_run, seed=seed, level=level),
        duels(competing, higher_is_better=higher),
        contested(competing, higher_is_better=higher),
    )


def _split(values: Mapping[str, Values], labels: Mapping[str, Label]) -> Split | None:
    cells = {(labels[name].architecture, labels[name].generator): own for name, own in values.items()}
    return split(cells) if len(cells) == len(values) else None


def _headroom(
    values: Mapping[str, Values], labels: Mapping[str, Label], *, higher: bool, settings: Settings
) -> dict[str, Estimate]:
    """Of every rival against the floor and the ceiling that have its generator, of several those with its k."""
    found: dict[str, Estimate] = {}
    for name, own in values.items():
        floor, ceiling = (_bound(role, labels[name], labels) for role in ("floor", "ceiling"))
        if labels[name].role == "rival" and own and floor is not None and ceiling is not None:
            found |= headroom(
                {name: own},
                floor=values[floor],
                ceiling=values[ceiling],
                higher_is_better=higher,
                seed=settings.seed,
                level=settings.level,
            )
    return found


def _bound(role: str, rival: Label, labels: Mapping[str, Label]) -> str | None:
    alike = [name for name, one in labels.items() if one.role == role and one.generator == rival.generator]
    return min(alike, key=lambda name: labels[name].k != rival.k, default=None)
