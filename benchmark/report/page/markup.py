"""HTML by small functions that escape all that they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

_VOID = ("input", "meta")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str | Iterable[str], **attributes: str | int | float | bool | None) -> Markup:
    """An element; ``class_`` is ``class``, ``data_value`` is ``data-value``; what is ``None`` or ``False`` is left out.

    >>> print(tag("td", "a < b", class_="best", data_value=0.5))
    <td class="best" data-value="0.5">a &lt; b</td>
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{told}>" if name in _VOID else f"<{name}{told}>{inside(*children)}</{name}>")


def inside(*children: str | Iterable[str]) -> Markup:
    """Texts one after another, each escaped unless it is HTML already."""
    parts = [part for child in children for part in ((child,) if isinstance(child, str) else child)]
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], *, name: str) -> Markup:
    """A table that a narrow screen scrolls sideways; the first cell of each row names it.

    A head stands over its column: at the left where the cells are texts (``td.text``), else at the right.
    """
    body = [[_cell(cell, is_first=number == 0) for number, cell in enumerate(row)] for row in rows]
    first = body[0] if body else []
    texts = [number < len(first) and 'class="text"' in first[number].partition(">")[0] for number in range(len(first))]
    columns = [
        tag("th", head, scope="col", class_="text" if number < len(texts) and texts[number] else None)
        for number, head in enumerate(heads)
    ]
    whole = tag("table", tag("thead", tag("tr", columns)), tag("tbody", [tag("tr", row) for row in body]))
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=name)


def _cell(cell: str, *, is_first: bool) -> Markup:
    if isinstance(cell, Markup) and cell.startswith("<td"):
        return cell
    return tag("th", cell, scope="row") if is_first else tag("td", cell)


def items(lines: Iterable[str], *, class_: str | None = None) -> Markup:
    return tag("ul", [tag("li", line) for line in lines], class_=class_)


def definitions(pairs: Mapping[str, str]) -> Markup:
    return tag("dl", [inside(tag("dt", name), tag("dd", told)) for name, told in pairs.items()])
