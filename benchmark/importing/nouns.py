"""What an importer reads before it is a corpus: units of documents, and an exam's questions with their gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchmark.importing.documents.pieces import Piece
from benchmark.storage.fields import Place


@dataclass(frozen=True, slots=True)
class Unit:
    """One file of documents; ``read`` gives its pieces from the one after ``skip``, the same ones each time."""

    file: Path
    read: Callable[[int], Iterator[Piece]]


@dataclass(frozen=True, slots=True)
class Gold:
    """A passage that supports an answer: a whole document, a stretch of it, or a text still to be found in it.

    ``document`` may be ``None`` where only the text is known.
    """

    document: str | None
    grade: int
    start: int | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of an exam, with the place that it was read from."""

    id: str
    question: str
    place: Place
    reference: str | None = None
    answerable: bool = True
    evidence: tuple[Gold, ...] = ()
    tags: tuple[str, ...] = ()
    difficulty: str | None = None
    tenant: str | None = None

    def line(
        self, language: str, evidence: list[Mapping[str, object]], *more: str, absent: Sequence[str] = ()
    ) -> dict[str, object]:
        """The line of ``questions.jsonl`` with that evidence and these tags besides.

        ``absent``: the documents that hold the answer and are not there.
        """
        fields: dict[str, object] = {"id": self.id, "question": self.question, "reference": self.reference}
        fields |= {"answerable": self.answerable, "language": language, "evidence": evidence}
        optional = {"tags": [*self.tags, *more], "difficulty": self.difficulty, "tenant": self.tenant}
        optional |= {"absent": list(absent)}
        return fields | {name: value for name, value in optional.items() if value}


@dataclass(frozen=True, slots=True)
class Exam:
    """The questions of a form, and what a user should see of how they were read."""

    questions: tuple[Asked, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user says of a source where a guess would not do."""

    columns: Mapping[str, str] = field(default_factory=dict)
    grades: str | None = None
    repeated: str | None = None
    split: str | None = None


class Form(Protocol):
    """A source in one of the forms that are known."""

    @property
    def name(self) -> str:
        """What the form is called in messages."""

    def units(self) -> list[Unit]:
        """The files of documents, in order."""

    def exam(self) -> Exam | None:
        """Its questions; ``None`` where the source has none."""

    def files(self) -> list[Path]:
        """Every file that is read, so that a changed one is noticed."""
