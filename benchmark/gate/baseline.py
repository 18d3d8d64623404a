"""A run against an earlier one: what became worse, beyond noise or across a threshold, and on which questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmark.domain import Record
from benchmark.gate.decision import Line
from benchmark.gate.policy import Policy, Threshold, is_higher_better
from benchmark.metrics import Direction
from benchmark.readings.improvement import Improvement, improvements
from benchmark.statistics import Values, measured
from benchmark.text import some

_RUN = "run"
_SHOWN = 5


def baseline_lines(policy: Policy, before: Sequence[Record], after: Sequence[Record], *, seed: int) -> Iterator[Line]:
    """One line for each metric of the policy, over the questions that both runs have measured.

    It is an alarm where the drop is significant (paired sign-flip test, Holm over the policy's metrics) or takes the
    metric across its threshold. A metric that only the baseline has measured is an alarm too.
    """
    thresholds = {one.key: one for one in policy.thresholds}
    values = {key: (measured(before, key), measured(after, key)) for key in thresholds}
    directions: Mapping[str, Direction] = {key: "higher" if is_higher_better(key) else "lower" for key in thresholds}
    found = {row.key: row for row in improvements({_RUN: values}, directions=directions, seed=seed).rows}
    for key, threshold in thresholds.items():
        row = found.get(key)
        if row is not None:
            yield _line(row, threshold, *values[key])
        elif values[key][0]:
            why = f"the baseline has it on {len(values[key][0])} questions, this run on none of them"
            yield Line(f"baseline: {key}", None, None, None, 0, "no drop", False, why, "measure it in this run too")


def _line(row: Improvement, threshold: Threshold, before: Values, after: Values) -> Line:
    crossed = _passes(threshold, row.before) and not _passes(threshold, row.after)
    alarm = row.verdict == "worse" or crossed
    worse = _worse(before, after, higher=is_higher_better(row.key)) if alarm else []
    p_value = (
        "the same on every question" if row.adjusted_p is None else f"{row.verdict}, adjusted p {row.adjusted_p:.4f}"
    )
    why = f"{row.before:.2f} -> {row.after:.2f}, {p_value}" + (f", crosses {threshold}" if crossed else "")
    if worse:
        why += f"; worse: {some(worse, _SHOWN)}"
    change = row.difference
    to_do = "ragsweep compare BASELINE RUN shows what changed; undo it, or raise the baseline knowingly"
    return Line(
        f"baseline: {row.key}", change.mean, change.low, change.high, change.n, "no drop", not alarm, why, to_do
    )


def _passes(threshold: Threshold, mean: float) -> bool:
    return Threshold(threshold.key, threshold.at_least, threshold.at_most).met_by(mean, None, None)


def _worse(before: Values, after: Values, *, higher: bool) -> list[str]:
    """Questions that became worse, the largest drop first."""
    drops = {key: (before[key] - after[key]) * (1 if higher else -1) for key in before if key in after}
    return sorted((key for key, drop in drops.items() if drop > 1e-9), key=lambda key: -drops[key])
