"""From runs to a gate's decision: the system that is meant, its safety checks, and the baseline. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.compare import OpenedRun, find_runs
from benchmark.domain import UserError
from benchmark.gate.baseline import baseline_lines
from benchmark.gate.decision import Examined, Line, Verdict, decide
from benchmark.gate.policy import is_metric
from benchmark.storage.policies import read_policy
from benchmark.systems import System, one_system, same_system


@dataclass(frozen=True, slots=True)
class Gated:
    """A decision and the run that it is of: of the system's runs, the one that was asked most."""

    name: str
    run: OpenedRun
    verdict: Verdict


def gate(
    target: str,
    policy: str,
    results: Path,
    *,
    only: str | None,
    safety: str | None,
    baseline: str | None,
    tell: Callable[[str], object],
) -> Gated:
    """Hold a policy against a system. ``safety``: more of its runs, on corpora that have what the checks need.

    ``tell`` hears what could not be read of the runs.

    Raises:
        UserError: the runs, the system or the policy are not there, or the baseline is on another exam or corpus.
    """
    system = one_system(find_runs(target, results, tell), target, only)
    run = system.largest
    read = read_policy(policy, _own_metrics(run))
    if safety is not None:
        system = _with_runs(system, run, find_runs(safety, results, tell), safety)
    more: Iterable[Line] = ()
    if baseline is not None:
        other = _baseline(baseline, run, find_runs(baseline, results, tell), only)
        more = baseline_lines(read, other.records, run.records, seed=_seed(run))
    examined = Examined(
        run.names["corpus"],
        run.records,
        len(run.asked),
        system.checks() if read.safety else (),
        run.yardstick,
        _seed(run),
    )
    return Gated(f"{system.name} on {run.names['corpus']}", run, decide(read, examined, tuple(more)))


def _seed(run: OpenedRun) -> int:
    return int(run.settings["seed"])


def _own_metrics(run: OpenedRun) -> frozenset[str]:
    known = {key for record in run.records for key in record.scores}
    return frozenset(key for key in known if not is_metric(key))


def _with_runs(system: System, run: OpenedRun, found: Sequence[OpenedRun], target: str) -> System:
    alike = [one for one in found if same_system(one, run)]
    if not alike:
        raise UserError(
            f"--safety {target} has no run of {system.name}: its runs answer in another way.\n"
            "    wanted: the same architecture, generator and knobs, on other corpora\n"
            "    to do:  repeat ragsweep experiment=safety with the choices of the run that is to be promoted"
        )
    exams = {one.exam for one in system.runs}
    return System(system.name, (*system.runs, *(one for one in alike if one.exam not in exams)))


def _baseline(target: str, run: OpenedRun, found: Sequence[OpenedRun], only: str | None) -> OpenedRun:
    """The baseline's run on the same corpus."""
    there = [one for one in found if one.corpus_digest == run.corpus_digest]
    if not there:
        exams = dict.fromkeys(f"{one.names['corpus']} ({one.corpus_digest[:12]})" for one in found)
        raise UserError(
            f"the baseline {target} is on another exam or corpus: {', '.join(exams)}.\n"
            f"    wanted: {run.names['corpus']} ({run.corpus_digest[:12]}), as the run that is to be promoted\n"
            "    to do:  run the baseline again on this corpus; scores of two exams say nothing about each other"
        )
    same = [one for one in there if same_system(one, run)] or there
    chosen = same[0] if len(same) == 1 else one_system(there, target, only).largest
    if not set(chosen.asked) & set(run.asked):
        raise UserError(
            f"the baseline {target} was asked none of the questions of {run.folder.path}.\n"
            "    to do:  repeat one of the two with the limit or the sample of the other; what is finished is kept"
        )
    return chosen
