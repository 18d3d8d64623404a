"""The names of medications in a text: those of a lexicon, and words that are built as such names are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from benchmark.proofreading.nouns import Medication
from benchmark.text import fold, pattern, phrases

_BEFORE_A_DOSE = re.compile(
    r"(?<=[\w,;:(] )[^\W\d_a-záéíóúñ][a-záéíóúñ]{3,}(?= \d[\d.,]* ?(?:mg|mcg|µg|g|UI|IU)\b(?!/))"
)
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[^\w\s]", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in a text, characters ``start`` to ``end``.

    ``key`` is equal for equal names, whatever their case, accents and number. ``medication``: the lexicon's main name
    for it; ``None`` for a word that the lexicon does not have.
    """

    words: str
    key: str
    start: int
    end: int
    medication: str | None


@dataclass(frozen=True)
class Lexicon:
    """Finds names, of several that begin at one word the longest."""

    medications: Sequence[Medication]
    _names: Mapping[str, Sequence[tuple[tuple[str, ...], str]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for medication in self.medications:
            for name in medication.names:
                words = tuple(key for key, _, _ in _words(name))
                names.setdefault(words[0], []).append((words, medication.name))
        for listed in names.values():
            listed.sort(key=lambda item: -len(item[0]))
        object.__setattr__(self, "_names", names)

    def names(self, text: str) -> Iterator[Name]:
        """In the order of the text; names do not overlap."""
        words = _words(text)
        dosed = {match.start() for match in _BEFORE_A_DOSE.finditer(text)}  # a brand that no list has: "Dolex 500 mg"
        at = 0
        while at < len(words):
            found = self._longest(words, at)
            if found is not None:
                length, medication = found
                start, end = words[at][1], words[at + length - 1][2]
                yield Name(
                    text[start:end], " ".join(key for key, _, _ in words[at : at + length]), start, end, medication
                )
                at += length
            else:
                key, start, end = words[at]
                if start in dosed or is_built_as_a_name(text[start:end]):
                    yield Name(text[start:end], key, start, end, None)
                at += 1

    def _longest(self, words: Sequence[tuple[str, int, int]], at: int) -> tuple[int, str] | None:
        for name, medication in self._names.get(words[at][0], ()):
            if tuple(key for key, _, _ in words[at : at + len(name)]) == name:
                return len(name), medication
        return None


@lru_cache(maxsize=100_000)  # texts come again and again, and have few different words
def is_built_as_a_name(word: str) -> bool:
    """Whether a word ends as the international names of medications do, or is a well-known name or brand.

    >>> is_built_as_a_name("Nimodipino"), is_built_as_a_name("Cytotec"), is_built_as_a_name("vecino")
    (True, True, False)
    """
    folded = fold(word)
    parts = {folded, *folded.split("-")}  # Nifedipino-Retard
    return not _listed().isdisjoint(parts) or any(pattern("medication_endings").search(part) for part in parts)


@cache
def _listed() -> frozenset[str]:
    files = ("medication_brands", "medication_names")
    return frozenset(word for file in files for line in phrases(file) for word in line.split())


@lru_cache(maxsize=8192)  # passages come again and again, from question to question
def _words(text: str) -> tuple[tuple[str, int, int], ...]:
    """Each word and mark with its place; words folded and without the ending of a plural."""
    return tuple((_key(match.group()), match.start(), match.end()) for match in _WORD.finditer(text))


@lru_cache(maxsize=100_000)
def _key(word: str) -> str:
    return _singular(fold(word))


def _singular(word: str) -> str:
    """The word without what a plural adds; short ones, such as ASA, are left as they are.

    >>> _singular("heparinas"), _singular("opioides") == _singular("opioide"), _singular("asas")
    ('heparina', True, 'asas')
    """
    return word if len(word) <= 4 else word.removesuffix("s").removesuffix("e")
