"""Answers from elsewhere joined with the exam of a corpus that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmark.domain import Question, UserError
from benchmark.importing.answers import Answer, Answers, Scored, read
from benchmark.storage.fields import shown
from benchmark.text import words


def over(files: Sequence[Path], exam: Sequence[Question], *, chosen: Mapping[str, str], language: str) -> Scored:
    """The answers of tables under the ids of the exam: by their own ids, else by the words of their questions.

    A question whose id is the exam's and whose words are not is another one.

    Raises:
        UserError: a file is no such table, or none of its questions is in the exam.
    """
    found = [_joined(read([file], chosen=chosen, language=language, by_id=True), exam) for file in files]
    questions = {name: line for one in found for name, line in one.questions.items()}
    passages = {name: text for one in found for name, text in one.passages.items()}
    return Scored(questions, passages, tuple(system for one in found for system in one.systems), language)


def _joined(scored: Scored, exam: Sequence[Question]) -> Scored:
    by_words: dict[str, list[str]] = {}
    for question in exam:
        by_words.setdefault(_words(question.query.text), []).append(question.id)
    asked_by = {question.id: _words(question.query.text) for question in exam}
    same: dict[str, str] = {}
    for identity, line in scored.questions.items():
        asked = _words(str(line["question"]))
        if identity in asked_by and asked in ("", asked_by[identity]):
            same[identity] = identity
        elif len(alike := by_words.get(asked, [])) == 1:
            same[identity] = alike[0]
    [system] = scored.systems
    strangers = [line for identity, line in scored.questions.items() if identity not in same]
    if not same:
        raise UserError(
            f"{system.name}: none of its {len(strangers)} questions is among the {len(exam)} of the corpus, such as "
            f"{_told(strangers[0]['id'], strangers[0]['question'])}\n"
            f"    wanted: their ids in a column id, or their words, such as {_told(exam[0].id, exam[0].query.text)}\n"
            "    to do:  name another --corpus, or leave it out: the file then is an exam of its own"
        )
    notes = [f"{system.name}: {len(set(same.values()))} of the {len(exam)} questions of the corpus are answered"]
    if strangers:
        named = _told(strangers[0]["id"], strangers[0]["question"])
        notes.append(f"{system.name}: {len(strangers)} questions are none of these and are left out, such as {named}")
    questions = {same[identity]: line for identity, line in scored.questions.items() if identity in same}
    return replace(scored, questions=questions, systems=(_under(system, same, notes),))


def _told(identity: object, text: object) -> str:
    return f"{identity!r}: {shown(text)}"


def _words(text: str) -> str:
    return " ".join(words(text))


def _under(system: Answers, same: Mapping[str, str], notes: Sequence[str]) -> Answers:
    """A system's answers under the exam's ids."""
    found: dict[str, Answer] = {}
    for answer in system.answers:
        name = same.get(answer.question)
        if name in found:
            raise UserError(f"{system.name} has two answers to {name!r}.\n    to do:  put each into a file of its own")
        if name is not None:
            found[name] = replace(answer, question=name)
    return replace(system, answers=tuple(found.values()), notes=(*system.notes, *notes))
