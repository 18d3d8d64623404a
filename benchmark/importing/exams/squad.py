"""SQuAD and XQuAD json: paragraphs as documents, and questions whose answers are spans of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

from benchmark.domain import Document
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.nouns import Asked, Exam, Gold, Unit
from benchmark.importing.raw import kind_of, whole
from benchmark.importing.tables import loads
from benchmark.storage.fields import Place, clean

_GRADE = 3

Json = Mapping[str, object]


def is_squad(file: Path) -> bool:
    """Whether a .json file begins as SQuAD's do."""
    if not file.is_file() or kind_of(file) != ".json":
        return False
    begin = whole(file)[:20_000] if file.stat().st_size < 1 << 29 else ""
    return '"paragraphs"' in begin and '"data"' in begin


@dataclass(frozen=True, slots=True)
class Squad:
    """The file as a source. The first answer is the reference and its span the evidence, exactly as they are."""

    file: Path
    name: str = "a SQuAD json"

    def units(self) -> list[Unit]:
        return [Unit(self.file, partial(_pieces, self.file))]

    def files(self) -> list[Path]:
        return [self.file]

    def exam(self) -> Exam:
        found: list[Asked] = []
        shifted = 0
        for identity, _, paragraph in _paragraphs(self.file):
            context = str(paragraph["context"])
            for item in _list(paragraph, "qas", self.file):
                asked, was_shifted = _asked(item, identity, context, self.file)
                found.append(asked)
                shifted += was_shifted
        twice = {asked.id for asked in found}
        if len(twice) < len(found):
            name = next(a.id for n, a in enumerate(found) if a.id in {b.id for b in found[:n]})
            raise Place(self.file).wrong(f"the question id {name!r} is there twice", "an id of its own", "rename one")
        unanswerable = sum(not asked.answerable for asked in found)
        notes = [
            f"{len(found)} questions, {unanswerable} of them unanswerable; the first answer of each is its reference"
        ]
        if shifted:
            notes.append(f"{shifted} answers stood elsewhere than answer_start says, and were found nearby")
        return Exam(tuple(found), tuple(notes))


def _paragraphs(file: Path) -> Iterator[tuple[str, str, Json]]:
    """Id, title and fields of each paragraph."""
    value = loads(whole(file), Place(file))
    articles = _list(cast(Json, value), "data", file) if isinstance(value, dict) else []
    for number, article in enumerate(articles):
        for place, paragraph in enumerate(_list(article, "paragraphs", file)):
            if not isinstance(paragraph.get("context"), str):
                found = f"paragraph {place} of article {number} has no context"
                raise Place(file).wrong(found, '"context": "..."', "add it, or take the paragraph out")
            yield f"a{number:03d}p{place:03d}", str(article.get("title", "")), paragraph


def _list(fields: Json, name: str, file: Path) -> list[Json]:
    value = fields.get(name)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Place(file).wrong(f"it has no list {name!r} of objects", "SQuAD's form", "download it again")
    return value


def _pieces(file: Path, skip: int) -> Iterator[Piece]:
    everything = list(_paragraphs(file))
    for number, (identity, title, paragraph) in enumerate(islice(everything, skip, None), start=skip + 1):
        document = Document(identity, clean(str(paragraph["context"])), clean(title), {"source": file.name})
        yield Piece(document, Place(file), number / len(everything))


def _asked(item: Json, identity: str, context: str, file: Path) -> tuple[Asked, bool]:
    name, text = str(item.get("id", "")), item.get("question")
    if not name or not isinstance(text, str) or not text.strip():
        raise Place(file).wrong(f"a question of {identity} has no id or no text", "both", "add what is missing")
    impossible = bool(item.get("is_impossible", False))
    answers = [] if impossible else _list(item, "answers", file)
    asked = Asked(name, clean(text).strip(), Place(file), answerable=not impossible)
    if not answers:
        return asked, False
    answer = str(answers[0].get("text", ""))
    start = answers[0].get("answer_start")
    start = start if isinstance(start, int) else -1
    # Offsets count characters of the file's own text; the corpus's is NFC with \n line ends.
    place = len(clean(context[: max(0, start)]))
    quote, text = clean(answer), clean(context)
    is_there = start >= 0 and text.startswith(quote, place)
    if not is_there:
        place = min(_places(text, quote), key=lambda one: abs(one - place), default=-1)
    evidence = (Gold(identity, _GRADE, place if place >= 0 else None, quote),)
    return Asked(name, asked.question, asked.place, quote, True, evidence), not is_there


def _places(text: str, quote: str) -> Iterator[int]:
    place = text.find(quote)
    while quote and place >= 0:
        yield place
        place = text.find(quote, place + 1)
