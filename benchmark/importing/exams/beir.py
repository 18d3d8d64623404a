"""A BEIR folder: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/``, gzipped or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmark.importing.documents import table
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.exams import qrels
from benchmark.importing.nouns import Asked, Choices, Exam, Gold, Unit
from benchmark.importing.raw import kind_of, stem_of
from benchmark.importing.tables import rows
from benchmark.storage.fields import Place, clean


def is_beir(folder: Path) -> bool:
    return folder.is_dir() and all(_file(folder, name) for name in ("corpus", "queries"))


def _file(folder: Path, name: str) -> Path | None:
    found = (folder / f"{name}.jsonl{ending}" for ending in ("", ".gz"))
    return next((file for file in found if file.is_file()), None)


@dataclass(frozen=True, slots=True)
class Beir:
    """The folder as a source: documents with their titles before the text, and the queries that are judged."""

    folder: Path
    choices: Choices
    name: str = "a BEIR folder"

    def units(self) -> list[Unit]:
        corpus = self._need("corpus")
        return [Unit(corpus, partial(_documents, corpus))]

    def files(self) -> list[Path]:
        return [self._need("corpus"), self._need("queries"), self._qrels()]

    def exam(self) -> Exam:
        """The queries of one split, in the order of ``queries.jsonl``, each with its judged documents."""
        judged = qrels.read(self._qrels(), grades=self.choices.grades, repeated=self.choices.repeated)
        asked: dict[str, Asked] = {}
        for row in rows(self._need("queries")):
            name, text = str(row.values.get("_id", "")), row.values.get("text")
            if name not in judged.grades:
                continue
            if not isinstance(text, str) or not text.strip():
                raise row.place.wrong(f"the query {name!r} has no text", 'lines {"_id": ..., "text": ...}', "add it")
            if name in asked:
                raise row.place.wrong(f"the query id {name!r} is there twice", "an id of its own", "rename one")
            gold = tuple(Gold(document, grade) for document, grade in judged.grades[name].items())
            asked[name] = Asked(name, clean(text).strip(), Place(self._qrels(), judged.lines[name]), evidence=gold)
        strangers = [name for name in judged.grades if name not in asked]
        if strangers:
            raise Place(self._qrels(), judged.lines[strangers[0]]).wrong(
                f"the query {strangers[0]!r} is not in queries.jsonl (nor are {len(strangers) - 1} more)",
                "judgements on queries that are there",
                "give the queries that the judgements belong to",
            )
        empty = [name for name, one in asked.items() if not one.evidence]
        notes = [*judged.notes]
        if empty:
            notes.append(f"{len(empty)} queries without a relevant document are not asked, such as {empty[0]}")
        return Exam(tuple(one for one in asked.values() if one.evidence), tuple(notes))

    def _need(self, name: str) -> Path:
        file = _file(self.folder, name)
        if file is None:
            wanted = "corpus.jsonl, queries.jsonl and qrels/test.tsv, each also as .gz"
            raise Place(self.folder).wrong(f"there is no {name}.jsonl", wanted, "add it")
        return file

    def _qrels(self) -> Path:
        folder = self.folder / "qrels" if (self.folder / "qrels").is_dir() else self.folder
        files = {stem_of(file): file for file in sorted(folder.iterdir()) if kind_of(file) in qrels.ENDINGS}
        wanted = self.choices.split or ("test" if "test" in files else next(iter(files), "") if len(files) == 1 else "")
        if wanted not in files:
            found = f"of the judgements there are {', '.join(files) or 'none'}"
            if self.choices.split:
                found += f", and not {self.choices.split}"
            cure = "say which with --split NAME" if files else "add qrels/test.tsv"
            raise Place(folder).wrong(found, "one file of judgements", cure)
        return files[wanted]


def _documents(file: Path, skip: int) -> Iterator[Piece]:
    """The lines of ``corpus.jsonl``."""
    return table.read(file, skip=skip, chosen={})
