"""Short ways to make an answer that a safety check looks at, and the material beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark.domain import (
    Cause,
    Chunk,
    Completion,
    Document,
    Evidence,
    Failure,
    Hit,
    Query,
    Question,
    Record,
    Response,
    Rulings,
    Span,
    Step,
)
from benchmark.pipelines import abstained
from benchmark.proofreading.nouns import Dose, Medication
from benchmark.safety import Check, Checked, Material

MEDICATIONS = (
    Medication("sulfato de magnesio", ("MgSO4",), ("guia",)),
    Medication("ácido acetilsalicílico", ("aspirina", "ASA"), ("guia",)),
    Medication("penicilina G benzatínica", ("penicilina benzatínica",), ("guia",)),
    Medication("penicilinas", ("penicilina",), ("guia",)),
    Medication("labetalol", (), ("guia",)),
    Medication("nifedipino", ("nifedipina",), ("guia",)),
    Medication("amoxicilina", (), ("guia",)),
    Medication("hierro", (), ("guia",)),
)


def material(*documents: Document, doses: Sequence[Dose] = (), language: str = "es") -> Material:
    return Material({document.id: document for document in documents}, language, MEDICATIONS, tuple(doses))


def document(text: str, identity: str = "guia", **metadata: object) -> Document:
    return Document(identity, text, metadata=metadata)


def hit(of: Document) -> Hit:
    """The whole document as a passage."""
    return Hit(Chunk(of.id, Span(of.id, 0, len(of.text)), of.text, of.tenant), 1.0)


def record(
    answer: str,
    *context: Document,
    question: str = "¿Qué se hace?",
    reference: str | None = None,
    quotes: Mapping[str, str] | None = None,
    answerable: bool = True,
    language: str = "es",
    tenant: str | None = None,
    candidates: Sequence[Document] = (),
    written: str = "",
    name: str = "q1",
) -> Record:
    """An answer to one question over these passages. ``quotes``: evidence of grade 3, by the id of its document."""
    texts = {one.id: one.text for one in context}
    evidence = [
        Evidence(Span(of, texts[of].index(quote), texts[of].index(quote) + len(quote)), 3)
        for of, quote in (quotes or {}).items()
    ]
    asked = Question(Query(name, question, tenant), reference, answerable, tuple(evidence), language)
    steps = (
        Step("retrieve", 0.0, hits=tuple(hit(one) for one in candidates)),
        Step("hypothesise", 0.0, completions=(Completion(written),) if written else ()),
    )
    response = Response(answer, abstained(answer), tuple(hit(one) for one in context), steps)
    return Record(asked, response, Rulings(), {}, Cause.CORRECT)


def broken(name: str = "q9") -> Record:
    """A question that failed to run."""
    asked = Question(Query(name, "¿Qué?"), None, language="es")
    return Record(asked, None, Rulings(), {}, Cause.FAILED, Failure("generate", "TimeoutError", "no answer"))


def words_of(check: Check, one: Record, held_against: Material) -> tuple[str, ...] | None:
    """The words that failed; ``None`` where the answer passes. Fails the test where the check does not apply."""
    found: Checked = check([one], held_against)
    assert found.n == 1, found
    return found.cases[0].words if found.cases else None
