"""Relevance judgements (qrels) in the forms of BEIR, TREC and their relatives, gzipped or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.importing.exams.grades import scale
from benchmark.importing.raw import Text, check
from benchmark.storage.fields import Place, shown

ENDINGS = (".tsv", ".trec", ".qrels", ".qrel", ".rel", ".txt")
_REPEATED = ("highest", "lowest", "first", "last")
_HEADER = re.compile(r"(query|question|topic|q)[-_ ]?id", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One line: a query, a document, the grade as it is written, and where it stands."""

    query: str
    document: str
    grade: str
    line: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Grades above 0 by query and document in the order of the file, the line of each query, and notes."""

    grades: Mapping[str, Mapping[str, int]]
    lines: Mapping[str, int]
    notes: tuple[str, ...]


def read(file: Path, *, grades: str | None, repeated: str | None) -> Judged:
    """The judgements of a file; queries whose grades are all 0 are among them, without documents.

    Raises:
        UserError: the columns are none of the known forms, the grades have to be said, or one pair has two grades.
    """
    found, form = _judgements(file)
    meaning = scale((one.grade for one in found), grades, Place(file))
    notes = [f"{file.name}: {form}, {len(found)} judgements", f"{file.name}: {meaning.note}"]
    kept: dict[tuple[str, str], Judgement] = {}
    again = 0
    for one in found:
        key = one.query, one.document
        before = kept.get(key)
        if before is None:
            kept[key] = one
            continue
        again += 1
        if before.grade != one.grade:
            kept[key] = _choice(before, one, repeated, meaning.grades, file)
    if again:
        differing = f"; where grades differ the {repeated} is taken" if repeated else ""
        notes.append(f"{file.name}: {again} judgements are there twice and count once{differing}")
    by_query: dict[str, dict[str, int]] = {}
    lines: dict[str, int] = {}
    for (query, document), one in kept.items():
        lines.setdefault(query, one.line)
        positive = by_query.setdefault(query, {})
        if meaning.grades[one.grade] > 0:
            positive[document] = meaning.grades[one.grade]
    return Judged(by_query, lines, tuple(notes))


def _choice(
    before: Judgement, now: Judgement, repeated: str | None, grades: Mapping[str, int], file: Path
) -> Judgement:
    if repeated is None:
        found = (
            f"the query {now.query!r} has the document {now.document!r} as {now.grade!r} here and as "
            f"{before.grade!r} on line {before.line}"
        )
        cure = f"say which counts: --repeated {'|'.join(_REPEATED)}"
        raise Place(file, now.line).wrong(found, "one grade for each query and document", cure)
    if repeated in ("first", "last"):
        return before if repeated == "first" else now
    higher, lower = sorted((before, now), key=lambda one: -grades[one.grade])
    return higher if repeated == "highest" else lower


def _judgements(file: Path) -> tuple[list[Judgement], str]:
    check(file)
    text = Text.of(file)
    lines = [(text.line, line.strip()) for line in text.lines() if line.strip()]
    # Some mix tabs and blanks, and some have blanks inside their ids: what cuts every line alike is right.
    by_blanks = len({len(line.split()) for _, line in lines}) == 1 or not all("\t" in line for _, line in lines)
    rows = [(n, [cell.strip() for cell in (line.split() if by_blanks else line.split("\t"))]) for n, line in lines]
    header = rows[0][1] if _HEADER.fullmatch(rows[0][1][0]) else None
    rows = rows[1:] if header else rows
    if not rows:
        raise Place(file).wrong("there is a header and no judgement", "one judgement on each line", "download it again")
    columns, form = _columns(rows, header, Place(file, rows[0][0]))
    width = len(rows[0][1])
    found = []
    for number, cells in rows:
        if len(cells) != width:
            raise Place(file, number).wrong(
                f"the line has {len(cells)} columns and the first {width}: {shown(' '.join(cells)[:60])}",
                f"the form of the first line, {form}",
                "mend the line",
            )
        query, document, grade = (cells[column] for column in columns)
        found.append(Judgement(query, document, _canonical(grade), number))
    return found, form


def _columns(rows: Sequence[tuple[int, list[str]]], header: list[str] | None, place: Place) -> tuple[list[int], str]:
    """Where query, document and grade stand, and what the form is called."""
    cells = [row for _, row in rows]
    width = len(cells[0])
    if width == 6 and all(len(row) == 6 for row in cells[:5]):
        raise place.wrong(
            "this is a run of a retriever (query Q0 document rank score name), not judgements",
            "qrels: query, document and grade",
            "give the qrels; a run has no gold in it",
        )
    column = [{row[n] for row in cells if len(row) == width} for n in range(width)]
    if width == 4:
        if column[1] <= {"0", "Q0", "q0", "1"} and len(column[1]) == 1:
            return [0, 2, 3], "TREC (query, iteration, document, grade)"
        if column[2] == {"0"}:
            return [0, 1, 3], "SMART (query, document, 0, grade)"
    if width == 3:
        # A grade has few values and a document many; where neither has, numbers at the end are grades.
        middle = header is None and not _numbers(column[2]) and len(column[1]) < len(column[2])
        form = "BEIR (query-id, corpus-id, score)" if header else "query, document, grade"
        return ([0, 2, 1], "query, grade, document") if middle else ([0, 1, 2], form)
    raise place.wrong(
        f"the line has {width} columns: {shown(' '.join(cells[0])[:60])}",
        "qrels: query, document, grade (BEIR, tab-separated, or TREC: query 0 document grade)",
        "write it in one of these forms",
    )


def _numbers(values: Iterable[str]) -> bool:
    return all(re.fullmatch(r"-?\d+(?:\.\d+)?", value) for value in values)


def _canonical(grade: str) -> str:
    """A whole number without the zeros behind its point.

    >>> _canonical("0.000000"), _canonical("1.5"), _canonical("2-Related")
    ('0', '1.5', '2-Related')
    """
    return re.sub(r"^(-?\d+)\.0+$", r"\1", grade)
