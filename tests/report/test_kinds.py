"""One metric by kind of question."""

from __future__ import annotations

from dataclasses import replace

from benchmark.domain import Record
from benchmark.report.kinds import as_markdown, groups_of
from tests.factories import record

KEY = "retrieval/ndcg_5"


def asked(name: str, value: float | None, *tags: str, difficulty: str = "easy") -> Record:
    one = record({KEY: value}, name=name)
    return replace(one, question=replace(one.question, tags=tags, difficulty=difficulty))


RUNS = {
    "bm25": [asked("a", 1.0, "numeric"), asked("b", 0.5, "numeric", "negation"), asked("c", None, "near_miss")],
    "dense": [asked("a", 0.0, "numeric"), asked("b", 0.5, "numeric", "negation"), asked("c", None, "near_miss")],
}


def test_a_kind_has_the_mean_of_its_questions_and_their_number() -> None:
    lines = as_markdown(groups_of(RUNS, KEY, seed=7)).splitlines()
    assert lines[0] == "| kind | n | bm25 | dense |"
    assert lines[2:4] == ["| tag: numeric | 2 | 0.75 | 0.25 |", "| tag: negation | 1 | 0.50 | 0.50 |"]


def test_a_kind_on_which_nothing_was_measured_is_left_out() -> None:
    assert "near_miss" not in as_markdown(groups_of(RUNS, KEY, seed=7))


def test_a_metric_that_nobody_has_makes_no_table() -> None:
    assert groups_of(RUNS, "retrieval/recall_5", seed=7) == ()
