"""One fault at a time, put into a clean corpus or pipeline: the cause that is named is the fault that was planted.

Retrieval, fusion, reading and the examiner are the real ones; what is faulty, the generators and the judge are doubles.
The judge is right by construction: every fact of the corpus is a sentence of its own, and it rules whether it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from architectures.bm25 import Bm25
from architectures.closed_book import ClosedBook
from architectures.hybrid import Hybrid
from architectures.multi_query import MultiQuery
from architectures.parent import Parent
from architectures.reranked import Reranked
from benchmark.diagnosis import Diagnosis
from benchmark.domain import (
    Architecture,
    Cause,
    Chunk,
    Chunker,
    Completion,
    Corpus,
    Document,
    Evidence,
    Generator,
    Hit,
    ImpliedQuestion,
    Judge,
    Prompt,
    Query,
    Question,
    Record,
    RelevancyScale,
    Retriever,
    Span,
    Verdict,
)
from benchmark.pipelines import Reading
from benchmark.rootcause import trace
from benchmark.run import Examiner, index, run
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.fusion import Arm, HybridRecipe, Ranking
from benchmark.text import abstention, sentences, without_passage_numbers
from tests.test_diagnosis import DIAGNOSIS

DRUGS = tuple(
    f"{first}{last}" for first in ("ar", "bel", "cor", "dul", "fen", "gal") for last in ("ina", "ol", "um", "ex")
)
RIGHTLY = 0.95
REFUSAL = abstention("es")


# ----------------------------------------------------------------------------------------------------- a clean corpus


def dose(drug: str) -> str:
    return f"La dosis de {drug} es de {DRUGS.index(drug) + 10} mg cada 8 horas."


def duration(drug: str) -> str:
    return f"El tratamiento con {drug} dura {DRUGS.index(drug) + 3} días seguidos."


def page(drug: str, *, told: Callable[[str], bool]) -> Document:
    """Line by line; the first one has the question's words and no answer, so that it ranks before the evidence."""
    lure = f"La dosis de {drug} y los días con {drug}: la dosis de {drug} se da según la ficha de {drug}."
    facts = [line for line in (dose(drug), duration(drug)) if told(line)]
    other = f"No se administra {drug} en caso de alergia conocida."
    return Document(drug, "\n".join([lure, *facts, other, "La paciente se controla cada semana."]))


def clean(*, told: Callable[[str], bool] = lambda line: True) -> Corpus:
    """Two questions a drug: one that a line answers alone, one that takes two lines. ``told``: which facts it has."""
    documents = {drug: page(drug, told=told) for drug in DRUGS}

    def asked(drug: str, name: str, text: str, facts: Sequence[str], grade: int) -> Question:
        there = [fact for fact in facts if fact in documents[drug].text]  # the loader takes no quote that is not there
        starts = [documents[drug].text.index(fact) for fact in there]
        spans = [Span(drug, start, start + len(fact)) for start, fact in zip(starts, there, strict=True)]
        gold = tuple(Evidence(span, grade) for span in spans)
        return Question(Query(f"{drug}-{name}", text), " ".join(facts), evidence=gold, language="es")

    questions = [asked(drug, "one", f"¿Qué dosis de {drug} se da?", [dose(drug)], 3) for drug in DRUGS]
    questions += [
        asked(drug, "two", f"¿Con qué dosis y cuántos días se da {drug}?", [dose(drug), duration(drug)], 2)
        for drug in DRUGS
    ]
    return Corpus("clean", tuple(documents.values()), tuple(questions), "es", "clean")


CLEAN = clean()
GOLD = {question.id: [item.span for item in question.evidence] for question in CLEAN.questions}
FACTS = {question.id: sentences(question.reference or "", "es") for question in CLEAN.questions}


def unanswerable() -> Corpus:
    """The same documents, asked for what none of them says."""
    questions = [Question(Query(f"{drug}-no", f"¿Qué precio tiene {drug}?"), None, False) for drug in DRUGS]
    return replace(CLEAN, questions=tuple(questions))


# --------------------------------------------------------------------------------------------- parts that do their work


def lines(document: Document) -> Iterable[Chunk]:
    start = 0
    for line in document.text.split("\n"):
        yield chunk(document, start, start + len(line))
        start += len(line) + 1


def chunk(document: Document, start: int, end: int) -> Chunk:
    return Chunk(f"{document.id}:{start}", Span(document.id, start, end), document.text[start:end])


@dataclass(frozen=True)
class Reader:
    """Says the facts that answer, with their passages; without all of them it refuses or tells the first passage."""

    name: str = "reader"

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        facts = FACTS.get(query.id, ())
        found = [next((n for n, hit in enumerate(context, 1) if fact in hit.chunk.text), None) for fact in facts]
        if facts and None not in found:
            return Completion(" ".join(f"{fact[:-1]} [{at}]." for fact, at in zip(facts, found, strict=True)))
        refuses = not facts or len(query.id) % 2
        return Completion(REFUSAL if refuses else f"{context[0].chunk.text[:-1]} [1].")


@dataclass(frozen=True)
class Says:
    """A generator that says this, whatever it reads."""

    said: Callable[[Query, Sequence[Hit]], str]
    name: str = "says"

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        return Completion(self.said(query, context))

    def answer_closed_book(self, query: Query) -> Completion:
        return self.answer(query, ())


@dataclass(frozen=True)
class InOrder:
    """A reranker that leaves the order as it is, without what it drops."""

    drops: Callable[[Query, Hit], bool] = lambda query, hit: False

    def rerank(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[Hit, ...]:
        return tuple(hit for hit in hits if not self.drops(query, hit))[:k]


@dataclass(frozen=True)
class Echo:
    """A writer that asks the same again in other words."""

    name: str = "echo"

    def complete(self, prompt: Prompt) -> Completion:
        asked = [line for line in prompt.user.splitlines() if line.startswith("Pregunta: ")][-1]
        return Completion(f"1. Por favor: {asked.removeprefix('Pregunta: ')}")


@dataclass(frozen=True)
class Scripted:
    """A judge that knows: a sentence is supported, or conveyed, where it stands word by word."""

    name: str = "scripted"

    def statements(self, question: str, answer: str) -> tuple[str, ...]:
        return sentences(without_passage_numbers(answer), "es")

    def supported(self, statements: Sequence[str], context: Sequence[str]) -> tuple[Verdict, ...]:
        return tuple(Verdict(said, any(said in text for text in context), "word by word") for said in statements)

    def useful(self, question: str, passage: str, reference: str) -> Verdict:
        return Verdict(passage, any(fact in passage for fact in sentences(reference, "es")), "word by word")

    def attributed(self, question: str, reference: str, context: Sequence[str]) -> tuple[Verdict, ...]:
        return self.supported(sentences(reference, "es"), [without_passage_numbers(text) for text in context])

    def implied_questions(self, question: str, answer: str, n: int) -> tuple[ImpliedQuestion, ...]:
        return ()

    def relevancy_scale(self, questions: Sequence[Question]) -> RelevancyScale:
        return RelevancyScale()


# -------------------------------------------------------------------------------------------------- parts with a fault


def is_gold(query: Query, hit: Hit) -> bool:
    """Whether a passage has any of the last piece of evidence: the one that each fault is after."""
    return hit.chunk.span.overlaps(GOLD[query.id][-1])


def is_any_gold(query: Query, hit: Hit) -> bool:
    return any(hit.chunk.span.overlaps(span) for span in GOLD[query.id])


def halves(document: Document) -> Iterable[Chunk]:
    """Lines cut in their middle, and so through whatever evidence they have."""
    for line in lines(document):
        middle = (line.span.start + line.span.end) // 2
        yield chunk(document, line.span.start, middle)
        yield chunk(document, middle, line.span.end)


@dataclass(frozen=True)
class Forgetful:
    """A search that never finds the evidence."""

    recipe: Bm25Recipe
    forgets: Callable[[Query, Hit], bool] = is_gold

    def over(self, chunks: Sequence[Chunk]) -> Retriever:
        return Forgetting(self.recipe.over(chunks), self.forgets)


@dataclass(frozen=True)
class Forgetting:
    retriever: Retriever
    forgets: Callable[[Query, Hit], bool]

    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.retriever.search(query, k + 9) if not self.forgets(query, hit))[:k]


@dataclass(frozen=True, kw_only=True)
class DroppingFusion(HybridRecipe):
    """A fusion that leaves out, of what its arms found for a drug, what the page says behind its first line."""

    def fuse(self, rankings: Sequence[Ranking]) -> tuple[Hit, ...]:
        return tuple(hit for hit in super().fuse(rankings) if "mg cada" not in hit.chunk.text)


@dataclass(frozen=True)
class Raising:
    def build(self, documents: Sequence[Document], generator: Generator) -> Raising:
        return self

    def answer(self, query: Query) -> None:
        raise TimeoutError("the endpoint did not answer")


WORDS = Bm25Recipe(language="es")
OTHER_WORDS = Bm25Recipe(language="es", stemming=False)
ARMS = {"stems": Arm(recipe=WORDS), "words": Arm(recipe=OTHER_WORDS)}
FIVE = Reading(k=5)


def bm25(*, chunker: Chunker = lines, retriever: object = WORDS, reading: Reading = FIVE) -> Architecture:
    return Bm25(chunker=chunker, retriever=retriever, reading=reading)  # type: ignore[arg-type]  # a faulty recipe


def hybrid(recipe: type[HybridRecipe] = HybridRecipe) -> Architecture:
    return Hybrid(chunker=lines, retriever=recipe(arms=ARMS), reading=FIVE)


def reranked(drops: Callable[[Query, Hit], bool] = lambda query, hit: False) -> Architecture:
    return Reranked(chunker=lines, retriever=HybridRecipe(arms=ARMS), reranker=InOrder(drops), reading=FIVE)


def multi_query(retriever: object = WORDS) -> Architecture:
    return MultiQuery(chunker=lines, retriever=retriever, writer=Echo(), language="es", reading=FIVE, n=1)  # type: ignore[arg-type]


def parent(*, sections: Chunker = lines) -> Architecture:
    return Parent(chunker=lines, sections=sections, retriever=WORDS, reading=FIVE)


def ignoring(query: Query, context: Sequence[Hit]) -> str:
    """A passage that is no evidence, as if it were the answer."""
    other = next(n for n, hit in enumerate(context, 1) if not any(f in hit.chunk.text for f in FACTS[query.id]))
    return f"{context[other - 1].chunk.text[:-1]} [{other}]."


def inventing(query: Query, context: Sequence[Hit]) -> str:
    """An invention instead of the answer, or two beside it."""
    invented = "Se da con leche fría. Se guarda en la nevera."
    return invented if len(query.id) % 2 else f"{FACTS[query.id][0]} {invented}"


def knowing(query: Query, context: Sequence[Hit]) -> str:
    return " ".join(FACTS[query.id])


# -------------------------------------------------------------------------------------------------------- the proof


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A corpus, a pipeline and a judge with one fault, and the cause that it is to be given."""

    fault: str
    expected: Cause
    corpus: Corpus = CLEAN
    architecture: Architecture = field(default_factory=bm25)
    generator: Generator = Reader()
    judge: Judge | None = Scripted()
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
FAULTS = (
    Planted(fault="evidence deleted from the corpus", expected=Cause.NOT_IN_CORPUS, corpus=WITHOUT),
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
    Planted(fault="pipeline raises", expected=Cause.FAILED, architecture=Raising()),  # type: ignore[arg-type]
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
