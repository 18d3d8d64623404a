"""Corpora read for proofreading: as far as they can be, with every error that keeps the rest from being read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from benchmark.domain import Document
from benchmark.proofreading.nouns import Dose, Fault, Medication, Origin, Placed, Proof
from benchmark.storage.corpora import Exam, digest_of, document_of_file, document_of_line, markdown_files, source_of
from benchmark.storage.fields import Fields, FormatError, Place, clean, numbered, read_text, shown, value_of

Part = TypeVar("Part")
LANGUAGE = "es"
_TEXT, _ID = ("text", "content", "page_content", "contents"), ("id", "chunk_id", "_id", "doc_id")


@dataclass(slots=True)
class _Reading:
    """Collects what cannot be read, and reads on."""

    faults: list[Fault] = field(default_factory=list)

    @contextmanager
    def part(self) -> Iterator[None]:
        try:
            yield
        except FormatError as error:
            self.faults.append(error.fault)

    def rows(self, file: Path) -> Iterator[tuple[Place, object]]:
        """The lines of a JSONL file that are JSON."""
        lines: list[tuple[Place, str]] = []
        with self.part():
            lines = list(numbered(file))
        for place, line in lines:
            with self.part():
                yield place, value_of(place, line)

    def listed(self, file: Path, make: Callable[[Place, object], Part]) -> tuple[Placed[Part], ...]:
        """The parts of a JSONL file, which need not be there."""
        parts: list[Placed[Part]] = []
        for place, value in self.rows(file) if file.is_file() else ():
            with self.part():
                parts.append(Placed(make(place, value), _origin(place)))
        return tuple(parts)


def read(folder: Path, language: str | None = None) -> Proof:
    """A corpus folder; ``language`` of the documents is that of their front matter unless given.

    Raises:
        UserError: the folder has no documents, or has them twice.
    """
    reading = _Reading()
    source = source_of(folder)
    documents = _markdown(source, reading) if source.is_dir() else reading.listed(source, document_of_line)
    spoken = language or _most_common(placed.part for placed in documents)
    exam = Exam({placed.part.id: placed.part for placed in documents}, spoken, None)
    questions, translations = [], []
    for place, value in reading.rows(folder / "questions.jsonl"):
        errors = list(exam.errors(place, value))
        reading.faults += (error.fault for error in errors)
        if not errors:
            questions.append(Placed(exam.question(place, value), _origin(place)))
            for asked in value.get("translations") or {} if isinstance(value, dict) else ():
                with reading.part():
                    translated = Exam(exam.documents, spoken, asked).question(place, value)
                    translations.append(Placed(translated, _origin(place)))
    return Proof(
        documents,
        tuple(questions),
        tuple(translations),
        reading.listed(folder / "medications.jsonl", medication_of_line),
        reading.listed(folder / "doses.jsonl", dose_of_line),
        spoken,
        tuple(reading.faults),
    )


def checksum(proof: Proof) -> str:
    """The digest that a run of this corpus carries."""
    return digest_of([placed.part for placed in proof.documents], [placed.part for placed in proof.questions])


def _markdown(folder: Path, reading: _Reading) -> tuple[Placed[Document], ...]:
    documents = []
    for identity, file in markdown_files(folder):
        with reading.part():
            document = document_of_file(identity, file)
            content = read_text(file)
            first = content.count("\n", 0, len(content) - len(document.text)) + 1
            documents.append(Placed(document, Origin(shown_path(file), first, multiline=True)))
    return tuple(documents)


def _most_common(documents: Iterator[Document]) -> str:
    languages = Counter(str(document.metadata["language"]) for document in documents if "language" in document.metadata)
    return languages.most_common(1)[0][0] if languages else LANGUAGE


def medication_of_line(place: Place, value: object) -> Medication:
    """The medication of one line of ``medications.jsonl``."""
    fields = Fields.of(value, place, "the medication", known=("name", "synonyms", "documents"))
    return Medication(fields.text("name"), fields.texts("synonyms"), fields.texts("documents"))


def dose_of_line(place: Place, value: object) -> Dose:
    """The dose of one line of ``doses.jsonl``."""
    known = ("drug", "dose", "unit", "route", "frequency", "use", "document", "quote")
    fields = Fields.of(value, place, "the dose", known=known)
    drug, dose, unit = fields.text("drug"), fields.text("dose"), fields.text("unit")
    route, frequency, use = (fields.optional_text(name) for name in ("route", "frequency", "use"))
    return Dose(drug, dose, unit, route, frequency, use, fields.text("document"), fields.text("quote"))


def _origin(place: Place) -> Origin:
    return Origin(shown_path(place.file), place.line)


def shown_path(file: Path) -> str:
    """The path as the user would type it from here."""
    here = Path.cwd()
    return str(file.relative_to(here) if file.is_relative_to(here) else file)


# ------------------------------------------------------------------------------------------- one file of documents


def read_file(file: Path, language: str | None = None) -> Proof:
    """The documents of one file: a JSON array or JSON lines of objects with a text, or one text.

    Raises:
        UserError: the file is not text, or has no documents.
    """
    reading = _Reading()
    content = read_text(file)
    if file.suffix not in (".json", ".jsonl"):
        origin = Origin(shown_path(file), 1, multiline=True)
        return Proof((Placed(Document(file.stem, content), origin),), language=language or LANGUAGE)
    if file.suffix == ".json" and content.lstrip().startswith("{\n"):
        raise Place(file).wrong(
            "the file is one JSON object", "a JSON array, or a JSON object on each line", "give its list"
        )
    rows = _array(file, content) if content.lstrip().startswith("[") else list(reading.rows(file))
    documents = []
    for place, value in rows:
        with reading.part():
            documents.append(Placed(_bare(place, value), _origin(place)))
    if not documents and not reading.faults:
        raise Place(file).wrong("the file has no documents", f"objects with one of {', '.join(_TEXT)}", "give another")
    return Proof(tuple(documents), language=language or LANGUAGE, faults=tuple(reading.faults))


def _array(file: Path, content: str) -> Sequence[tuple[Place, object]]:
    """The items of a JSON array with the lines on which they begin."""
    decoder = json.JSONDecoder()
    rows: list[tuple[Place, object]] = []
    at, line, counted = content.index("[") + 1, 1, 0
    while True:
        while content[at : at + 1] in (" ", "\n", "\t", ","):
            at += 1
        line, counted = line + content.count("\n", counted, at), at
        if content[at : at + 1] == "]":
            return rows
        try:
            value, at = decoder.raw_decode(content, at)
        except ValueError as error:
            place = Place(file, line)
            raise place.wrong("this is not JSON", "a JSON array of objects", f"mend the file ({error})") from None
        rows.append((Place(file, line), value))


def _bare(place: Place, value: object) -> Document:
    """A document of whatever names its maker gave its fields."""
    if not isinstance(value, dict):
        raise place.wrong(f"the document is {shown(value)}", "a JSON object", "write its fields in {}")
    text = next((value[name] for name in _TEXT if isinstance(value.get(name), str)), None)
    if not text or not text.strip():
        raise place.wrong("the document has no text", f"one of the fields {', '.join(_TEXT)}", "name its text so")
    identity = next((str(value[name]) for name in _ID if value.get(name) is not None), f"line {place.line}")
    return Document(identity, clean(text))
