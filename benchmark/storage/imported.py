"""Runs that another program made, read from one JSON file and kept as records beside our own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmark.digest import digest
from benchmark.domain import (
    Cause,
    Chunk,
    Completion,
    Corpus,
    Document,
    Failure,
    Hit,
    Question,
    Record,
    Response,
    Role,
    Rulings,
    Score,
    Span,
    Step,
    UserError,
    role_of,
)
from benchmark.storage import languages
from benchmark.storage.corpora import Exam, digest_of, load_documents
from benchmark.storage.fields import Fields, Place, read_text, shown, value_of
from benchmark.storage.record_lines import to_line
from benchmark.storage.runs import RunFolder, summary, write_whole
from benchmark.storage.sweeps import SweptRun, write_sweep
from benchmark.storage.tracked_values import number

_FILE = ("name", "language", "questions", "runs")
_QUESTION = ("id", "question", "reference", "answerable", "tags", "difficulty")
_RUN = ("architecture", "generator", "judge", "k", "knobs", "yardstick", "answers")
_ANSWER = (
    *("question", "answer", "abstained", "context", "scores", "seconds", "prompt_tokens", "completion_tokens"),
    *("money", "failure"),
)
_COSTS = ("seconds", "prompt_tokens", "completion_tokens", "money")
_WHY = "as the imported file says"


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """One run of the file: how it is called, and its records over the file's corpus."""

    architecture: str
    generator: str
    judge: str
    k: int
    knobs: Mapping[str, object]
    role: Role
    records: tuple[Record, ...]

    @property
    def fingerprint(self) -> str:
        lines = [to_line(record, "") for record in self.records]
        return digest(self.architecture, self.generator, self.judge, self.k, dict(self.knobs), lines)[:16]


@dataclass(frozen=True, slots=True)
class Imported:
    """A file's exam and runs. ``corpus.documents`` are the passages that answers were given, each a document."""

    corpus: Corpus
    lines: tuple[str, ...]
    runs: tuple[ImportedRun, ...]


def read(file: Path, *, name: str | None, language: str | None, abstained: Callable[[str], bool]) -> Imported:
    """The runs of a file in the form of ``docs/importing.md``, or in that of a published study.

    ``name`` and ``language`` win over the file's; ``abstained`` says whether an answer does, where the file does not.

    Raises:
        UserError: the file is in neither form; the message names the place and the cure.
    """
    if not file.is_file():
        raise UserError(f"there is no file {file}.\n    wanted: runs in the form that docs/importing.md describes")
    place = Place(file)
    whole = value_of(place, read_text(file))
    if isinstance(whole, dict) and "question_by_question" in whole:
        whole = dict(_of_study(whole["question_by_question"], file))
    fields = Fields.of(whole, place, "the file", known=_FILE)
    if language is None and "language" not in fields.values:
        raise fields.wrong("language", "that of the questions, such as es, here or as --language es")
    spoken = languages.known(language or fields.text("language"), "the questions")
    called = name or fields.identity("name")
    if called != Path(called).name or called in ("..", "latest"):
        raise fields.wrong("name", "a plain name for a folder, other than latest")
    lines = tuple(
        _question_line(Fields.of(one, place, "a question", known=_QUESTION)) for one in fields.items("questions")
    )
    given = [Fields.of(one, place, "a run", known=_RUN) for one in fields.items("runs")]
    if not lines or not given:
        raise place.wrong("it has no questions or no runs", "at least one of each", "add what is missing")
    documents = tuple(_documents(given, place))
    questions = _questions(lines, place, spoken)
    corpus = Corpus(
        called, documents, tuple(questions.values()), spoken, digest_of(documents, list(questions.values()))
    )
    return Imported(corpus, lines, tuple(_run(one, questions, abstained) for one in given))


def _question_line(fields: Fields) -> str:
    return json.dumps(fields.values, ensure_ascii=False)


def _questions(lines: tuple[str, ...], place: Place, language: str) -> dict[str, Question]:
    exam = Exam({}, language, None)
    questions: dict[str, Question] = {}
    for line in lines:
        question = exam.question(place, json.loads(line))
        if question.id in questions:
            raise place.wrong(f"the question id {question.id!r} is there twice", "an id of its own", "rename one")
        questions[question.id] = question
    return questions


def _documents(runs: list[Fields], place: Place) -> Iterator[Document]:
    """Every passage that an answer was given, once, in the order in which they are met."""
    known = set[str]()
    for run in runs:
        for answer in run.items("answers"):
            for text in Fields.of(answer, place, "an answer", known=_ANSWER).texts("context"):
                if (name := _passage_id(text)) not in known:
                    known.add(name)
                    yield Document(name, text)


def _passage_id(text: str) -> str:
    return f"passage-{digest(text)[:12]}"


def _run(fields: Fields, questions: Mapping[str, Question], abstained: Callable[[str], bool]) -> ImportedRun:
    what = f"the run {fields.identity('architecture')} of {fields.identity('generator')}"
    k = fields.values.get("k", 1)
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise fields.wrong("k", "how many passages were read, an integer above 0")
    answers: dict[str, Record] = {}
    for item in fields.items("answers"):
        answer = Fields.of(item, fields.place, f"an answer of {what}", known=_ANSWER)
        question = questions.get(answer.identity("question"))
        if question is None:
            raise answer.wrong("question", f"the id of one of the {len(questions)} questions")
        if question.id in answers:
            raise answer.wrong("question", "one answer to each question; this one has two")
        answers[question.id] = _record(answer, question, abstained)
    records = tuple(answers[name] for name in questions if name in answers)
    judge = fields.optional_text("judge") or "unknown"
    role = role_of(fields.values.get("yardstick", False))
    if role is None:
        raise fields.wrong("yardstick", "true or false, or which bound it is: floor or ceiling")
    names = fields.identity("architecture"), fields.identity("generator")
    return ImportedRun(*names, judge, k, fields.mapping("knobs"), role, records)


def _record(fields: Fields, question: Question, abstained: Callable[[str], bool]) -> Record:
    costs = {name: _number(fields, name, fields.values.get(name)) for name in _COSTS}
    scores = {key: _number(fields, key, value) for key, value in fields.mapping("scores").items()}
    scores |= {f"cost/{name}": value for name, value in costs.items() if name in fields.values}
    told = {
        key: Score(value, _WHY if value is not None else "not measured in the imported file")
        for key, value in scores.items()
    }
    failure = fields.optional_text("failure")
    if failure is not None:
        return Record(question, None, Rulings(), told, Cause.FAILED, Failure("answer", "Imported", failure))
    answer = fields.values.get("answer")
    if not isinstance(answer, str):
        raise fields.wrong("answer", "the text of the answer, or the field failure with what went wrong")
    seconds = costs["seconds"] or 0.0
    written = Completion(
        answer,
        _whole(costs["prompt_tokens"]),
        _whole(costs["completion_tokens"]),
        seconds,
        money=costs["money"],
    )
    response = Response(
        answer,
        fields.boolean("abstained", default=abstained(answer)),
        tuple(_hit(text) for text in fields.texts("context")),
        (Step("answer", seconds, completions=(written,)),),
    )
    return Record(question, response, Rulings(), told, Cause.NOT_JUDGED)


def _number(fields: Fields, name: str, value: object) -> float | None:
    found = number(value)
    if value is not None and found is None:
        found_there = f"{fields.what} has {shown(value)} as {name!r}"
        raise fields.place.wrong(found_there, "a finite number, or null for not measured", "correct it")
    return found


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _hit(text: str) -> Hit:
    name = _passage_id(text)
    return Hit(Chunk(name, Span(name, 0, len(text)), text), 0.0)


def _of_study(asked: Any, file: Path) -> Iterator[tuple[str, object]]:
    """A study's file in our form: ``question_by_question``, each with ``rag_results`` by architecture and model.

    Its cost of 0 is of models whose price it did not know.
    """
    runs: dict[tuple[str, str], list[object]] = {}
    questions = []
    try:
        for one in asked:
            name = f"q{int(one['question_id']):02d}"
            questions.append({"id": name, "question": one["question"], "reference": one["ground_truth"]})
            for architecture, models in one["rag_results"].items():
                for model, result in models.items():
                    spent = result["performance"]
                    answer = {
                        "question": name,
                        "answer": result["answer"],
                        "scores": {f"ragas/{metric}": value for metric, value in result["metrics"].items()},
                        "seconds": spent["execution_time"],
                        "prompt_tokens": spent["input_tokens"],
                        "completion_tokens": spent["output_tokens"],
                        "money": spent["total_cost"] or None,
                    }
                    runs.setdefault((architecture, model), []).append(answer)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = f"question_by_question is not as expected ({type(error).__name__}: {error})"
        raise Place(file).wrong(found, "the form of docs/importing.md", "write the runs in that form") from None
    yield "name", file.stem
    yield "questions", questions
    yield (
        "runs",
        [
            {"architecture": architecture, "generator": model, "judge": "ragas", "answers": answers}
            for (architecture, model), answers in runs.items()
        ],
    )


# ---------------------------------------------------------------------------------------------------------- on disk


def write(imported: Imported, results: Path, *, settings: Mapping[str, object]) -> tuple[RunFolder, ...]:
    """Keep a file's exam below ``results/imported`` and its runs as runs and as a sweep of the exam's name.

    ``settings``: what else ``compare`` reads of a configuration (``seed``, ``diagnosis``). Once more changes nothing.
    """
    corpus = imported.corpus
    exam = results / "imported" / corpus.name
    write_whole(exam / "questions.jsonl", "".join(f"{line}\n" for line in imported.lines))
    passages = [json.dumps({"id": one.id, "text": one.text}, ensure_ascii=False) + "\n" for one in corpus.documents]
    write_whole(exam / "documents.jsonl", "".join(passages))
    target = f"{load.__module__}.{load.__name__}"
    node = {"_target_": target, "path": str(exam), "name": corpus.name, "language": corpus.language}
    return tuple(_write(run, corpus, node, results, settings) for run in imported.runs)


def name_sweep(folders: tuple[RunFolder, ...], results: Path, imported: Imported) -> None:
    """List the runs as a sweep, so that ``compare NAME`` finds them."""
    asked = tuple(question.id for question in imported.corpus.questions)
    swept = [SweptRun(folder.path.relative_to(results).as_posix(), asked) for folder in folders]
    write_sweep(results, imported.corpus.name, swept)


def _write(
    run: ImportedRun, corpus: Corpus, node: Mapping[str, object], results: Path, settings: Mapping[str, object]
) -> RunFolder:
    folder = RunFolder.of(
        results,
        corpus=corpus.name,
        architecture=run.architecture,
        generator=run.generator,
        fingerprint=run.fingerprint,
    )
    write_whole(folder.records, "".join(to_line(record, run.fingerprint) + "\n" for record in run.records))
    names = {"corpus": corpus.name, "architecture": run.architecture, "generator": run.generator, "judge": run.judge}
    about = {
        "names": names,
        "role": run.role,
        "fingerprint": run.fingerprint,
        "corpus_digest": corpus.digest,
        "imported": True,
    }
    config = {**settings, "corpus": dict(node), "k": run.k, "imported": dict(run.knobs), "run": about}
    folder.write_config(yaml.safe_dump(config, allow_unicode=True, sort_keys=False))
    seconds = sum(step.seconds for one in run.records if one.response is not None for step in one.response.steps)
    folder.write_summary(summary(run.records, seconds=seconds, index_seconds=0.0))
    folder.write_status("finished")
    return folder


def load(path: str, *, name: str, language: str, documents_language: str | None = None) -> Corpus:
    """The exam that imported runs sat; without documents where the file had no passages.

    ``documents_language``: that of the passages; the questions' where it is not said.
    """
    folder = Path(path)
    file = folder / "questions.jsonl"
    if not file.is_file():
        raise UserError(
            f"there is no {file} any more: import the runs again with ragsweep import-runs or ragsweep score"
        )
    documents = load_documents(folder) if read_text(folder / "documents.jsonl").strip() else ()
    questions = Exam({document.id: document for document in documents}, language, None).questions(file)
    return Corpus(name, documents, questions, documents_language or language, digest_of(documents, questions))
