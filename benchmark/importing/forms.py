"""Which form a source is in, by what lies in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmark.domain import UserError
from benchmark.importing import columns, documents
from benchmark.importing.exams import qrels
from benchmark.importing.exams.beir import Beir, is_beir
from benchmark.importing.exams.sheet import Sheet, unit_of
from benchmark.importing.exams.squad import Squad, is_squad
from benchmark.importing.extras import library
from benchmark.importing.nouns import Choices, Exam, Form, Unit
from benchmark.importing.raw import Text, check, kind_of, stem_of
from benchmark.importing.tables import is_table, rows
from benchmark.storage.fields import Place

_SAMPLE, _LEAST = 50, 3
"""Lines that tell judgements from prose, and how many there must be."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents without an exam."""

    source: Path
    choices: Choices
    name: str = "documents"

    def units(self) -> list[Unit]:
        return [unit_of(file, self.source, self.choices) for file in documents.files_of(self.source)[0]]

    def files(self) -> list[Path]:
        return documents.files_of(self.source)[0]

    def exam(self) -> Exam | None:
        others = documents.files_of(self.source)[1]
        if not others:
            return None
        return Exam((), (f"files of other forms were not read: {', '.join(file.name for file in others[:5])}",))


def form_of(source: Path, questions: Path | None, choices: Choices) -> Form:
    """The source in its form.

    Raises:
        UserError: it is in none, or ``questions`` are given to one that has its own.
    """
    if not source.exists():
        raise UserError(f"there is no file or folder {source}.\n    to do:  give the path of one that is there")
    if questions is not None:
        check(questions)
        if not is_table(questions):
            wanted = "a table: .csv, .tsv, .xlsx, .json, .jsonl or .parquet"
            raise Place(questions).wrong("questions are not read from this form", wanted, "save them as a table")
        return Sheet(source, questions, choices)
    if is_beir(source):
        return Beir(source, choices)
    if source.is_dir():
        pair = _autorag(source)
        return Documents(source, choices) if pair is None else Sheet(*pair, choices, name="an AutoRAG data set")
    check(source)
    if is_squad(source):
        return Squad(source)
    _refuse_judgements(source, choices)
    if is_table(source) and _asks(source, choices):
        return Sheet(None, source, choices, name="a table of questions with passages")
    return Documents(source, choices)


def _asks(file: Path, choices: Choices) -> bool:
    """Whether a table has a column of questions."""
    first = next(rows(file), None)
    if first is None:
        raise Place(file).wrong("it has no row", "a row for each document or question", "add them")
    names = [str(name) for name in first.values]
    wanted = {role: column for role, column in choices.columns.items() if role in ("question", "text")}
    found = columns.guessed(names, ("question",), wanted, file)
    return "question" in found and "text" not in choices.columns


def _autorag(folder: Path) -> tuple[Path, Path] | None:
    """The corpus and the questions of a folder of parquet files, by their columns; ``None`` where it has no such pair.

    Raises:
        UserError: it has several of one kind.
    """
    files = [file for file in sorted(folder.iterdir()) if kind_of(file) == ".parquet"]
    if not files:
        return None
    parquet = library("pyarrow.parquet", "a .parquet file")
    names = {file: set(parquet.read_schema(file).names) for file in files if check(file)}
    corpora = [file for file in files if {"doc_id", "contents"} <= names[file]]
    exams = [file for file in files if {"qid", "query", "retrieval_gt"} <= names[file]]
    if len(corpora) > 1 or len(exams) > 1:
        several = corpora if len(corpora) > 1 else exams
        found = f"there are several AutoRAG files of one kind: {', '.join(file.name for file in several)}"
        cure = f"name them: ragsweep corpus import {folder}/CORPUS.parquet --questions {folder}/QA.parquet --to ..."
        raise Place(folder).wrong(found, "one corpus and one qa file", cure)
    return (corpora[0], exams[0]) if corpora and exams else None


def _refuse_judgements(file: Path, choices: Choices) -> None:
    """Judgements alone are no corpus: say what goes with them, or what is wrong in them."""
    lines = list(islice(_lines(file), _SAMPLE)) if kind_of(file) in (*qrels.ENDINGS, ".run", "") else []
    widths = {len(line.split()) for line in lines}
    if kind_of(file) == ".txt" and (len(lines) < _LEAST or len(widths) > 1 or not widths <= {3, 4, 6}):
        return  # prose
    if not lines or (kind_of(file) == ".tsv" and not lines[0].lower().startswith(("query-id", "query_id", "qid"))):
        return
    qrels.read(file, grades=choices.grades, repeated=choices.repeated)
    raise Place(file).wrong(
        "these are judgements, without the documents and the queries",
        "a BEIR folder: corpus.jsonl, queries.jsonl and qrels/test.tsv",
        f"put the file there as qrels/{stem_of(file)}.tsv, and import the folder",
    )


def _lines(file: Path) -> Iterator[str]:
    return (line for line in Text.of(file).lines() if line.strip())
