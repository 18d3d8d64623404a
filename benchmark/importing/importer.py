"""Writes a corpus's folder from a source: in bounded memory, whole or not at all, and going on where it was stopped."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import TextIO

from benchmark.digest import digest
from benchmark.domain import Document, UserError
from benchmark.importing.evidence import Grounding, ground
from benchmark.importing.nouns import Choices, Exam, Form, Unit
from benchmark.importing.shelf import Shelf
from benchmark.importing.speech import language_of, other_language
from benchmark.storage.fields import Place
from benchmark.storage.notices import IMPORT_REPORT
from benchmark.storage.runs import plain_json, write_whole
from benchmark.text import LANGUAGES

DRAFT = ".importing"
"""The folder inside the corpus's that holds what is not finished."""
_EVERY = 2.0
"""Seconds between two marks from which an interrupted import goes on."""
_SHOWN = 20
_SAMPLE = 200_000

Watch = Callable[[float, int, str], object]
"""Hears the share that is done, the documents so far, and the file that is read."""


@dataclass(frozen=True, slots=True)
class State:
    """How far an import is, and what it has met; ``pieces`` are those of the unit that is being read."""

    request: str
    unit: int = 0
    pieces: int = 0
    size: int = 0
    documents: int = 0
    numbers: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    notes: tuple[str, ...] = ()
    noted: int = 0
    left_out: tuple[str, ...] = ()
    sample: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written: counts, notes for the user, and the files that could not be read, with their reasons."""

    documents: int
    questions: int
    language: str
    numbers: int
    lost: Mapping[str, int]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def request_of(form: Form, choices: Choices) -> str:
    """The digest of all that the documents and questions depend on; files by their size and time."""
    files = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in form.files()]
    return digest(files, dict(choices.columns), choices.grades, choices.repeated, choices.split)


def import_corpus(form: Form, to: Path, *, choices: Choices, language: str | None, watch: Watch) -> Imported:
    """Write ``documents.jsonl``, ``questions.jsonl`` where the source has an exam, and ``card.md`` into ``to``.

    An import of the same source with the same ``choices`` that was interrupted goes on.

    Raises:
        UserError: the folder has something else in it, or the source cannot be read.
    """
    exam = form.exam()  # before the documents: a fault in it should be known before an hour of reading
    key = request_of(form, choices)
    made = [folder for folder in (to, *to.parents) if not folder.exists()]
    draft = _draft(to, key)
    units = form.units()
    state = _documents(units, draft, _state(draft, key), watch)
    if not state.documents:
        reason = state.left_out[0] if state.left_out else "no file has any text"
        shutil.rmtree(draft)
        for folder in made:
            folder.rmdir()
        raise UserError(reason)
    spoken = _language(language, state)
    lines, grounding = _questions(exam, draft / "documents.jsonl", spoken)
    imported = _imported(state, exam, spoken, lines, grounding)
    _finish(form, to, draft, imported, lines)
    return imported


def _draft(to: Path, key: str) -> Path:
    """The folder of what is not finished: that of the same import, or a new one."""
    draft = to / DRAFT
    if _others(to):
        found = f"the folder has {_others(to)[0]} in it"
        raise Place(to).wrong(found, "a folder that is not there yet", "choose another with --to, or remove it")
    state = _state(draft, key) if draft.is_dir() else None
    if state is not None and state.request != key:
        shutil.rmtree(draft)
    draft.mkdir(parents=True, exist_ok=True)
    return draft


def _others(to: Path) -> list[str]:
    return sorted(file.name for file in to.iterdir() if file.name != DRAFT) if to.is_dir() else []


def _state(draft: Path, key: str) -> State:
    file = draft / "state.json"
    if not file.is_file():
        return State(key)
    fields = json.loads(file.read_text(encoding="utf-8"))
    return State(**{**fields, "notes": tuple(fields["notes"]), "left_out": tuple(fields["left_out"])})


# ------------------------------------------------------------------------------------------------------- documents


def _documents(units: list[Unit], draft: Path, state: State, watch: Watch) -> State:
    """Every document as a line of the draft, from where the state says."""
    file = draft / "documents.jsonl"
    file.touch()
    with file.open("r+", encoding="utf-8", newline="\n") as written:
        written.truncate(state.size)  # what came after the last mark is read again
    known = _Known(file)
    sizes = [max(1, unit.file.stat().st_size) for unit in units]
    with file.open("a", encoding="utf-8", newline="\n") as written:
        for number in range(state.unit, len(units)):
            before, total = sum(sizes[:number]), sum(sizes)
            for later, done in _unit(units[number], state, written, known, draft):
                state = later
                watch((before + done * sizes[number]) / total, state.documents, units[number].file.name)
            state = replace(state, unit=number + 1, pieces=0)
        return _mark(state, written, draft)


def _unit(unit: Unit, state: State, written: TextIO, known: _Known, draft: Path) -> Iterator[tuple[State, float]]:
    """The states after each piece of one unit. A file that cannot be read is left out with its reason.

    One that breaks half-way is left out too: half a file would look like a whole one.
    """
    begin = replace(state, pieces=0)
    begin_size = written.tell() if not state.pieces else None
    marked = monotonic()
    lost = Counter(state.lost)
    try:
        for piece in unit.read(state.pieces):
            document = piece.document
            is_new = document is not None and known.is_new(document, piece.place)
            if document is not None and not is_new:
                state = replace(state, repeated=state.repeated + 1)
            if document is not None and is_new:
                line = {"id": document.id, "title": document.title, "text": document.text}
                metadata = dict(document.metadata)
                if state.documents == 0 or len(state.sample) < _SAMPLE:
                    state = replace(state, sample=(state.sample + document.text[:2000])[:_SAMPLE])
                written.write(json.dumps({**line, "metadata": metadata}, ensure_ascii=False, default=str) + "\n")
                state = replace(state, documents=state.documents + 1)
            lost.update(piece.lost)
            notes = (*state.notes, *piece.notes)[:_SHOWN]
            state = replace(
                state,
                pieces=state.pieces + 1,
                numbers=state.numbers + piece.numbers,
                lost=dict(lost),
                notes=notes,
                noted=state.noted + len(piece.notes),
            )
            if monotonic() - marked > _EVERY:
                state, marked = _mark(state, written, draft), monotonic()
            yield state, piece.done
    except UserError as error:
        if begin_size is None or isinstance(error, _TwiceError):
            raise
        written.flush()
        written.truncate(begin_size)
        yield replace(begin, left_out=(*begin.left_out, str(error)), sample=state.sample), 1.0


def _mark(state: State, written: TextIO, draft: Path) -> State:
    """Say how far the draft is whole."""
    written.flush()
    state = replace(state, size=written.buffer.tell())
    write_whole(draft / "state.json", plain_json(asdict(state)))
    return state


class _TwiceError(UserError):
    """An id that two different documents have: no choice between them would be right."""


class _Known:
    """The ids and texts met, as 8 bytes each: a million documents take about 100 MB."""

    def __init__(self, file: Path) -> None:
        self._texts: dict[int, int] = {}
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                fields = json.loads(line)
                self._texts[_hash(fields["id"])] = _hash(fields["text"])

    def is_new(self, document: Document, place: Place) -> bool:
        """False where the same document was there before.

        Raises:
            UserError: another document has its id.
        """
        key, text = _hash(document.id), _hash(document.text)
        before = self._texts.get(key)
        if before is not None and before != text:
            error = place.wrong(
                f"the id {document.id!r} was used before for another text",
                "an id of its own for each document",
                "rename one of the two, or name the column that tells them apart: --columns document_id=COLUMN",
            )
            raise _TwiceError(str(error))
        self._texts[key] = text
        return before is None


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _language(language: str | None, state: State) -> str:
    spoken = language or language_of(state.sample)
    if spoken is None:
        raise UserError(
            "the documents' language is none of those that are known here, by their words.\n"
            f"    wanted: one of {', '.join(LANGUAGES)}: its stop words and its stemmer are used\n"
            "    to do:  say the nearest with --language, such as --language en; what was read so far is kept"
        )
    return spoken


# ------------------------------------------------------------------------------------------------------- questions


def _questions(exam: Exam | None, documents: Path, language: str) -> tuple[list[dict[str, object]], Grounding]:
    if exam is None:
        return [], Grounding()
    with Shelf(documents) as shelf:
        return ground(exam.questions, shelf, language)


def _imported(
    state: State, exam: Exam | None, language: str, lines: list[dict[str, object]], grounding: Grounding
) -> Imported:
    notes = [*(exam.notes if exam else ()), *_foreign(exam, language), *grounding.notes(), *state.notes]
    if state.noted > len(state.notes):
        notes.append(f"and {state.noted - len(state.notes)} more such notes")
    if state.repeated:
        notes.append(f"{state.repeated} documents are there twice, id and text, and count once")
    return Imported(
        documents=state.documents,
        questions=len(lines),
        language=language,
        numbers=state.numbers,
        lost=dict(state.lost),
        notes=tuple(notes),
        left_out=state.left_out,
    )


def _foreign(exam: Exam | None, language: str) -> list[str]:
    """What to say of questions that are in another language than the documents."""
    text = "\n".join(asked.question for asked in exam.questions) if exam else ""
    other = other_language(text, language)
    if other is None:
        return []
    return [
        f"the questions seem to be in {other} and the documents in {language}: both are taken to be in {language}. To "
        f'say otherwise: "language": "{other}" in each line of the questions.jsonl that was written, and the run with '
        f"corpus=folder, corpus.path=... and corpus.documents_language={language}"
    ]


def _finish(form: Form, to: Path, draft: Path, imported: Imported, lines: list[dict[str, object]]) -> None:
    """Move the whole corpus to its place."""
    if lines:
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_whole(draft / "questions.jsonl", text)
        (draft / "questions.jsonl").replace(to / "questions.jsonl")
    write_whole(to / "card.md", card(form, to.name, imported))
    write_whole(to / IMPORT_REPORT, plain_json({"form": form.name, **asdict(imported)}))
    (draft / "documents.jsonl").replace(to / "documents.jsonl")
    shutil.rmtree(draft)


def card(form: Form, name: str, imported: Imported) -> str:
    """What a reader of the corpus should know of where it comes from."""
    told = "".join(f"- {note}\n" for note in (*imported.notes, *imported.left_out))
    files = "".join(f"- {file.name}\n" for file in form.files()[:_SHOWN])
    return (
        f"# {name}\n\nImported by `ragsweep corpus import` from {form.name}. Language: {imported.language}.\n"
        "Licence and source: to be written by who knows them.\n\n"
        f"## Files\n\n{files}" + (f"\n## What was met\n\n{told}" if told else "")
    )
