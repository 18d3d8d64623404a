"""Answers and passages that were produced elsewhere, as an exam and as runs over it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmark.digest import digest
from benchmark.domain import Chunk, Completion, Document, Generator, Hit, Query, Response, Span, Step, UserError
from benchmark.importing import columns
from benchmark.importing.cells import texts_of
from benchmark.importing.exams.sheet import passage_id
from benchmark.importing.raw import stem_of
from benchmark.importing.speech import language_of
from benchmark.importing.tables import Row, rows
from benchmark.pipelines import abstained
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


def read(files: Sequence[Path], *, chosen: Mapping[str, str], language: str | None) -> Scored:
    """The exam and the answers of tables with a row for each answer, or for each passage of an answer.

    Questions are the same where their ids are, or, without ids, their texts.

    Raises:
        UserError: a file is no such table; or two files differ in what they ask under one id.
    """
    asked: dict[str, _Asked] = {}
    systems: list[Answers] = []
    for file in files:
        found, names, roles = _file(file, chosen)
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
        if not any(one.gold for one in found.values()):
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


def _file(file: Path, chosen: Mapping[str, str]) -> tuple[dict[str, _Asked], list[str], dict[str, str]]:
    table = list(rows(file))
    if not table:
        raise Place(file).wrong("it has a header and no row", "an answer on each row", "add the answers")
    names = list(dict.fromkeys(str(name) for row in table for name in row.values))
    roles = _roles(names, chosen, file)
    found: dict[str, _Asked] = {}
    by_text: dict[str, str] = {}
    for row in table:
        one = _asked(row, roles)
        if not one.question:
            raise row.place.wrong(f"the question in {row.name} is empty", "a question on each row", "write it")
        given = next(iter(texts_of(row.values.get(roles.get("id", "")), row.place, "id")), None)
        identity = given or by_text.setdefault(one.question, f"q{len(by_text) + 1:04d}")
        before = found.get(identity)
        found[identity] = one if before is None else _merged(before, one, identity, row)
    return found, names, roles


def _roles(names: list[str], chosen: Mapping[str, str], file: Path) -> dict[str, str]:
    wanted = {role: column for role, column in chosen.items() if role in _ROLES}
    roles = columns.guessed(names, (role for role in _ROLES if role != "reference_contexts"), wanted, file)
    roles = columns.guessed(names, ("reference_contexts",), roles, file)
    for role in ("question", "answer"):
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


def write(scored: Scored, folder: Path) -> dict[str, Path]:
    """Keep the exam in ``folder`` as ``imported.load`` reads it; the file of each system's answers, by its name."""
    _lines(folder / "questions.jsonl", scored.questions.values())
    _lines(folder / "documents.jsonl", ({"id": name, "text": text} for name, text in scored.passages.items()))
    files: dict[str, Path] = {}
    for system in scored.systems:
        files[system.name] = folder / f"answers-{system.name}.jsonl"
        _lines(files[system.name], (asdict(answer) for answer in system.answers))
    return files


def _lines(file: Path, objects: Iterable[Mapping[str, object]]) -> None:
    write_whole(file, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects))


# ----------------------------------------------------------------------------------------------------- as a pipeline


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """The architecture of a system that ran elsewhere: it says again what it said there."""

    path: str
    retrieves: bool

    def build(self, documents: Sequence[Document], generator: Generator) -> RecordedPipeline:
        del documents, generator  # the passages are those that the system was given, the answers are its own
        lines = Path(self.path).read_text(encoding="utf-8").splitlines()
        return RecordedPipeline({line["question"]: line for line in map(json.loads, lines)}, self.retrieves)


@dataclass(frozen=True)
class RecordedPipeline:
    """Answers by the ids of their questions."""

    answers: Mapping[str, Mapping[str, object]]
    retrieves: bool

    def answer(self, query: Query) -> Response:
        """What the file says.

        Raises:
            LookupError: it has no answer to the question, which is a failure of the system and no score of 0.
        """
        line = self.answers.get(query.id)
        if line is None or line["text"] is None:
            raise LookupError("the file has no answer to this question")
        text, contexts = str(line["text"]), line["contexts"]
        hits = tuple(map(_hit, contexts if isinstance(contexts, list) else ()))
        steps = (
            Step("retrieve", 0.0, hits=hits),
            Step("generate", 0.0, completions=(Completion(text, None, None, 0.0),)),
        )
        return Response(text, abstained(text), hits, steps if self.retrieves else steps[1:], self.retrieves)


def _hit(text: str) -> Hit:
    name = passage_id(text)
    return Hit(Chunk(f"{name}:0-{len(text)}", Span(name, 0, len(text)), text), 0.0)


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """The generator of a system that ran elsewhere: it has a name and cannot be asked."""

    name: str

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        raise NotImplementedError(f"{self.name} answered elsewhere and cannot be asked here")
