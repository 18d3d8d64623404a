"""The page on which a person accepts, mends or rejects drafted questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark.domain import Document, Span
from benchmark.drafting.nouns import Draft, Drafts
from benchmark.report.page.markup import Markup, tag
from benchmark.report.sheets import as_sheet, texts_in

TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Is this a good exam question?",
        "about": "A model drafted these questions. Accept one if it is clear on its own, if the reference is right and "
        "complete, and if the quotes say so. Change what is not (that mends it), or reject it. A grade says how much "
        "of the answer a quote holds.",
        "keys": "Keys: 1 accept, 2 mend, 0 reject, 3 start again, arrows for the next and the previous draft, Escape "
        "leaves a field. All stays in this browser until you download it.",
        "accept": "1 Accept",
        "mend": "2 Mend",
        "reject": "0 Reject",
        "undo": "3 Start again",
        "question": "Question",
        "reference": "Reference answer",
        "unanswerable": "The documents are meant to have no answer to this question.",
        "nearest": "Nearest passage",
        "quotes": "Quotes that hold the answer",
        "quote": "Quote {number}, from {document}",
        "grade": "Grade of quote {number}",
        "grade3": "3 all of the answer",
        "grade2": "2 a part of it",
        "grade1": "1 on topic",
        "grade0": "0 take it out",
        "strange": "This is not word for word in the passages below.",
        "note": "Note",
        "passages": "Drafted from",
        "filters": "Filters",
        "passed": "passed",
        "down": "Turned down by a filter. You may overrule it.",
        "download": "Download the review (CSV)",
        "progress": "Draft {place} of {total} ({kind}), {done} decided",
        "script": "This page needs JavaScript. Without it, fill in review.csv.",
    },
    "es": {
        "title": "¿Es una buena pregunta de examen?",
        "about": "Un modelo redactó estas preguntas. Acepte una si se entiende sola, si la respuesta de referencia es "
        "correcta y completa, y si las citas lo dicen. Cambie lo que no sea así (eso la corrige), o rechácela. El "
        "grado dice cuánto de la respuesta contiene una cita.",
        "keys": "Teclas: 1 aceptar, 2 corregir, 0 rechazar, 3 empezar de nuevo, flechas para el borrador siguiente y "
        "el anterior, Escape sale de un campo. Todo queda en este navegador hasta que lo descargue.",
        "accept": "1 Aceptar",
        "mend": "2 Corregir",
        "reject": "0 Rechazar",
        "undo": "3 Empezar de nuevo",
        "question": "Pregunta",
        "reference": "Respuesta de referencia",
        "unanswerable": "Se espera que los documentos no respondan a esta pregunta.",
        "nearest": "Pasaje más cercano",
        "quotes": "Citas que contienen la respuesta",
        "quote": "Cita {number}, de {document}",
        "grade": "Grado de la cita {number}",
        "grade3": "3 toda la respuesta",
        "grade2": "2 una parte",
        "grade1": "1 sobre el tema",
        "grade0": "0 quitarla",
        "strange": "Esto no está palabra por palabra en los pasajes de abajo.",
        "note": "Nota",
        "passages": "Redactada a partir de",
        "filters": "Filtros",
        "passed": "superado",
        "down": "Un filtro la descartó. Usted puede decidir otra cosa.",
        "download": "Descargar la revisión (CSV)",
        "progress": "Borrador {place} de {total} ({kind}), {done} decididos",
        "script": "Esta página necesita JavaScript. Sin él, rellene review.csv.",
    },
}
_SHOWN = ("progress", "quote", "grade", "grade3", "grade2", "grade1", "grade0", "strange", "passed")
_CHOICES = ("accept", "mend", "reject", "undo")


def as_page(drafts: Drafts, rows: Sequence[Mapping[str, str]], *, name: str, language: str) -> str:
    """HTML. ``rows``: what the CSV says of each draft, in the order of review.

    Raises:
        UserError: the page has no texts in that language.
    """
    say = texts_in(language, TEXTS)
    documents = {document.id: document for document in drafts.documents}
    buttons = [
        tag("button", say[word], type="button", data_decision=word, aria_pressed=None if word == "undo" else "false")
        for word in _CHOICES
    ]
    main = (
        tag("p", say["down"], id="down", hidden=True),
        tag("details", tag("summary", say["filters"]), tag("ul", id="filters"), id="filtered"),
        tag("div", buttons, class_="choices", role="group", aria_label=say["title"]),
        *_field(say, "question"),
        tag("div", _field(say, "reference"), id="answer"),
        tag("p", say["unanswerable"], id="unanswerable"),
        tag("h2", say["quotes"], id="quotes-head"),
        tag("div", id="quotes"),
        *_field(say, "note"),
        tag("div", tag("h2", say["nearest"]), tag("blockquote", id="nearest"), id="near"),
        tag("h2", say["passages"]),
        tag("div", id="passages"),
    )
    return as_sheet(
        __name__,
        main,
        sheet="review",
        name=name,
        columns=tuple(rows[0]) if rows else (),
        by="reviewer",
        cases=[
            {**_case(draft, documents), "row": dict(row)}
            for draft, row in zip(drafts.in_order_of_review, rows, strict=True)
        ],
        say=say,
        shown=_SHOWN,
        language=language,
    )


def _field(say: Mapping[str, str], name: str) -> tuple[Markup, Markup]:
    return tag("h2", tag("label", say[name], for_=name)), tag("textarea", id=name, rows=2)


def _case(draft: Draft, documents: Mapping[str, Document]) -> dict[str, object]:
    """What the script shows of a draft; a row of the CSV has its texts as a spreadsheet may have them."""
    asked, nearest = draft.proposed, draft.question.nearest
    return {
        "question": asked.query.text,
        "reference": asked.reference or "",
        "answerable": asked.answerable,
        "quotes": [{**_passage(one.span, documents), "grade": one.grade} for one in asked.evidence],
        "nearest": None if nearest is None else {**_passage(nearest.span, documents), "why": nearest.why},
        "passages": [_passage(span, documents) for span in draft.passages],
        "filters": [[name, one.passed, one.reason] for name, one in draft.filters.items()],
    }


def _passage(span: Span, documents: Mapping[str, Document]) -> dict[str, object]:
    document = documents[span.document_id]
    return {"document": document.title or document.id, "text": document.text[span.start : span.end]}
