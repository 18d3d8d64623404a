"""The comparison as one page that needs nothing else: texts, pictures, data, style and script stand in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from benchmark.report.account import Account
from benchmark.report.answer import answer
from benchmark.report.drawing import as_svg
from benchmark.report.figures import figures
from benchmark.report.page import board, method, sections, together
from benchmark.report.page.drilldown import questions_json
from benchmark.report.page.markup import Markup, inside, tag
from benchmark.report.phrases import Phrases

_ALONE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""The page may ask nobody for anything."""


def as_page(account: Account, say: Phrases) -> str:
    """HTML. The same account gives the same page: no clock is read."""
    title = say("page_title", corpus=account.corpus)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_ALONE),
        tag("title", title),
        tag("style", Markup(_file("page.css"))),
    )
    links = [tag("li", tag("a", say(f"section.{name}"), href=f"#{name}")) for name in SECTIONS]
    body = tag(
        "body",
        tag("a", say("skip"), href="#answer", class_="skip"),
        tag("header", tag("h1", title), tag("p", sections.subtitle(account, say), class_="lead")),
        tag("nav", tag("ul", links), aria_label=say("contents")),
        tag(
            "main",
            _section("compared", account, say),
            tag("p", answer(account, say), class_="answer", id="answer", role="note"),
            [_section(name, account, say) for name in list(SECTIONS)[1:]],
        ),
        tag("footer", tag("p", say("made_by", command=account.command))),
        tag("script", Markup(questions_json(account, say)), type="application/json", id="data"),
        tag("script", Markup(_file("page.js"))),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang=say.language)}\n"
    # A model may cut a character in two; half of one cannot be written as UTF-8.
    return page.encode("utf-8", "replace").decode("utf-8")


def _section(name: str, account: Account, say: Phrases) -> Markup:
    return tag("section", tag("h2", say(f"section.{name}"), id=name), SECTIONS[name](account, say))


def pictures(account: Account, say: Phrases) -> Markup:
    shown = []
    for drawing in figures(account, say):
        note = say.own.get(f"figure.{'dots' if drawing.name.startswith('metric-') else drawing.name}.about", "")
        caption = tag("figcaption", drawing.title, tag("small", note) if note else "")
        shown.append(tag("figure", caption, Markup(as_svg(drawing, themed=True))))
    return tag("div", inside(shown), class_="figures")


SECTIONS: dict[str, Callable[[Account, Phrases], Markup]] = {
    "compared": sections.compared,
    "leaderboard": board.leaderboard,
    "pictures": pictures,
    "patterns": sections.patterns,
    "kinds": sections.kinds,
    "together": together.together,
    "questions": sections.questions,
    "method": method.method,
    "not_measured": method.not_measured,
}
"""What the page holds, in this order, its answer after the first; another section is another line and its heading."""


@cache
def _file(name: str) -> str:
    return files("benchmark.report.page").joinpath(name).read_text(encoding="utf-8")
