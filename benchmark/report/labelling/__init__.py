"""A page on which a person labels cases: it needs nothing else, asks nobody, and gives the labels as a CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmark.readings.people import Case
from benchmark.report.page.markup import tag
from benchmark.report.sheets import as_sheet, texts_in

TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Does the text support the claim?",
        "about": "Read the passages as all that is known. Supported: they say what the claim says, with every number, "
        "unit and name. Not supported: they do not say it, or they say otherwise, also where you know it to be true.",
        "keys": "Keys: 1 supported, 0 not supported, 2 cannot say, arrows for the next and the previous case. The "
        "labels stay in this browser until you download them.",
        "question": "Question",
        "claim": "Claim",
        "context": "Passages",
        "answer": "The whole answer",
        "yes": "1 Supported",
        "no": "0 Not supported",
        "unsure": "2 Cannot say",
        "download": "Download the labels (CSV)",
        "progress": "Case {place} of {total}, {done} labelled",
        "script": "This page needs JavaScript. Without it, write the labels into labels.csv.",
    },
    "es": {
        "title": "¿Respalda el texto la afirmación?",
        "about": "Lea los pasajes como todo lo que se sabe. Respaldada: dicen lo que dice la afirmación, con cada "
        "número, unidad y nombre. No respaldada: no lo dicen, o dicen otra cosa, aunque usted sepa que es cierta.",
        "keys": "Teclas: 1 respaldada, 0 no respaldada, 2 no se puede decir, flechas para el caso siguiente y el "
        "anterior. Las etiquetas quedan en este navegador hasta que las descargue.",
        "question": "Pregunta",
        "claim": "Afirmación",
        "context": "Pasajes",
        "answer": "La respuesta entera",
        "yes": "1 Respaldada",
        "no": "0 No respaldada",
        "unsure": "2 No se puede decir",
        "download": "Descargar las etiquetas (CSV)",
        "progress": "Caso {place} de {total}, {done} etiquetados",
        "script": "Esta página necesita JavaScript. Sin él, escriba las etiquetas en labels.csv.",
    },
}


def as_page(cases: Sequence[Case], rows: Sequence[Mapping[str, str]], *, name: str, language: str) -> str:
    """HTML. ``rows``: what the CSV says of each case. Nothing on it tells what the judge ruled or how a case was drawn.

    Raises:
        UserError: the page has no texts in that language.
    """
    say = texts_in(language, TEXTS)
    buttons = [
        tag("button", say[word], type="button", data_label=label, aria_pressed="false")
        for word, label in (("yes", "1"), ("no", "0"), ("unsure", "?"))
    ]
    main = (
        tag("h2", say["question"]),
        tag("p", id="question"),
        tag("h2", say["claim"]),
        tag("p", id="claim"),
        tag("div", buttons, class_="choices", role="group", aria_label=say["title"]),
        tag("h2", say["context"]),
        tag("ol", id="context"),
        tag("details", tag("summary", say["answer"]), tag("p", id="answer")),
    )
    return as_sheet(
        __name__,
        main,
        sheet="labels",
        name=name,
        columns=(*rows[0], "label", "annotator"),
        by="annotator",
        cases=[
            {"context": list(case.context), "claim": case.text, "row": dict(row)}
            for case, row in zip(cases, rows, strict=True)
        ],
        say=say,
        shown=("progress",),
        language=language,
    )
