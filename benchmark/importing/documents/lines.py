"""Lines of a page to paragraphs: words whole again that a hyphen cut, sentences whole that a line end cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ITEM = re.compile(r"(?:[•·▪◦●○‣–—*]|-\s|\d{1,2}[.)](?:\d{1,2}[.)]?)*\s|[a-zA-Z][.)]\s|\([a-zA-Z0-9]{1,3}\)\s)")
_END = re.compile(r"[.:;?!…][\"')\]»”]*$")
_CUT = re.compile(r"(\w+)-\n[ \t]*(\w+)")
_FULL = 0.8
"""A line of less than this share of the longest may be the last of its paragraph."""


def joined(text: str, words: frozenset[str]) -> str:
    """The text with a line for each paragraph or list item.

    ``words`` (lower case) stand whole somewhere in the document: they tell a hyphen that only the line end made.

    >>> joined("The presc-\\nription is\\n• 4 g\\n• 1 g/h", frozenset({"prescription"}))
    'The prescription is\\n• 4 g\\n• 1 g/h'
    """
    lines = [line.strip() for line in whole_words(text, words).split("\n")]
    longest = max((len(line) for line in lines), default=0)
    paragraphs: list[str] = []
    before = ""
    for line in lines:
        if not line:
            before = ""
        elif before and _goes_on(before, line, longest):
            paragraphs[-1] = f"{paragraphs[-1]} {line}"
            before = line
        else:
            paragraphs.append(line)
            before = line
    parts = [("\n" if _ITEM.match(line) else "\n\n") + line for line in paragraphs]
    return "".join(parts).strip("\n")


def row(cells: Sequence[str | None], words: frozenset[str]) -> str:
    """A table's row as one line; cells that merging left empty are passed over.

    >>> row(["B", None, "75 to 100\\nmg"], frozenset())
    '| B | 75 to 100 mg |'
    """
    texts = [joined(cell, words).replace("\n\n", " ").replace("\n", " ") for cell in cells if cell is not None]
    return f"| {' | '.join(texts)} |" if any(texts) else ""


def without_cut_words(text: str) -> str:
    """The text without the words that a hyphen at a line end may have cut."""
    return _CUT.sub(" ", text)


def whole_words(text: str, words: frozenset[str]) -> str:
    """Words joined again that a hyphen at a line end cut; the hyphen stays where it belongs to the word.

    >>> whole_words("medico-\\npaciente, trata-\\nmiento, 12-\\n16", frozenset({"medico", "paciente", "tratamiento"}))
    'medico-paciente, tratamiento, 12-16'
    """

    def mend(match: re.Match[str]) -> str:
        left, right = match[1], match[2]
        if left[-1].isdigit() and not right[0].isdigit():
            return match[0]  # such as the grade 1- at the end of a table's row
        # A compound's halves are words of their own; half a word is seldom one.
        compound = (left + right).lower() not in words and left.lower() in words and right.lower() in words
        apart = right[0].isdigit() or right[0].isupper() or compound
        return f"{left}-{right}" if apart else left + right

    return _CUT.sub(mend, text)


def _goes_on(before: str, line: str, longest: int) -> bool:
    """Whether a paragraph goes on from one line to the next."""
    if _ITEM.match(line):
        return False
    short = len(before) < _FULL * longest
    if _END.search(before):
        return not short and not before.endswith(":")
    if before.isupper() and any(character.isalpha() for character in before):
        return line.isupper()
    return not short or line[0].islower() or (line[0].isdigit() and len(before) > longest / 2)
