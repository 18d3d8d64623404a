"""Retrieval at the same number of context tokens, since more context finds more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from benchmark.domain import Hit, Outcome, Record
from benchmark.metrics.retrieval import recall
from benchmark.statistics.intervals import Estimate, estimates
from benchmark.text import count_tokens


@dataclass(frozen=True, slots=True)
class AtTokens:
    """Evidence recall of each run within ``tokens`` house tokens of context; ``used`` is what it took of them."""

    tokens: int
    recall: Mapping[str, Estimate]
    used: Mapping[str, float]


def at_matched_tokens(
    runs: Mapping[str, Sequence[Record]],
    *,
    min_grade: int,
    seed: int,
    budgets: Sequence[int] | None = None,
    matching: Collection[str] | None = None,
    level: float = 0.95,
) -> tuple[AtTokens, ...]:
    """Recall of gold evidence by the first passages that fit into each budget, whole passages only, in their order.

    The budgets, unless given, are doubled from a quarter of the leanest run's mean context to the richest run's, the
    leanest's itself among them; ``matching`` names the runs that this goes by, all unless given. Runs that do not
    retrieve are left out. Only what each run really read is cut; what it would have read with more room is not known.
    """
    known: dict[str, int] = {}  # runs read the same passages over and over
    reading = {
        name: [
            (record, _sizes(record, known))
            for record in records
            if record.response is not None and record.response.retrieves
        ]
        for name, records in runs.items()
    }
    reading = {name: read for name, read in reading.items() if any(sizes for _, sizes in read)}
    means = {name: sum(sum(sizes) for _, sizes in read) / len(read) for name, read in reading.items()}
    found = []
    matched = [size for name, size in means.items() if matching is None or name in matching]
    for tokens in _budgets(matched) if budgets is None else budgets:
        cut = {name: [_cut(record, sizes, tokens) for record, sizes in read] for name, read in reading.items()}
        scores = {
            name: [
                recall(outcome, record.rulings, k=max(1, len(outcome.response.context)), min_grade=min_grade).value
                for (record, _), (outcome, _) in zip(reading[name], kept, strict=True)
            ]
            for name, kept in cut.items()
        }
        samples = [[value for value in values if value is not None] for values in scores.values()]
        by_run = estimates(
            samples, [values.count(None) for values in scores.values()], on_unit_scale=True, seed=seed, level=level
        )
        used = {name: sum(size for _, size in kept) / len(kept) for name, kept in cut.items()}
        found.append(AtTokens(tokens, dict(zip(scores, by_run, strict=True)), used))
    return tuple(found)


def fitting(sizes: Sequence[int], tokens: int) -> int:
    """How many of the first passages fit, none of them cut.

    >>> fitting([100, 90, 10], 195), fitting([100, 90, 10], 50)
    (2, 0)
    """
    total = 0
    for place, size in enumerate(sizes):
        total += size
        if total > tokens:
            return place
    return len(sizes)


def _budgets(means: Sequence[float]) -> list[int]:
    if not means:
        return []
    lean, most = max(1, ceil(min(means))), max(means)
    budgets = [max(1, lean // 4), max(1, lean // 2), lean]
    while budgets[-1] < most:
        budgets.append(2 * budgets[-1])
    return list(dict.fromkeys(budgets))


def _sizes(record: Record, known: dict[str, int]) -> list[int]:
    context: Sequence[Hit] = record.response.context if record.response is not None else ()
    for text in (hit.chunk.text for hit in context):
        if text not in known:
            known[text] = count_tokens(text)
    return [known[hit.chunk.text] for hit in context]


def _cut(record: Record, sizes: Sequence[int], tokens: int) -> tuple[Outcome, int]:
    """The outcome with the context that fits, and its tokens."""
    assert record.response is not None
    kept = fitting(sizes, tokens)
    response = replace(record.response, context=record.response.context[:kept])
    return Outcome(record.question, response), sum(sizes[:kept])
