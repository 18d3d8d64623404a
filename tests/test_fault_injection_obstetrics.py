"""The same faults on the bundled exam with real chunkers, among the questions that a clean pipeline answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest

from architectures.bm25 import Bm25
from architectures.reranked import Reranked
from benchmark.domain import Architecture, Cause, Chunk, Chunker, Completion, Document, Hit, Query, Span, Verdict
from benchmark.pipelines import Reading
from benchmark.search.chunkers import Recursive, Sections
from benchmark.storage.corpora import load
from tests.conftest import REPOSITORY
from tests.planted import FIVE, REFUSAL, WORDS, Forgetful, InOrder, Scripted
from tests.test_fault_injection import RIGHTLY, Planted, covers

CORPUS = load(str(REPOSITORY / "corpora" / "obstetrics"), name="obstetrics", documents_language="es", language="es")
ANSWERABLE = {question.id: question for question in CORPUS.questions if question.answerable}
GOLD = {name: [item for item in question.evidence if item.grade >= 2] for name, question in ANSWERABLE.items()}
CHUNKERS: dict[str, Chunker] = {"recursive": Recursive(), "sections": Sections()}


@dataclass(frozen=True)
class Knows:
    """Gives the reference where a piece that answers alone, or all pieces, were read whole; else it refuses."""

    name: str = "knows"

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        read = [item for item in GOLD[query.id] if any(covers(hit.chunk.span, item.span) for hit in context)]
        enough = len(read) == len(GOLD[query.id]) or any(item.grade >= 3 for item in read)
        return Completion((ANSWERABLE[query.id].reference or "") if enough else REFUSAL)


@dataclass(frozen=True)
class Trusting(Scripted):
    """A judge that knows a reference when it hears it: its generator says nothing else."""

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        return tuple(Verdict(said, True, "the reference's") for said in statements)

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        return (Verdict(reference, list(context) == [reference], "word by word"),)


def holds_gold(query: Query, hit: Hit) -> bool:
    """Whether a passage holds any evidence whole; its neighbours, which overlap it, may hold a part."""
    return any(covers(hit.chunk.span, item.span) for item in GOLD[query.id])


@dataclass(frozen=True)
class Cutting:
    """A chunker that also cuts through the middle of every piece of evidence."""

    chunker: Chunker

    def __call__(self, document: Document, /) -> Iterable[Chunk]:
        spans = [item.span for gold in GOLD.values() for item in gold if item.span.document_id == document.id]
        middles = sorted({(span.start + span.end) // 2 for span in spans})
        for whole in self.chunker(document):
            inside = [middle for middle in middles if whole.span.start < middle < whole.span.end]
            for start, end in pairwise([whole.span.start, *inside, whole.span.end]):
                if text := document.text[start:end].strip():
                    at = document.text.index(text, start)
                    span = Span(document.id, at, at + len(text))
                    yield Chunk(f"{document.id}:{span.start}-{span.end}", span, text, document.tenant)


def planted(architecture: Architecture, expected: Cause, questions: Iterable[str]) -> Planted:
    corpus = replace(CORPUS, questions=tuple(ANSWERABLE[name] for name in questions))
    return Planted(
        fault="", expected=expected, corpus=corpus, architecture=architecture, generator=Knows(), judge=Trusting()
    )


def bm25(chunker: Chunker, retriever: object = WORDS, reading: Reading = FIVE) -> Architecture:
    return Bm25(chunker=chunker, retriever=retriever, reading=reading)  # type: ignore[arg-type]  # a faulty recipe


@pytest.mark.parametrize("name", CHUNKERS)
def test_a_fault_planted_into_the_bundled_exam_is_named(name: str) -> None:
    chunker = CHUNKERS[name]
    clean = planted(bm25(chunker), Cause.CORRECT, ANSWERABLE).records()
    answered = [record.question.id for record in clean if record.cause is Cause.CORRECT]
    assert len(answered) >= 20
    dropping = Reranked(chunker=chunker, retriever=WORDS, reranker=InOrder(holds_gold), reading=FIVE)
    faults = {
        Cause.SPLIT_BY_CHUNKING: bm25(Cutting(chunker)),
        Cause.NOT_RETRIEVED: bm25(chunker, Forgetful(WORDS, holds_gold)),
        Cause.LOST_IN_RERANKING: dropping,
        Cause.CUT_BY_TOKENS: bm25(chunker, reading=Reading(k=5, context_tokens=1)),
    }
    for expected, architecture in faults.items():
        causes = [record.cause for record in planted(architecture, expected, answered).records()]
        share = causes.count(expected) / len(causes)
        print(f"{name}: {causes.count(expected)} of {len(causes)} attributed to {expected} ({share:.1%})")
        assert share >= RIGHTLY
