"""One fault at a time, put into a clean corpus or pipeline: the cause that is named is the fault that was planted.

Retrieval, fusion, reading and the examiner are the real ones; what is faulty, the generators and the judge are doubles.
The judge is right by construction: every fact of the corpus is a sentence of its own, and it rules whether it is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from architectures.closed_book import ClosedBook
from benchmark.diagnosis import Diagnosis
from benchmark.domain import (
    Architecture,
    Cause,
    Corpus,
    Generator,
    Judge,
    Record,
    RelevancyScale,
    Span,
)
from benchmark.pipelines import Reading
from benchmark.rootcause import trace
from benchmark.run import Examiner, index, run
from tests.planted import (
    ARMS,
    CLEAN,
    REFUSAL,
    WORDS,
    DroppingFusion,
    Forgetful,
    Raising,
    Reader,
    Says,
    Scripted,
    bm25,
    clean,
    halves,
    hybrid,
    ignoring,
    inventing,
    is_any_gold,
    is_gold,
    knowing,
    multi_query,
    parent,
    reranked,
    unanswerable,
)
from tests.test_diagnosis import DIAGNOSIS

RIGHTLY = 0.95


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A corpus, a pipeline and a judge with one fault, and the cause that it is to be given."""

    fault: str
    expected: Cause
    corpus: Corpus = CLEAN
    architecture: Architecture = field(default_factory=bm25)
    generator: Generator = field(default_factory=Reader)
    judge: Judge | None = field(default_factory=Scripted)
    k: int = 5

    @property
    def diagnosis(self) -> Diagnosis:
        return replace(DIAGNOSIS, k=self.k)

    def records(self) -> list[Record]:
        pipeline = index(self.architecture, self.corpus.documents, self.generator).pipeline
        examiner = Examiner(judge=self.judge, scale=RelevancyScale(), metrics={}, diagnosis=self.diagnosis)
        return list(run(pipeline, self.corpus.questions, examiner))


CLEAN_ONES: Mapping[str, Architecture] = {
    "bm25": bm25(),
    "hybrid": hybrid(),
    "reranked": reranked(),
    "multi_query": multi_query(),
    "parent": parent(),
}
WITHOUT = clean(told=lambda line: False)
UNNAMED = replace(CLEAN, questions=tuple(replace(question, evidence=()) for question in CLEAN.questions))
FAULTS = (
    Planted(fault="evidence deleted from the corpus", expected=Cause.NOT_IN_CORPUS, corpus=WITHOUT),
    Planted(fault="nobody named the evidence", expected=Cause.NO_GOLD, corpus=UNNAMED),
    Planted(fault="chunker cuts through it", expected=Cause.SPLIT_BY_CHUNKING, architecture=bm25(chunker=halves)),
    Planted(fault="sections cut through it", expected=Cause.SPLIT_BY_CHUNKING, architecture=parent(sections=halves)),
    Planted(
        fault="retriever forgets it",
        expected=Cause.NOT_RETRIEVED,
        architecture=bm25(retriever=Forgetful(WORDS)),
    ),
    Planted(
        fault="retriever forgets it in every wording",
        expected=Cause.NOT_RETRIEVED,
        architecture=multi_query(Forgetful(WORDS)),
    ),
    Planted(fault="fusion drops it", expected=Cause.LOST_IN_FUSION, architecture=hybrid(DroppingFusion)),
    Planted(
        fault="fusion drops it in every wording",
        expected=Cause.LOST_IN_FUSION,
        architecture=multi_query(DroppingFusion(arms=ARMS)),
    ),
    Planted(fault="reranker drops it", expected=Cause.LOST_IN_RERANKING, architecture=reranked(is_gold)),
    Planted(
        fault="reranker drops everything",
        expected=Cause.LOST_IN_RERANKING,
        architecture=reranked(lambda query, hit: True),
    ),
    Planted(fault="k too small", expected=Cause.CUT_BY_K, architecture=bm25(reading=Reading(k=1)), k=1),
    Planted(
        fault="context_tokens too small",
        expected=Cause.CUT_BY_TOKENS,
        architecture=bm25(reading=Reading(k=5, context_tokens=30)),
    ),
    Planted(
        fault="context_tokens below any passage",
        expected=Cause.CUT_BY_TOKENS,
        architecture=bm25(reading=Reading(k=5, context_tokens=1)),
    ),
    Planted(fault="generator ignores the evidence", expected=Cause.NOT_USED, generator=Says(ignoring)),
    Planted(fault="generator invents", expected=Cause.UNSUPPORTED, generator=Says(inventing)),
    Planted(fault="generator refuses", expected=Cause.WRONGLY_REFUSED, generator=Says(lambda query, context: REFUSAL)),
    Planted(
        fault="generator answers the unanswerable",
        expected=Cause.WRONGLY_ANSWERED,
        corpus=unanswerable(),
        generator=Says(lambda query, context: "Cuesta 20 euros."),
    ),
    Planted(
        fault="generator knows it by heart, retriever forgets it",
        expected=Cause.LUCKY,
        architecture=bm25(retriever=Forgetful(WORDS, is_any_gold)),
        generator=Says(knowing),
    ),
    Planted(
        fault="nothing is retrieved",
        expected=Cause.NO_RETRIEVAL,
        architecture=ClosedBook(),
        generator=Says(lambda query, context: "Se dan 999 mg."),
    ),
    Planted(fault="nobody judges", expected=Cause.NOT_JUDGED, judge=None),
    Planted(fault="pipeline raises", expected=Cause.FAILED, architecture=Raising()),  # type: ignore[arg-type]  # a double with the methods that are used
)
ON_THE_WAY = {
    Cause.SPLIT_BY_CHUNKING,
    Cause.NOT_RETRIEVED,
    Cause.LOST_IN_FUSION,
    Cause.LOST_IN_RERANKING,
    Cause.CUT_BY_K,
    Cause.CUT_BY_TOKENS,
}


@pytest.mark.parametrize("name", CLEAN_ONES)
def test_without_a_fault_every_question_is_answered_correctly(name: str) -> None:
    records = Planted(fault="none", expected=Cause.CORRECT, architecture=CLEAN_ONES[name]).records()
    assert {record.cause for record in records} == {Cause.CORRECT}


def test_without_a_fault_every_unanswerable_question_is_refused_rightly() -> None:
    records = Planted(fault="none", expected=Cause.RIGHTLY_REFUSED, corpus=unanswerable()).records()
    assert {record.cause for record in records} == {Cause.RIGHTLY_REFUSED}


@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.fault)
def test_a_planted_fault_is_named(planted: Planted) -> None:
    records = planted.records()
    rightly = [record for record in records if record.cause is planted.expected]
    share = len(rightly) / len(records)
    print(f"{planted.fault}: {len(rightly)} of {len(records)} attributed to {planted.expected} ({share:.1%})")
    assert len(records) >= 20
    assert share >= RIGHTLY


@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.fault)
def test_a_planted_fault_is_traced_to_the_evidence_and_has_a_remedy(planted: Planted) -> None:
    for record in planted.records():
        root = trace(record, diagnosis=planted.diagnosis)
        assert root.cause is record.cause
        assert root.remedy
        assert (root.deciding is not None) == (root.cause in ON_THE_WAY)
        if root.deciding is not None:
            assert root.deciding.loss is root.cause
            assert root.deciding.places[-1].rank is None
            assert root.instead is None or not covers(root.instead.chunk.span, root.deciding.evidence.span)


def covers(outer: Span, inner: Span) -> bool:
    return outer.document_id == inner.document_id and outer.start <= inner.start and inner.end <= outer.end


def test_every_cause_is_planted() -> None:
    assert set(Cause) - {planted.expected for planted in FAULTS} == {Cause.CORRECT, Cause.RIGHTLY_REFUSED}
