"""Runs of one system over several corpora belong together: what its safety checks say over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.compare import OpenedRun, is_knob, labels
from benchmark.domain import UserError
from benchmark.safety import CHECKS, Checked, Material, check, pooled
from benchmark.storage.facts import material_of
from benchmark.storage.tracked_values import flat
from benchmark.suggestions import meant

_OF_THE_EXAM = ("corpus", "metrics", "diagnosis", "judge", "prices", "budget", "transport", "seed")
"""Parts of a configuration that say what is asked and how it is scored, not what answers."""


@dataclass(frozen=True, slots=True)
class System:
    """What answers, with its run of each corpus; ``name`` tells it from the others that it was found with."""

    name: str
    runs: tuple[OpenedRun, ...]

    @property
    def largest(self) -> OpenedRun:
        """The run that was asked most questions: the exam that its metrics are read on."""
        return max(self.runs, key=lambda run: len(run.asked))

    def checks(self) -> tuple[Checked, ...]:
        """Every safety check over all runs."""
        found = [(run.names["corpus"], check(run.records, _material(run))) for run in self.runs]
        return tuple(pooled([(corpus, results[place]) for corpus, results in found]) for place, _ in enumerate(CHECKS))


def systems(runs: Sequence[OpenedRun]) -> tuple[System, ...]:
    """Runs grouped by what answers, in the order in which each is first met.

    Of several runs of one system on one corpus (another judge, or fewer questions) that with most questions counts, and
    of equal ones the last: an answer must not be counted twice.
    """
    groups: dict[object, dict[tuple[str, str], OpenedRun]] = {}
    for run in runs:
        own = groups.setdefault(_identity(run), {})
        known = own.get(run.exam)
        if known is None or len(run.asked) >= len(known.asked):
            own[run.exam] = run
    names = labels([next(iter(own.values())) for own in groups.values()])
    return tuple(System(name, tuple(own.values())) for name, own in zip(names, groups.values(), strict=True))


def one_system(runs: Sequence[OpenedRun], target: str, only: str | None) -> System:
    """The system of that name, or the only one that there is.

    Raises:
        UserError: there are several and none was named, or none has that name.
    """
    found = systems(runs)
    names = [system.name for system in found]
    if only is None and len(found) == 1:
        return found[0]
    told = f"{target} has {len(found)} systems: {', '.join(names)}."
    if only is None:
        raise UserError(
            f"{told}\n    wanted: one system, on one corpus or on several\n    to do:  name it: --only '{names[0]}'"
        )
    chosen = [system for system in found if system.name == only]
    if not chosen:
        raise UserError(f"{target} has no system {only!r}.{meant(only, names)}\n    wanted: one of {', '.join(names)}")
    return chosen[0]


def same_system(one: OpenedRun, other: OpenedRun) -> bool:
    """Whether two runs are of what answers in the same way."""
    return _identity(one) == _identity(other)


def _identity(run: OpenedRun) -> object:
    knobs = {name: value for name, value in flat(run.settings).items() if is_knob(name)}
    chosen = ((name, str(value)) for name, value in knobs.items() if name.partition(".")[0] not in _OF_THE_EXAM)
    return run.names["architecture"], run.names["generator"], tuple(sorted(chosen))


def _material(run: OpenedRun) -> Material:
    path = run.settings["corpus"].get("path")
    return material_of(run.corpus, None if path is None else str(path))
