"""A page on which a person labels cases: it needs nothing else, asks nobody, and gives the labels as a CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from benchmark.domain import UserError
from benchmark.readings.people import Case
from benchmark.report.page.markup import Markup, tag

_ALONE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "Does the text support the claim?",
        "about": "Read the passages as all that is known. Supported: they say what the claim says, with every number, "
        "unit and name. Not supported: they do not say it, or they say otherwise, also where you know it to be true.",
        "keys": "Keys: 1 supported, 0 not supported, 2 cannot say, arrows for the next and the previous case. The "
        "labels stay in this browser until you download them.",
        "name": "Your name or initials",
        "question": "Question",
        "claim": "Claim",
        "context": "Passages",
        "answer": "The whole answer",
        "yes": "1 Supported",
        "no": "0 Not supported",
        "unsure": "2 Cannot say",
        "previous": "← Previous",
        "next": "Next →",
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
        "name": "Su nombre o iniciales",
        "question": "Pregunta",
        "claim": "Afirmación",
        "context": "Pasajes",
        "answer": "La respuesta entera",
        "yes": "1 Respaldada",
        "no": "0 No respaldada",
        "unsure": "2 No se puede decir",
        "previous": "← Anterior",
        "next": "Siguiente →",
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
    if language not in TEXTS:
        raise UserError(f"the page has no texts in {language!r}.\n    wanted: --language {' or '.join(TEXTS)}")
    say = TEXTS[language]
    data = {
        "name": name,
        "progress": say["progress"],
        "cases": [{"context": list(case.context), "claim": case.text, "row": row} for case, row in _pairs(cases, rows)],
    }
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_ALONE),
        tag("title", say["title"]),
        tag("style", Markup(_file("labelling.css"))),
    )
    buttons = [
        tag("button", say[word], type="button", data_label=label, aria_pressed="false")
        for word, label in (("yes", "1"), ("no", "0"), ("unsure", "?"))
    ]
    moves = [tag("button", say[word], type="button", id=word) for word in ("previous", "next")]
    body = tag(
        "body",
        tag("header", tag("h1", say["title"]), tag("p", say["about"]), tag("p", say["keys"])),
        tag("noscript", tag("p", say["script"])),
        tag(
            "main",
            tag("p", tag("label", say["name"], " ", tag("input", id="annotator", autocomplete="off"))),
            tag("p", id="progress", role="status"),
            tag("h2", say["question"]),
            tag("p", id="question"),
            tag("h2", say["claim"]),
            tag("p", id="claim"),
            tag("div", buttons, class_="choices", role="group", aria_label=say["title"]),
            tag("h2", say["context"]),
            tag("ol", id="context"),
            tag("details", tag("summary", say["answer"]), tag("p", id="answer")),
            tag("div", moves, class_="choices"),
            tag("p", tag("button", say["download"], type="button", id="download")),
        ),
        tag(
            "script",
            Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")),
            type="application/json",
            id="data",
        ),
        tag("script", Markup(_file("labelling.js"))),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang=language)}\n"
    return page.encode("utf-8", "replace").decode("utf-8")


def _pairs(cases: Sequence[Case], rows: Sequence[Mapping[str, str]]) -> list[tuple[Case, Mapping[str, str]]]:
    return list(zip(cases, rows, strict=True))


@cache
def _file(name: str) -> str:
    return files("benchmark.report.labelling").joinpath(name).read_text(encoding="utf-8")
