"""Documents that are rows of a table: one for each row with text, its other plain cells as metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchmark.domain import Document
from benchmark.importing import columns
from benchmark.importing.cells import texts_of
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.raw import stem_of
from benchmark.importing.tables import Row, rows
from benchmark.storage.fields import clean

ROLES = ("document_id", "title", "text")


def read(file: Path, *, skip: int, chosen: Mapping[str, str]) -> Iterator[Piece]:
    """The rows after ``skip``; a title that the text does not open with is put before it, so that it is searched too.

    Raises:
        UserError: no column has the text; the message shows the columns there are.
    """
    found: dict[str, str] | None = None
    for number, row in enumerate(islice(rows(file), skip, None), start=skip + 1):
        if found is None:
            found = roles_of(row, file, chosen)
        piece = piece_of(row, found, f"{stem_of(file)}-{number}")
        told = _like_an_exam(row, file, found) if number == 1 and "text" not in chosen else ()
        yield replace(piece, notes=(*told, *piece.notes))


def _like_an_exam(row: Row, file: Path, found: Mapping[str, str]) -> tuple[str, ...]:
    """What to say of a table of documents that has questions too: it may be the exam about the others."""
    asked = columns.guessed([str(name) for name in row.values], ("question",), {}, file).get("question")
    if asked is None or asked in found.values():
        return ()
    return (
        f"{file.name} has a column {asked!r}, as an exam has, and was read as documents, by its column "
        f"{found['text']!r}; to ask its questions, move it out of the folder and give it: --questions {file.name} "
        f"(corpus.questions={file.name})",
    )


def roles_of(row: Row, file: Path, chosen: Mapping[str, str]) -> dict[str, str]:
    """The columns of id, title and text."""
    names = [str(name) for name in row.values]
    wanted = {role: column for role, column in chosen.items() if role in ROLES}
    found = columns.guessed(names, ROLES, wanted, file)
    if "text" not in found:
        found_there = f"no column of {', '.join(repr(name) for name in names)} is known to hold the documents' text"
        raise row.place.wrong(found_there, "a column named text or contents", "say it: --columns text=COLUMN")
    return found


def piece_of(row: Row, found: Mapping[str, str], default_id: str) -> Piece:
    """The document of a row; none where its text is empty."""
    text = "\n".join(texts_of(row.values.get(found["text"]), row.place, found["text"]))
    title = " ".join(str(row.values.get(found.get("title", ""), None) or "").split())
    given = row.values.get(found.get("document_id", ""), None)
    identity = clean(str(given)).strip() if given not in (None, "") else default_id
    text = clean(text if not title or text.startswith(title) else f"{title}\n\n{text}" if text.strip() else "")
    if not text.strip():
        return Piece(None, row.place, row.done, notes=(f"{identity} has no text ({row.name})",))
    return Piece(Document(identity, text, clean(title), _metadata(row, set(found.values()))), row.place, row.done)


def _metadata(row: Row, used: set[str]) -> dict[str, object]:
    """Cells that are plain values, and those of a nested ``metadata``; a table's other columns are no text."""
    plain: dict[str, object] = {}
    for name, value in row.values.items():
        if name not in used and isinstance(value, str | int | float | bool) and value == value and value != "":
            plain[str(name)] = value
        elif name == "metadata" and isinstance(value, dict):
            plain |= {str(key): part for key, part in value.items() if isinstance(part, str | int | float | bool)}
    if "tenant" in plain:
        plain["tenant"] = str(plain["tenant"])
    return plain
