"""Running headers, footers and page numbers: lines that come back at the same height on the pages around."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_INTEGER = re.compile(r"\d+")
NEAR = 3
"""A line is looked for on so many pages before and after."""
_TIMES = 3
"""It is running where it stands on so many of them, its own page counted."""
TOLERANCE = 4.0
"""Points by which the heights of one header may differ."""
_LETTERS = 4
"""Fewer letters, such as the grade 1+ of a table, make no header unless the number counts pages."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line at the edge of a page; ``height`` in points from its bottom."""

    text: str
    height: float
    is_outermost: bool = True


def running(edges: Sequence[Sequence[Line]]) -> dict[int, tuple[str, ...]]:
    """The running lines of each page (from 0) by the outermost lines of all pages.

    Two kinds: the same words at the same height, and words around a number that grows as the pages do. A number that
    does not count pages is never taken for one: it may be a dose.

    >>> pages = [[Line(f"{n + 4} | Guide", 30.0), Line(f"Dose {n * 7} mg", 700.0)] for n in range(5)]
    >>> running(pages)[2]
    ('6 | Guide',)
    """
    where: dict[tuple[str, int], list[tuple[int, Line]]] = defaultdict(list)
    for number, lines in enumerate(edges):
        for line in lines:
            for key in _keys(line, number):
                where[key].append((number, line))
    found: dict[int, dict[str, None]] = defaultdict(dict)
    for places in where.values():
        for number, line in places:
            near = {
                other
                for other, its in places
                if abs(other - number) <= NEAR and abs(its.height - line.height) <= TOLERANCE
            }
            if len(near) >= _TIMES:
                found[number][line.text] = None
    return {number: tuple(lines) for number, lines in found.items()}


def _keys(line: Line, number: int) -> list[tuple[str, int]]:
    letters = sum(character.isalpha() for character in line.text)
    keys = [(line.text, -1)] if letters >= _LETTERS else []
    # Below a header, a line that counts as the pages do may be the heading of a section.
    for match in _INTEGER.finditer(line.text) if line.is_outermost else ():
        if len(match[0]) <= 5 and letters <= 80:
            around = f"{line.text[: match.start()]}#{line.text[match.end() :]}"
            keys.append((around, int(match[0]) - number))
    return keys
