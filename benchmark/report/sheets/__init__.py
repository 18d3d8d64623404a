"""Pages on which a person fills in a sheet, case by case: alone, without a network, and given back as a CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from benchmark.domain import UserError
from benchmark.report.page.markup import Markup, tag

_ALONE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"name": "Your name or initials", "previous": "← Previous", "next": "Next →"},
    "es": {"name": "Su nombre o iniciales", "previous": "← Anterior", "next": "Siguiente →"},
}


def texts_in(language: str, texts: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """A page's texts in a language.

    Raises:
        UserError: the page has none in it.
    """
    if language not in texts:
        raise UserError(f"the page has no texts in {language!r}.\n    wanted: --language {' or '.join(texts)}")
    return texts[language]


def as_sheet(
    package: str,
    main: Sequence[Markup],
    *,
    sheet: str,
    name: str,
    columns: Sequence[str],
    by: str,
    cases: Sequence[Mapping[str, object]],
    say: Mapping[str, str],
    shown: Sequence[str],
    language: str,
) -> str:
    """HTML. ``main`` shows one case, by the style and the script of ``package``.

    ``cases``: what the script reads, each with its ``row`` of the CSV. ``columns``: of the CSV; ``by`` is the one for
    the person's name. ``sheet`` and ``name``: what the download and the browser's memory are called by. ``say`` has the
    page's title, about, keys, download and script, and the texts that the script shows, by the names in ``shown``.
    """
    words = _WORDS[language]
    told = {word: say[word] for word in shown}
    data = {"sheet": sheet, "name": name, "by": by, "columns": list(columns), "say": told, "cases": list(cases)}
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_ALONE),
        tag("title", say["title"]),
        tag("style", Markup(_file("benchmark.report.sheets", "sheet.css") + _file(package, "own.css"))),
    )
    moves = [tag("button", words[word], type="button", id=word) for word in ("previous", "next")]
    body = tag(
        "body",
        tag("header", tag("h1", say["title"]), tag("p", say["about"]), tag("p", say["keys"])),
        tag("noscript", tag("p", say["script"])),
        tag(
            "main",
            tag("p", tag("label", words["name"], " ", tag("input", id="by", autocomplete="off"))),
            tag("p", id="progress", role="status"),
            main,
            tag("div", moves, class_="choices"),
            tag("p", tag("button", say["download"], type="button", id="download")),
        ),
        tag("script", _as_data(data), type="application/json", id="data"),
        tag("script", Markup(_file("benchmark.report.sheets", "sheet.js") + _file(package, "own.js"))),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang=language)}\n"
    return page.encode("utf-8", "replace").decode("utf-8")


def _as_data(data: Mapping[str, object]) -> Markup:
    """JSON that no text in it can end."""
    return Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))


@cache
def _file(package: str, name: str) -> str:
    file = files(package).joinpath(name)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
