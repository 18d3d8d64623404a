"""Are runs of eight words of a corpus those of the source that it was written from?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmark.domain import UserError
from benchmark.proofreading.nouns import Fault, Kind, Origin
from benchmark.text import fold

WORDS = 8
MOST_FIXED = 20
_WORD = re.compile(r"[^\W_]+")

Shingle = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text that must be in words of its own, and what it is called in messages."""

    what: str
    text: str
    origin: Origin


def shingles(text: str) -> list[tuple[Shingle, int, int]]:
    """Every run of eight words, folded and without punctuation, with the characters that it covers.

    >>> [(start, end) for _, start, end in shingles("Uno, dos, tres, cuatro, cinco, seis, siete, OCHO y nueve")]
    [(0, 48), (5, 50), (10, 56)]
    """
    words = [(fold(match.group()), match.start(), match.end()) for match in _WORD.finditer(text)]
    runs = (words[start : start + WORDS] for start in range(len(words) - WORDS + 1))
    return [(tuple(word for word, _, _ in run), run[0][1], run[-1][2]) for run in runs]


def fixed(lines: Iterable[str]) -> frozenset[Shingle]:
    """The shingles of fixed terms (names of programmes, scales, laws), one term a line; ``#`` opens a comment.

    Raises:
        UserError: a term is shorter than a shingle, or they are more than may be excused.
    """
    excused: set[Shingle] = set()
    for number, line in enumerate(lines, start=1):
        term = line.partition("#")[0].strip()
        runs = shingles(term)
        if term and not runs:
            raise UserError(
                f"line {number} of the fixed terms has fewer than {WORDS} words, so it excuses nothing: {term!r}"
            )
        excused.update(shingle for shingle, _, _ in runs)
    if len(excused) > MOST_FIXED:
        raise UserError(
            f"the fixed terms are {len(excused)} runs of {WORDS} words.\n    wanted: at most {MOST_FIXED}\n"
            "    to do:  keep names that cannot be said otherwise, and reword the rest"
        )
    return frozenset(excused)


def shared(texts: Iterable[Text], source: str, excused: frozenset[Shingle]) -> Iterator[Fault]:
    """One fault for each passage of a text that is the source's; overlapping shingles are one passage."""
    theirs = {shingle for shingle, _, _ in shingles(source)} - excused
    for text in texts:
        passages: list[tuple[int, int, int]] = []
        for shingle, start, end in shingles(text.text):
            if shingle not in theirs:
                continue
            if passages and start < passages[-1][1]:
                passages[-1] = (passages[-1][0], end, passages[-1][2] + 1)
            else:
                passages.append((start, end, 1))
        for start, end, count in passages:
            words = " ".join(text.text[start:end].split())
            runs = f"{count} {'run' if count == 1 else 'runs'} of {WORDS} words"
            found = f"{text.what} shares {runs} with the source: {words!r}"
            cure = "say it in other words, or list it among the fixed terms if it is a name"
            yield Fault(text.origin.at(text.text, start), Kind.SOURCE, found, cure)
