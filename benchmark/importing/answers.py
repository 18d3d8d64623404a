"""Answers and passages that were produced elsewhere, as an exam and as the answers to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import UserError
from benchmark.importing import columns
from benchmark.importing.cells import texts_of
from benchmark.importing.exams.sheet import passage_id
from benchmark.importing.raw import stem_of
from benchmark.importing.speech import language_of
from benchmark.importing.tables import Row, rows
from benchmark.storage import languages
from benchmark.storage.fields import Place, clean, shown
from benchmark.storage.runs import write_whole

_ROLES = ("id", "question", "reference", "answer", "contexts", "reference_contexts")
_GRADE = 3
_NO_GOLD = (
    "no column says which passages answer (reference_contexts): neither retrieval nor where questions were "
    "lost is measured"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system said to one question: the answer, or none, and the passages that it was given, best first."""

    question: str
    text: str | None
    contexts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one file; ``retrieves`` is false where it has no column of passages."""

    name: str
    answers: tuple[Answer, ...]
    retrieves: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """The exam that the files share, its passages, and the answers of each file."""

    questions: Mapping[str, Mapping[str, object]]
    passages: Mapping[str, str]
    systems: tuple[Answers, ...]
    language: str

    @property
    def digest(self) -> str:
        """Of all that the files say."""
        said = [[system.name, [asdict(answer) for answer in system.answers]] for system in self.systems]
        return digest([dict(line) for line in self.questions.values()], dict(self.passages), said)

    @property
    def k(self) -> int:
        """The most passages that an answer was given."""
        return max([1, *(len(answer.contexts) for system in self.systems for answer in system.answers)])


@dataclass(slots=True)
class _Asked:
    """A question as the rows of a file make it up."""

    place: Place
    question: str
    answer: str | None = None
    reference: str | None = None
    contexts: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()


def read(files: Sequence[Path], *, chosen: Mapping[str, str], language: str | None, by_id: bool = False) -> Scored:
    """The exam and the answers of tables with a row for each answer, or for each passage of an answer.

    Questions are the same where their ids are, or, without ids, their texts. ``by_id``: the texts may be left out.

    Raises:
        UserError: a file is no such table; or two files differ in what they ask under one id.
    """
    asked: dict[str, _Asked] = {}
    systems: list[Answers] = []
    for file in files:
        found, names, roles = _file(file, chosen, by_id=by_id)
        for identity, one in found.items():
            known = asked.setdefault(identity, one)
            if known.question != one.question:
                raise one.place.wrong(
                    f"the question {identity!r} is {shown(one.question)}, and {shown(known.question)} in "
                    f"{known.place.file.name}",
                    "the same exam in every file",
                    "score them apart, or correct the ids",
                )
            asked[identity] = replace(known, reference=known.reference or one.reference, gold=known.gold or one.gold)
        answers = tuple(Answer(identity, one.answer, one.contexts) for identity, one in found.items())
        notes = [f"{file.name}: {columns.shown(roles, names)}"]
        if not by_id and not any(one.gold for one in found.values()):
            notes.append(f"{file.name}: {_NO_GOLD}")
        systems.append(Answers(stem_of(file), answers, "contexts" in roles, tuple(notes)))
    text = " ".join(f"{one.question} {one.reference or one.answer or ''}" for one in asked.values())
    spoken = language or language_of(text)
    if spoken is None:
        raise UserError("the language of the questions is not plain.\n    to do:  say it, such as --language es")
    given = [text for system in systems for answer in system.answers for text in answer.contexts]
    gold = [text for one in asked.values() for text in one.gold]
    passages = {passage_id(text): text for text in (*given, *gold)}
    questions = {
        identity: _line(identity, one, languages.known(spoken, "the questions")) for identity, one in asked.items()
    }
    return Scored(questions, passages, tuple(systems), spoken)


def _line(identity: str, one: _Asked, language: str) -> dict[str, object]:
    evidence = [{"document": passage_id(text), "quote": None, "grade": _GRADE} for text in dict.fromkeys(one.gold)]
    line = {"id": identity, "question": one.question, "reference": one.reference}
    return {**line, "language": language, "evidence": evidence}


def _file(file: Path, chosen: Mapping[str, str], *, by_id: bool) -> tuple[dict[str, _Asked], list[str], dict[str, str]]:
    table = list(rows(file))
    if not table:
        raise Place(file).wrong("it has a header and no row", "an answer on each row", "add the answers")
    names = list(dict.fromkeys(str(name) for row in table for name in row.values))
    roles = _roles(names, chosen, file, by_id=by_id)
    found: dict[str, _Asked] = {}
    by_text: dict[str, str] = {}
    for row in table:
        one = _asked(row, roles)
        given = next(iter(texts_of(row.values.get(roles.get("id", "")), row.place, "id")), None)
        if not one.question and not (by_id and given):
            raise row.place.wrong(f"the question in {row.name} is empty", "a question on each row", "write it")
        identity = given or by_text.setdefault(one.question, f"q{len(by_text) + 1:04d}")
        before = found.get(identity)
        found[identity] = one if before is None else _merged(before, one, identity, row)
    return found, names, roles


def _roles(names: list[str], chosen: Mapping[str, str], file: Path, *, by_id: bool) -> dict[str, str]:
    wanted = {role: column for role, column in chosen.items() if role in _ROLES}
    roles = columns.guessed(names, (role for role in _ROLES if role != "reference_contexts"), wanted, file)
    roles = columns.guessed(names, ("reference_contexts",), roles, file)
    for role in ("answer",) if by_id and "id" in roles else ("question", "answer"):
        if role not in roles:
            there = ", ".join(repr(name) for name in names)
            found = f"no column of {there} is known to be the {role}"
            raise Place(file, 1).wrong(found, f"a column named {role}", f"say it: --columns {role}=COLUMN")
    return roles


def _asked(row: Row, roles: Mapping[str, str]) -> _Asked:
    def texts(role: str) -> tuple[str, ...]:
        column = roles.get(role)
        return () if column is None else tuple(map(clean, texts_of(row.values.get(column), row.place, column)))

    answer = row.values.get(roles["answer"])
    text = answer if isinstance(answer, str) and answer.strip() else next(iter(texts("answer")), None)
    return _Asked(
        place=row.place,
        question=" ".join(texts("question")).strip(),
        answer=None if text is None else clean(text).strip(),
        reference=next(iter(texts("reference")), None),
        contexts=texts("contexts"),
        gold=texts("reference_contexts"),
    )


def _merged(before: _Asked, one: _Asked, identity: str, row: Row) -> _Asked:
    """Rows of one question: each adds its passages to the one answer."""
    if before.question != one.question or (one.answer and before.answer and one.answer != before.answer):
        what = "question" if before.question != one.question else "answer"
        found = f"{row.name} has another {what} to {identity!r} than a row before it"
        raise row.place.wrong(
            found,
            "one answer of a system to each question",
            "put each system, and each repetition, into a file of its own",
        )
    return replace(
        before,
        answer=before.answer or one.answer,
        reference=before.reference or one.reference,
        contexts=tuple(dict.fromkeys((*before.contexts, *one.contexts))),
        gold=tuple(dict.fromkeys((*before.gold, *one.gold))),
    )


# --------------------------------------------------------------------------------------------------------- on disk


def write_exam(scored: Scored, folder: Path) -> None:
    """Keep the exam in ``folder`` as ``imported.load`` reads it."""
    _lines(folder / "questions.jsonl", scored.questions.values())
    _lines(folder / "documents.jsonl", ({"id": name, "text": text} for name, text in scored.passages.items()))


def write_answers(scored: Scored, folder: Path) -> dict[str, Path]:
    """Keep the answers as ``bridges.recorded`` reads them; the file of each system, by its name."""
    files: dict[str, Path] = {}
    for system in scored.systems:
        files[system.name] = folder / f"answers-{system.name}.jsonl"
        _lines(files[system.name], map(_kept, system.answers))
    return files


def _kept(answer: Answer) -> dict[str, object]:
    contexts = [{"document": passage_id(text), "text": text} for text in answer.contexts]
    return {"question": answer.question, "text": answer.text, "contexts": contexts}


def _lines(file: Path, objects: Iterable[Mapping[str, object]]) -> None:
    write_whole(file, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))
