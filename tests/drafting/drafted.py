"""Drafts that the tests of reviewing stand on."""

from __future__ import annotations

from benchmark.domain import Document, Evidence, NearMiss, Query, Question, Span
from benchmark.drafting.nouns import Draft, Drafting, Drafts, Filtered, Made, Relevance
from benchmark.storage.drafts import documents_digest

DOCUMENTS = (
    Document("faro", "El faro mide 30 m.\nSe encendió en 1898. Lo cuida Ana.", "El faro", {"language": "es"}),
    Document("puerto", "El puerto abre a las 6 h. El faro mide 30 m.", "El puerto"),
)
MADE = Made("gemma_270m", "fact.es", "abc123", "2026-11-30")


def span(document: int, quote: str) -> Span:
    """Where a quote stands first."""
    start = DOCUMENTS[document].text.index(quote)
    return Span(DOCUMENTS[document].id, start, start + len(quote))


def draft(
    name: str,
    text: str,
    reference: str | None,
    *evidence: Evidence,
    answerable: bool = True,
    relevance: tuple[Relevance, ...] = (),
    kind: str = "fact",
    **filters: Filtered,
) -> Draft:
    nearest = None if answerable else NearMiss(span(0, "Lo cuida Ana."), "no dice desde cuándo")
    tags = (kind, "synthetic")
    question = Question(Query(name, text), reference, answerable, evidence, "es", tags, "easy", nearest=nearest)
    passed = {"answerable": Filtered(True, "the passage answers it"), **filters}
    return Draft(question, MADE, passed, relevance, (Span("faro", 0, len(DOCUMENTS[0].text)),))


HEIGHT = draft(
    "d-1",
    "¿Cuánto mide el faro?",
    "30 m",
    Evidence(span(0, "El faro mide 30 m."), 3),
    relevance=(
        Relevance(span(1, "El faro mide 30 m."), 3, "says the same"),
        Relevance(span(1, "El puerto abre a las 6 h."), 0, "other topic"),
    ),
)
KEEPER = draft("d-2", "¿Desde cuándo lo cuida Ana?", None, answerable=False, kind="unanswerable")
LEAKED = draft(
    "d-3",
    "¿Se encendió en 1898?",
    "=1898",
    Evidence(span(0, "Se encendió en 1898."), 3),
    leakage=Filtered(False, "four of four words are the passage's"),
)
ABOUT = Drafting(
    corpus="costa",
    digest=documents_digest(DOCUMENTS),
    language="es",
    model="gemma_270m",
    prompts={"fact.es": "abc123"},
    date="2026-11-30",
    unusable={"no question in the reply": 2},
)
DRAFTS = Drafts(ABOUT, DOCUMENTS, (HEIGHT, KEEPER, LEAKED))
