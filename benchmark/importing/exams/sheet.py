"""Questions in a table: people's own spreadsheets, and the forms of ragas, RAGChecker and AutoRAG."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import Document
from benchmark.importing import columns, documents
from benchmark.importing.cells import texts_of
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.exams.grades import Scale, scale
from benchmark.importing.nouns import Asked, Choices, Exam, Gold, Unit
from benchmark.importing.raw import stem_of
from benchmark.importing.tables import Row, about, rows
from benchmark.storage.fields import Place, clean

ROLES = (
    *("id", "question", "reference", "answer", "documents", "quote", "reference_contexts", "contexts", "answerable"),
    *("tags", "difficulty", "tenant", "grade"),
)
_GRADE = 3
_YES, _NO = ("true", "1", "yes", "y", "si", "sí", "ja", "oui", "sim", "vero"), ("false", "0", "no", "n", "nein", "non")


@dataclass(frozen=True)
class Sheet:
    """A table of questions over the documents of ``source``, or over the passages that the table has itself."""

    source: Path | None
    file: Path
    choices: Choices
    name: str = "documents and a table of questions"

    def units(self) -> list[Unit]:
        if self.source is None:
            return [Unit(self.file, self._passages)]
        known = [file for file in documents.files_of(self.source)[0] if file.resolve() != self.file.resolve()]
        return [unit_of(file, self.source, self.choices) for file in known]

    def files(self) -> list[Path]:
        return [*({unit.file: None for unit in self.units()}), *([self.file] if self.source is not None else [])]

    def exam(self) -> Exam:
        """The questions; rows of one id and question are one question with the gold of all of them.

        Raises:
            UserError: there is no question column, or nothing to hold an answer against.
        """
        asked: dict[str, Asked] = {}
        several, merged = 0, 0
        meaning = self._scale
        for number, row in enumerate(self._rows, start=1):
            one, references = self._asked(row, number)
            several += references > 1
            before = asked.get(one.id)
            if before is None:
                asked[one.id] = one
            elif before.question == one.question:
                asked[one.id] = replace(before, evidence=(*before.evidence, *one.evidence))
                merged += 1
            else:
                found = f"the id {one.id!r} was used before for another question, in {self._where(before)}"
                raise row.place.wrong(found, "an id of its own for each question", "rename one of the two")
        notes = [f"{self.file.name}: {columns.shown(self._columns, self._names)}"]
        written = about(self.file)
        notes += [f"{self.file.name}: read with {written}"] if written else []
        notes += [f"{self.file.name}: {merged} rows repeat a question; their gold is put together"] if merged else []
        if several:
            notes.append(f"{self.file.name}: {several} questions have several references; the first of each is taken")
        if meaning:
            notes.append(f"{self.file.name}: {meaning.note}")
        return Exam(tuple(asked.values()), tuple(notes))

    def _where(self, asked: Asked) -> str:
        return f"line {asked.place.line}" if asked.place.line else self.file.name

    @cached_property
    def _rows(self) -> list[Row]:
        found = list(rows(self.file))
        if not found:
            raise Place(self.file).wrong("it has a header and no row", "a question on each row", "add questions")
        return found

    @cached_property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(str(name) for row in self._rows for name in row.values))

    @cached_property
    def _columns(self) -> dict[str, str]:
        wanted = {role: column for role, column in self.choices.columns.items() if role in ROLES}
        found = columns.guessed(self._names, ROLES, wanted, self.file)
        if "grade" in found and "documents" not in found:
            del found["grade"]  # such as a score of the answer
        place = Place(self.file, 1)
        there = ", ".join(repr(name) for name in self._names)
        if "question" not in found:
            cure = "say it: --columns question=COLUMN"
            raise place.wrong(f"no column of {there} is known to be the question", "a column named question", cure)
        answer = found.pop("answer", None)
        if answer is not None and columns.plain(answer) not in columns.WRITTEN:
            # A system's answers: what stands beside them is what it retrieved, and no gold.
            if columns.plain(found.get("reference_contexts", "")) in ("context", "passage"):
                del found["reference_contexts"]
        elif answer is not None:
            found.setdefault("reference", answer)
        if not {"reference", "documents", "quote", "reference_contexts", "answerable"} & set(found):
            raise place.wrong(
                f"no column of {there} is known to be the reference or the evidence: there is nothing to score by",
                "a column named reference, ground_truth, answer, contexts, document or quote",
                "say it: --columns reference=COLUMN"
                + (f". Answers that a system gave are scored by: ragsweep score {self.file.name}" if answer else ""),
            )
        return found

    def _texts(self, row: Row, role: str) -> tuple[str, ...]:
        column = self._columns.get(role)
        return () if column is None else texts_of(row.values.get(column), row.place, column)

    def _asked(self, row: Row, number: int) -> tuple[Asked, int]:
        question = " ".join(self._texts(row, "question")).strip()
        if not question:
            raise row.place.wrong(
                f"the question in {row.name} is empty", "a question on each row", "write it or delete it"
            )
        references = [clean(text) for text in self._texts(row, "reference")]
        identity = next(iter(self._texts(row, "id")), f"{stem_of(self.file)}-{number:04d}")
        asked = Asked(
            clean(identity),
            clean(question),
            row.place,
            references[0] if references else None,
            self._answerable(row),
            (),
            tuple(self._texts(row, "tags")),
            next(iter(self._texts(row, "difficulty")), None),
            next(iter(self._texts(row, "tenant")), None),
        )
        gold = tuple(self._gold(row)) if asked.answerable else ()
        return replace(asked, evidence=gold), len(references)

    def _answerable(self, row: Row) -> bool:
        value = next(iter(self._texts(row, "answerable")), "true").lower()
        if value not in (*_YES, *_NO):
            column = self._columns["answerable"]
            raise row.place.wrong(f"{column!r} is {value!r} in {row.name}", "true or false", "correct it")
        return value in _YES

    @cached_property
    def _scale(self) -> Scale | None:
        """What the grades of the table mean; ``None`` where it has none."""
        if "grade" not in self._columns:
            return None
        found = [text for row in self._rows for text in self._texts(row, "grade")]
        return scale(found, self.choices.grades, Place(self.file))

    def _gold(self, row: Row) -> Iterator[Gold]:
        graded = self._texts(row, "grade")
        grade = self._scale.grades[graded[0]] if self._scale and graded else _GRADE
        names, quotes = self._texts(row, "documents"), self._texts(row, "quote")
        if grade <= 0:
            return
        if quotes and len(names) <= 1:
            yield from (Gold(names[0] if names else None, grade, None, clean(quote)) for quote in quotes)
            return
        yield from (Gold(clean(name), grade) for name in names)
        if names:
            return
        for text in self._texts(row, "reference_contexts"):
            made_here = self.source is None
            yield Gold(passage_id(text), grade) if made_here else Gold(None, grade, None, clean(text))

    def _passages(self, skip: int) -> Iterator[Piece]:
        """Every passage of the table once, as a document."""
        found: dict[str, tuple[str, Row]] = {}
        for row in self._rows:
            for role in ("reference_contexts", "contexts"):
                for text in self._texts(row, role):
                    found.setdefault(passage_id(text), (clean(text), row))
        if not found:
            raise Place(self.file).wrong(
                "it has questions and no passages, so that there is nothing to search",
                "documents beside it",
                f"give them: ragsweep corpus import DOCUMENTS --questions {self.file.name} --to corpora/NAME",
            )
        for number, (name, (text, row)) in enumerate(islice(found.items(), skip, None), start=skip + 1):
            yield Piece(Document(name, text, "", {"source": self.file.name}), row.place, number / len(found))


def passage_id(text: str) -> str:
    """The id of a passage that has none: by its text."""
    return f"passage-{digest(clean(text))[:12]}"


def unit_of(file: Path, source: Path, choices: Choices) -> Unit:
    """A file of documents as a unit."""

    def read(skip: int) -> Iterator[Piece]:
        return documents.read(file, source, skip=skip, chosen=choices.columns)

    return Unit(file, read)
