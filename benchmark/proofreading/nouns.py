"""What proofreading reads and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

from benchmark.domain import Document, Question

Part = TypeVar("Part")


class Kind(StrEnum):
    """What may be wrong with a corpus."""

    FORMAT = "format"
    QUOTE = "quote not verbatim"
    DUPLICATE_ID = "duplicate id"
    DUPLICATE_TEXT = "duplicate text"
    NEAR_DUPLICATE = "near-duplicate question"
    UNSUPPORTED = "answer without support"
    NUMBER_UNSUPPORTED = "number not in evidence"
    UNIT_UNSUPPORTED = "unit not in evidence"
    NO_ABSTENTION = "reference is no abstention"
    UNANSWERABLE = "unanswerable with evidence"
    TENANT = "evidence of another tenant"
    MEDICATION = "medication"
    DOSE = "dose"
    MISSING_NUMBER = "number lost"
    MISSING_UNIT = "number without unit"
    EMPTY_BRACKETS = "empty brackets"
    STRAY_MARK = "stray punctuation"
    CUT_SENTENCE = "cut sentence"
    MOJIBAKE = "mojibake"
    SOURCE = "words of the source"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a text stands: ``line`` is that of its first character.

    ``multiline``: a line of the text is a line of the file (Markdown), rather than all of it one line (JSON).
    """

    file: str
    line: int | None = None
    multiline: bool = False

    def at(self, text: str, offset: int) -> Origin:
        """The line of one character of the text.

        >>> Origin("a.md", 5, multiline=True).at("uno\\ndos", 4).line, Origin("a.jsonl", 5).at("uno\\ndos", 4).line
        (6, 5)
        """
        if not self.multiline or self.line is None:
            return self
        return replace(self, line=self.line + text.count("\n", 0, offset))

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a corpus, where it stands, and what to do about it."""

    origin: Origin
    kind: Kind
    found: str
    cure: str


@dataclass(frozen=True, slots=True)
class Placed(Generic[Part]):
    """A part of a corpus and where it stands."""

    part: Part
    origin: Origin


@dataclass(frozen=True, slots=True)
class Medication:
    """A drug, vaccine, hormone or supplement, and the documents that name it."""

    name: str
    synonyms: tuple[str, ...]
    documents: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


@dataclass(frozen=True, slots=True)
class Dose:
    """A dose that a document states; ``dose`` is the number or range as written there."""

    drug: str
    dose: str
    unit: str
    route: str | None
    frequency: str | None
    use: str | None
    document: str
    quote: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A corpus as far as it could be read; ``faults`` are what kept the rest from being read.

    ``translations`` are questions as they are asked in another language than they were written in.
    """

    documents: tuple[Placed[Document], ...]
    questions: tuple[Placed[Question], ...] = ()
    translations: tuple[Placed[Question], ...] = ()
    medications: tuple[Placed[Medication], ...] = ()
    doses: tuple[Placed[Dose], ...] = ()
    language: str = "es"
    faults: tuple[Fault, ...] = ()

    @property
    def texts(self) -> Mapping[str, Document]:
        """The documents by id."""
        return {placed.part.id: placed.part for placed in self.documents}


def excerpt(text: str, start: int, end: int, *, around: int = 40) -> str:
    """The words around a place of a text, on one line.

    >>> excerpt("punto de corte mg/dL", 15, 20, around=6)
    '"... corte mg/dL"'
    """
    left, right = max(0, start - around), min(len(text), end + around)
    shown = " ".join(text[left:right].split())
    return f'"{"... " if left else ""}{shown}{" ..." if right < len(text) else ""}"'
