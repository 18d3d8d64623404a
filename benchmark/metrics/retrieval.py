"""Retrieval metrics of the context against gold evidence: spans of characters, or the documents that hold them.

Passages of different chunkers sit one exam because gold is characters: evidence that one passage of the list meets
together is one target with its highest grade, and a target is credited at the first passage that meets it. Where no
passage meets two spans the values equal those of ``ir_measures``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum, log2
from typing import Literal

from benchmark.domain import Evidence, Outcome, Rulings, Score, Span
from benchmark.metrics import UNANSWERABLE

Unit = Literal["evidence", "documents"]
"""What is to be found: gold spans, or the documents that hold them."""


def targets(evidence: Sequence[Evidence], found: Sequence[Span]) -> list[tuple[Evidence, ...]]:
    """Evidence in groups: what one found span overlaps together, directly or through others, is one target.

    >>> gold = [Evidence(Span("a", 0, 5), 2), Evidence(Span("a", 6, 9), 3), Evidence(Span("a", 50, 60), 2)]
    >>> [len(target) for target in targets(gold, [Span("a", 0, 10)])]
    [2, 1]
    """
    groups: list[tuple[Evidence, ...]] = [(item,) for item in evidence]
    for span in found:
        met = [group for group in groups if _meets(span, group)]
        if len(met) > 1:
            together = tuple(item for group in met for item in group)
            groups = [together, *(group for group in groups if group not in met)]
    return groups


def gains(found: Sequence[Span], evidence: Sequence[Evidence]) -> tuple[list[int], list[int]]:
    """The grade newly credited at each rank (0 for none), and the grades of all targets, highest first.

    >>> gold = [Evidence(Span("a", 0, 5), 2), Evidence(Span("a", 50, 60), 3)]
    >>> gains([Span("b", 0, 9), Span("a", 0, 9), Span("a", 3, 12)], gold)
    ([0, 2, 0], [3, 2])
    """
    # Targets come from the whole list, also behind a cut-off: else a hit that enters the list changes what there is to
    # find, and a ranking could lose by moving a relevant hit up.
    open_targets = targets(evidence, found)
    ideal = sorted((_grade(target) for target in open_targets), reverse=True)
    credited = []
    for span in found:
        met = [target for target in open_targets if _meets(span, target)]
        credited.append(max((_grade(target) for target in met), default=0))
        open_targets = [target for target in open_targets if target not in met]
    return credited, ideal


def precision_at(credited: Sequence[int], k: int) -> float:
    """Share of the first ``k`` ranks that bring a target; ranks that are not filled count.

    Source: Manning et al. 2008, "Introduction to Information Retrieval", section 8.4.

    >>> precision_at([3, 0, 2], 5)
    0.4
    """
    return sum(gain > 0 for gain in credited[:k]) / k


def harmonic_mean(precision: float, recall: float) -> float:
    """F1 (same source, section 8.3); 0 where both are 0.

    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def reciprocal_rank(credited: Sequence[int], k: int) -> float:
    """One over the first rank that brings a target, 0 if none of the first ``k`` does.

    Source: Voorhees 1999, "The TREC-8 Question Answering Track Report", section 3.

    >>> reciprocal_rank([0, 0, 2], 5), reciprocal_rank([0, 0, 2], 2)
    (0.3333333333333333, 0.0)
    """
    return next((1 / rank for rank, gain in enumerate(credited[:k], start=1) if gain), 0.0)


def average_precision(credited: Sequence[int], k: int, wanted: int) -> float:
    """Sum of the precisions at the ranks that bring a target, over the ``wanted`` targets that there are.

    Source: Manning et al. 2008, section 8.4; cut and divided as ``map_cut`` of trec_eval.

    >>> average_precision([2, 0, 3], 5, 2)
    0.8333333333333333
    """
    precisions = [precision_at(credited, rank) for rank, gain in enumerate(credited[:k], start=1) if gain]
    return fsum(precisions) / wanted


def ndcg_at(credited: Sequence[int], ideal: Sequence[int], k: int) -> float:
    """Discounted gain of the first ``k`` ranks over that of the ideal list; gain is the grade, discount log2(rank + 1).

    Source: Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation", section 2.2, with trec_eval's discount.

    >>> ndcg_at([3, 2, 0], [3, 2], 5), round(ndcg_at([0, 3], [3], 5), 4)
    (1.0, 0.6309)
    """
    return _discounted(credited[:k]) / _discounted(ideal[:k])


def covered_share(wanted: Sequence[Span], given: Sequence[Span]) -> float:
    """Share of the wanted characters that lie in a given span; a character wanted or given twice counts once.

    >>> covered_share([Span("a", 0, 10), Span("a", 5, 20)], [Span("a", 0, 5), Span("a", 15, 99)])
    0.5
    """
    asked, had = _union(wanted), _union(given)
    shared = sum(
        max(0, min(one.end, other.end) - max(one.start, other.start))
        for one in asked
        for other in had
        if one.document_id == other.document_id
    )
    return shared / sum(span.end - span.start for span in asked)


def precision(outcome: Outcome, _: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:
    """Share of the first ``k`` ranks that bring relevant evidence."""
    exam = _exam(outcome, k=k, min_grade=min_grade, of=of)
    if isinstance(exam, Score):
        return exam
    return Score(precision_at(exam.credited, k), f"{len(exam.ranks)} of {k} ranks bring {of}{exam.note}")


def recall(outcome: Outcome, _: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:
    """Share of the relevant spans (not targets) that the first ``k`` passages overlap."""
    exam = _exam(outcome, k=k, min_grade=min_grade, of=of)
    return exam if isinstance(exam, Score) else _share_met(exam.found[:k], exam.evidence, exam.note)


def f1(outcome: Outcome, rulings: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:
    """Harmonic mean of precision and recall."""
    first = precision(outcome, rulings, k=k, min_grade=min_grade, of=of)
    second = recall(outcome, rulings, k=k, min_grade=min_grade, of=of)
    if first.value is None or second.value is None:
        return first
    return Score(harmonic_mean(first.value, second.value), f"{first.why}; {second.why}")


def hit(outcome: Outcome, _: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:
    """1 where one of the first ``k`` passages meets relevant evidence."""
    exam = _exam(outcome, k=k, min_grade=min_grade, of=of)
    return exam if isinstance(exam, Score) else Score(float(bool(exam.ranks)), exam.where(k))


def mrr(outcome: Outcome, _: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:
    """Reciprocal rank of the first passage that meets relevant evidence."""
    exam = _exam(outcome, k=k, min_grade=min_grade, of=of)
    return exam if isinstance(exam, Score) else Score(reciprocal_rank(exam.credited, k), exam.where(k))


def map(outcome: Outcome, _: Rulings, /, *, k: int, min_grade: int, of: Unit = "evidence") -> Score:  # noqa: A001 - the field's name
    """Average precision over the targets; its mean over questions is MAP."""
    exam = _exam(outcome, k=k, min_grade=min_grade, of=of)
    if isinstance(exam, Score):
        return exam
    value = average_precision(exam.credited, k, len(exam.ideal))
    return Score(value, f"{exam.where(k)}; {len(exam.ideal)} targets")


def ndcg(outcome: Outcome, _: Rulings, /, *, k: int, of: Unit = "evidence") -> Score:
    """Normalised discounted cumulative gain over evidence of every grade."""
    exam = _exam(outcome, k=k, min_grade=1, of=of)
    if isinstance(exam, Score):
        return exam
    why = f"gains {exam.credited[:k]}, ideal {exam.ideal[:k]}{exam.note}"
    return Score(ndcg_at(exam.credited, exam.ideal, k), why)


def candidate_recall(outcome: Outcome, _: Rulings, /, *, min_grade: int) -> Score:
    """Share of the relevant spans that the hits of any stage overlap, before reranking and cutting."""
    evidence = _relevant(outcome, min_grade)
    if isinstance(evidence, Score):
        return evidence
    candidates = [hit.chunk.span for step in outcome.response.steps for hit in step.hits]
    if not candidates and outcome.response.context:
        return Score(None, "no stage names its candidates")
    return _share_met(candidates, evidence, "" if candidates else "; nothing was retrieved")


def evidence_characters(outcome: Outcome, _: Rulings, /, *, min_grade: int) -> Score:
    """Share of the characters of relevant spans that lie in the context, all of it."""
    evidence = _relevant(outcome, min_grade)
    if isinstance(evidence, Score):
        return evidence
    spans = [item.span for item in evidence]
    value = covered_share(spans, [hit.chunk.span for hit in outcome.response.context])
    return Score(value, f"{value:.0%} of the characters of {len(spans)} spans")


@dataclass(frozen=True, slots=True)
class _Exam:
    """What was found, best first, against what was to be found; ``ranks`` bring a target within the cut-off."""

    found: tuple[Span, ...]
    evidence: tuple[Evidence, ...]
    credited: list[int]
    ideal: list[int]
    ranks: list[int]

    @property
    def note(self) -> str:
        return "" if self.found else "; nothing was retrieved"

    def where(self, k: int) -> str:
        return f"at ranks {self.ranks}" if self.ranks else f"none in the first {k}{self.note}"


def _exam(outcome: Outcome, *, k: int, min_grade: int, of: Unit) -> _Exam | Score:
    evidence = _relevant(outcome, min_grade)
    if isinstance(evidence, Score):
        return evidence
    return _examined(tuple(hit.chunk.span for hit in outcome.response.context), evidence, k, of)


@lru_cache(maxsize=64)  # the metrics of a question ask the same one after another
def _examined(found: tuple[Span, ...], evidence: tuple[Evidence, ...], k: int, of: Unit) -> _Exam:
    if of == "documents":
        evidence = tuple(replace(item, span=_document(item.span)) for item in evidence)
        grades = {item.span: item.grade for item in sorted(evidence, key=lambda item: item.grade)}
        evidence = tuple(Evidence(span, grade) for span, grade in grades.items())
        found = tuple(dict.fromkeys(_document(span) for span in found[:k]))
    credited, ideal = gains(found, evidence)
    ranks = [rank for rank, gain in enumerate(credited[:k], start=1) if gain]
    return _Exam(found, evidence, credited, ideal, ranks)


def _relevant(outcome: Outcome, min_grade: int) -> tuple[Evidence, ...] | Score:
    """Evidence of at least that grade, or the score that says why there is nothing to measure."""
    if not outcome.question.answerable:
        return Score(None, UNANSWERABLE)
    if not outcome.response.retrieves:
        return Score(None, "this pipeline does not retrieve")
    relevant = tuple(item for item in outcome.question.evidence if item.grade >= min_grade)
    return relevant or Score(None, f"no evidence of grade {min_grade} or more")


def _share_met(found: Sequence[Span], evidence: Sequence[Evidence], note: str) -> Score:
    met = sum(any(item.span.overlaps(span) for span in found) for item in evidence)
    return Score(met / len(evidence), f"{met} of {len(evidence)} met{note}")


def _document(span: Span) -> Span:
    """One character that stands for the whole document."""
    return Span(span.document_id, 0, 1)


def _meets(span: Span, target: Sequence[Evidence]) -> bool:
    return any(item.span.overlaps(span) for item in target)


def _grade(target: Sequence[Evidence]) -> int:
    return max(item.grade for item in target)


def _discounted(grades: Sequence[int]) -> float:
    return fsum(grade / log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def _union(spans: Sequence[Span]) -> list[Span]:
    """The same characters as spans that do not overlap."""
    apart: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.document_id, span.start)):
        if apart and apart[-1].document_id == span.document_id and span.start <= apart[-1].end:
            apart[-1] = replace(apart[-1], end=max(apart[-1].end, span.end))
        else:
            apart.append(span)
    return apart
