"""People's labels, read from CSV or JSONL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.domain import UserError
from benchmark.readings.people import Case, Labelled
from benchmark.storage.fields import Fields, Place, clean, read_text, shown, value_of
from benchmark.storage.sheets import sheet_rows
from benchmark.text import LANGUAGES

FIELDS = ("case", "id", "question", "context", "answer", "claim", "label", "annotator", "language")
_YES = ("1", "1.0", "true", "yes", "supported", "sí", "si", "verdadero")
_NO = ("0", "0.0", "false", "no", "unsupported", "not supported", "falso")
_UNSURE = ("", "null", "none", "unsure", "?")
_LABELS = "1 or true for supported, 0 or false for not, nothing for one who could not say"


@dataclass(frozen=True, slots=True)
class Labels:
    """The cases of some files, each with all its labels; ``unread``: fields that were passed over."""

    labelled: tuple[Labelled, ...]
    unread: tuple[str, ...]


def read_labels(files: Sequence[Path], *, drawn: Mapping[str, Case], language: str | None) -> Labels:
    """The rows of all files; those by which different annotators label one case are put together.

    A row that gives ``case`` is of a case that was drawn, and its texts are those of ``drawn``: a spreadsheet may have
    changed them. Any other row gives its own texts, in the ``language`` it says or in the one given. Without
    ``annotator`` each file's rows are one person's.

    Raises:
        UserError: a file cannot be read; the message names the line and the cure.
    """
    votes: dict[tuple[object, ...], dict[str, bool | None]] = {}
    cases: dict[tuple[object, ...], Case] = {}
    unread: dict[str, None] = {}
    for file in files:
        if not file.is_file():
            raise UserError(
                f"there is no file {file}.\n"
                f"    wanted: labels as .csv or .jsonl, with the fields {', '.join(FIELDS[2:])}"
            )
        for number, (place, fields) in enumerate(_rows(file), start=1):
            unread |= dict.fromkeys(name for name in fields.values if name not in FIELDS)
            case = _case(fields, drawn, language, number)
            annotator = str(fields.values.get("annotator") or "").strip()
            # Rows of a data set that name nobody are cases of their own, also where it has one twice.
            is_alone = not annotator and fields.values.get("case") in (None, "")
            key = (
                (file, number)
                if is_alone and len(files) == 1
                else (case.question, case.context, case.answer, case.claim)
            )
            by = annotator or file.stem
            if by in votes.setdefault(key, {}):
                found = f"the case {case.id!r} is labelled twice{f' by {annotator}' if annotator else ''}"
                raise place.wrong(found, "one label by each annotator", "take one out, or name another annotator")
            cases.setdefault(key, case)
            votes[key][by] = _label(fields)
    if not any(vote is not None for one in votes.values() for vote in one.values()):
        raise UserError(
            f"{', '.join(map(str, files))}: no row has a label.\n    wanted: in the field label {_LABELS}\n"
            "    to do:  fill in the labels, then give the file again"
        )
    return Labels(tuple(Labelled(cases[key], tuple(one.values())) for key, one in votes.items()), tuple(unread))


def _rows(file: Path) -> Iterator[tuple[Place, Fields]]:
    is_sheet = file.suffix.lower() in (".csv", ".tsv")
    for place, values in sheet_rows(file, column="label", columns=FIELDS) if is_sheet else _of_lines(file):
        yield place, Fields(values, place, "a label")


def _of_lines(file: Path) -> Iterator[tuple[Place, dict[str, object]]]:
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if line.strip():
            place = Place(file, number)
            value = value_of(place, line)
            if not isinstance(value, dict):
                raise place.wrong(f"a label is {shown(value)}", "a JSON object", "write its fields in {}")
            yield place, value


def _case(fields: Fields, drawn: Mapping[str, Case], language: str | None, number: int) -> Case:
    known = fields.values.get("case")
    if known not in (None, ""):
        if (found := drawn.get(str(known).strip())) is None:
            raise fields.place.wrong(
                f"the case {shown(known)} was drawn by no sample of this folder of results ({len(drawn)} cases known)",
                "rows of a file that ragsweep judge sample wrote, with their column case as it was",
                "give the --results in which it was drawn, or take the column out to give the texts themselves",
            )
        return found
    context = fields.values.get("context")
    passages = fields.texts("context") if isinstance(context, list) else (fields.text("context"),)
    if not passages:
        raise fields.wrong("context", "a text, or a list of them")
    claim = fields.values.get("claim")
    return Case(
        str(fields.values.get("id") or f"line {fields.place.line or number}"),
        clean(str(fields.values.get("question") or "")),
        passages,
        clean(str(fields.values.get("answer") or "")) if claim else fields.text("answer"),
        fields.text("claim") if claim else None,
        _language(fields, language),
    )


def _language(fields: Fields, language: str | None) -> str:
    said = fields.values.get("language") or language
    if not said:
        raise fields.place.wrong(
            "neither the row nor the command says in which language it is",
            f"one of {', '.join(LANGUAGES)}",
            "add --language es, or a column language",
        )
    if said not in LANGUAGES:
        raise fields.place.wrong(
            f"the language is {shown(said)}", f"one of {', '.join(LANGUAGES)}", "correct it there, or --language"
        )
    return str(said)


def _label(fields: Fields) -> bool | None:
    if "label" not in fields.values:
        raise fields.wrong("label", _LABELS)
    value = fields.values["label"]
    told = json.dumps(value) if isinstance(value, bool | int | float) else str(value if value is not None else "")
    word = told.strip().lower()
    if word in _YES or word in _NO:
        return word in _YES
    if word in _UNSURE:
        return None
    raise fields.wrong("label", _LABELS)
