"""A clean corpus and pipelines on which nothing is lost, and the parts that each lose something on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from architectures.bm25 import Bm25
from architectures.hybrid import Hybrid
from architectures.multi_query import MultiQuery
from architectures.parent import Parent
from architectures.reranked import Reranked
from benchmark.domain import (
    Architecture,
    Chunk,
    Chunker,
    Completion,
    Corpus,
    Document,
    Evidence,
    Generator,
    Hit,
    ImpliedQuestion,
    Prompt,
    Query,
    Question,
    RelevancyScale,
    Retriever,
    Span,
    Verdict,
)
from benchmark.pipelines import Reading
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.fusion import Arm, HybridRecipe, Ranking
from benchmark.text import abstention, sentences, without_passage_numbers

DRUGS = tuple(
    f"{first}{last}" for first in ("ar", "bel", "cor", "dul", "fen", "gal") for last in ("ina", "ol", "um", "ex")
)
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
        gone = () if len(there) == len(facts) else ("leaflet",)  # where the exam has them from
        asks = Query(f"{drug}-{name}", text)
        return Question(asks, " ".join(facts), evidence=gold, language="es", absent=gone)

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
    return MultiQuery(chunker=lines, retriever=retriever, writer=Echo(), language="es", reading=FIVE, n=1)  # type: ignore[arg-type]  # a double with the methods that are used


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
