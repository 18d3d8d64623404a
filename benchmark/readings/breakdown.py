"""Scores by kind of question: tags, difficulty, language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmark.domain import Question, Record
from benchmark.metrics import on_unit_scale
from benchmark.statistics.intervals import Estimate, estimates
from benchmark.statistics.values import measured


@dataclass(frozen=True, slots=True)
class Group:
    """Questions of one kind (``of`` is tag, difficulty, language or answerable), and each run's estimate on them."""

    of: str
    name: str
    questions: tuple[str, ...]
    estimates: Mapping[str, Estimate]


def breakdown(
    runs: Mapping[str, Sequence[Record]], keys: Mapping[str, str], *, seed: int, level: float = 0.95
) -> tuple[Group, ...]:
    """A metric, by its key in each run, by kind of question; kinds in the order in which the questions bring them.

    A question with several tags counts in each. ``missing`` counts all questions of the group without a score.
    """
    members: dict[tuple[str, str], dict[str, None]] = {}
    for records in runs.values():
        for record in records:
            for kind in kinds(record.question):
                members.setdefault(kind, {})[record.question.id] = None
    values = {name: measured(records, keys[name]) for name, records in runs.items()}
    asked = {name: {record.question.id for record in records} for name, records in runs.items()}
    cells = [(kind, name) for kind in members for name in runs]
    samples = [[values[name][q] for q in members[kind] if q in values[name]] for kind, name in cells]
    missing = [
        len(members[kind].keys() & asked[name]) - len(sample)
        for (kind, name), sample in zip(cells, samples, strict=True)
    ]
    unit = all(map(on_unit_scale, keys.values()))
    found = estimates(samples, missing, on_unit_scale=unit, seed=seed, level=level)
    by_cell = dict(zip(cells, found, strict=True))
    return tuple(
        Group(*kind, tuple(questions), {name: by_cell[kind, name] for name in runs})
        for kind, questions in members.items()
    )


def kinds(question: Question) -> Iterator[tuple[str, str]]:
    """What a question is grouped by.

    >>> from benchmark.domain import Query
    >>> list(kinds(Question(Query("q1", "¿Qué dosis?"), None, tags=("numeric",), difficulty="hard", language="es")))
    [('tag', 'numeric'), ('difficulty', 'hard'), ('language', 'es'), ('answerable', 'yes')]
    """
    for tag in question.tags:
        yield "tag", tag
    if question.difficulty is not None:
        yield "difficulty", question.difficulty
    yield "language", question.language
    yield "answerable", "yes" if question.answerable else "no"
