"""The section of the page in which scores are read together: a table for each way to read them."""

from __future__ import annotations

from benchmark.report.account import Account
from benchmark.report.page.markup import Markup, inside, items, table, tag
from benchmark.report.page.sections import question_links
from benchmark.report.phrases import Phrases
from benchmark.report.readings import Cell, Together, judge_lines, tables

FOLDED = 15
"""Tables with more rows are folded away."""


def together(account: Account, say: Phrases) -> Markup:
    lines = [*judge_lines(account.analysis, say.said), *map(say.said, account.judge_checks)]
    said = items(lines) if lines else ""
    shown = [
        inside(_shown(one, say), said if one.name == "judge" else "")
        for one in tables(account.analysis, account.pairs, say)
    ]
    return tag("div", shown, class_="together")


def _shown(one: Together, say: Phrases) -> Markup:
    title = tag("h3", one.title)
    if not one.rows:
        return inside(title, tag("p", tag("b", say("not_measured")), f": {one.why}.", class_="none"))
    whole = table(one.heads, [[_cell(cell, number, say) for number, cell in enumerate(row)] for row in one.rows],
                  name=one.title)  # fmt: skip
    if len(one.rows) > FOLDED:
        whole = tag(
            "details", tag("summary", say("together.rows", n=len(one.rows))), tag("div", whole, class_="inside")
        )
    return inside(title, tag("p", one.note, class_="note"), whole)


def _cell(cell: Cell, number: int, say: Phrases) -> str:
    """Numbers at the right, names and questions at the left."""
    if isinstance(cell, str):
        is_number = cell[:1].isdigit() or cell[:1] in "-–" or cell == say("not_measured")
        return cell if number == 0 or is_number else tag("td", cell, class_="text")
    count = "" if len(cell) == 1 else tag("b", str(len(cell)), " ")
    return tag("td", count, question_links(cell, say), class_="text")
