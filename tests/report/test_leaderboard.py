"""What may be said of the best of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmark.domain import Record, Role
from benchmark.report.leaderboard import RAGAS, Leaderboard, Row, notes, verdict
from tests.factories import record

FAITHFULNESS = RAGAS[0]


def row(name: str, records: Sequence[Record], *, k: int = 5, role: Role = "rival") -> Row:
    return Row(name, tuple(records), asked=len(records), seconds=1.0, role=role, k=k)


def run(*values: float, key: str = FAITHFULNESS) -> list[Record]:
    return [record({key: value}, name=f"q{place}") for place, value in enumerate(values)]


def board(*rows: Row) -> Leaderboard:
    return Leaderboard.of(rows, seed=7)


def test_few_questions_cannot_rank_and_the_verdict_says_how_many_could() -> None:
    few = board(row("a", run(1.0, 0.9)), row("b", run(0.5, 0.0)))
    [said] = verdict(few, lambda key, value: None)
    assert said.startswith("Faithfulness: a has the best mean (0.95), but this cannot rank with 2 questions; about ")
    assert any(note.startswith("Cannot rank") for note in notes(few))


def test_with_enough_questions_nothing_is_said_of_ranking() -> None:
    many = board(row("a", run(*[1.0, 0.9] * 5)), row("b", run(*[0.5, 0.0] * 5)))
    assert verdict(many, lambda key, value: None) == [
        "Faithfulness: a is best (0.95), ahead of all others beyond noise."
    ]
    assert not any(note.startswith("Cannot rank") for note in notes(many))


def test_where_all_means_are_the_same_no_run_has_a_star() -> None:
    level = board(row("a", run(0.5, 1.0)), row("b", run(1.0, 0.5)), row("oracle", run(1.0, 1.0), role="ceiling"))
    assert [level.mark(FAITHFULNESS, name) for name in "ab"] == ["", ""]
    assert not level.has_best(FAITHFULNESS)
    assert verdict(level, lambda key, value: None) == [
        "Faithfulness: no difference: every run has the same mean (0.75)."
    ]
    assert not any(note.startswith("*") for note in notes(level))


def test_where_means_differ_the_best_has_a_star() -> None:
    some = board(row("a", run(0.5, 1.0)), row("b", run(1.0, 1.0)), row("c", run(0.5, 1.0)))
    assert [some.mark(FAITHFULNESS, name) for name in "abc"] == ["=", "*", "="]


def test_plain_rows_have_intervals_tiers_and_ranks() -> None:
    first, second = board(row("a", run(*[1.0, 0.9] * 5)), row("b", run(*[0.5, 0.0] * 5))).plain_rows()
    assert (first[f"tier {FAITHFULNESS}"], second[f"tier {FAITHFULNESS}"]) == (1, 2)
    assert (second[f"highest rank {FAITHFULNESS}"], second[f"lowest rank {FAITHFULNESS}"]) == (2, 2)
    assert 0.9 < float(str(first[f"low {FAITHFULNESS}"])) < 0.95 < float(str(first[f"high {FAITHFULNESS}"])) < 1


def test_a_yardstick_has_intervals_and_no_rank() -> None:
    [_, bound] = board(row("a", run(0.5, 0.25)), row("oracle", run(1.0, 0.9), role="ceiling")).plain_rows()
    assert (bound[f"low {FAITHFULNESS}"], bound[f"tier {FAITHFULNESS}"]) == (0.9, None)


def test_runs_of_different_k_are_compared_at_their_own() -> None:
    rows = (
        row("three", run(*[1.0] * 8, key="retrieval/recall_3"), k=3),
        row("five", run(*[0.0] * 8, key="retrieval/recall_5")),
    )
    assert board(*rows).best["retrieval/recall_k"] == ("three", frozenset())


def test_equal_means_have_no_best() -> None:
    same = [0.5, 1.0] * 5
    [said] = verdict(board(row("a", run(*same)), row("b", run(*same))), lambda key, value: None)
    assert said == "Faithfulness: no difference: every run has the same mean (0.75)."


def test_means_that_may_be_chance_have_a_best_that_is_not_told_apart() -> None:
    scores = run(*[1.0, 0.0] * 5), run(*[0.0, 1.0] * 4, 1.0, 0.8)
    [said] = verdict(board(row("a", scores[0]), row("b", scores[1])), lambda key, value: None)
    assert said == "Faithfulness: b has the best mean (0.58), but no run can be told apart from it."


def test_a_run_alone_is_compared_with_nobody() -> None:
    assert verdict(board(row("a", run(0.0))), lambda key, value: None) == []


def test_a_run_that_lacks_a_question_competes_for_nothing() -> None:
    unfinished = replace(row("hybrid", run(1.0, 1.0, 1.0)), asked=4)
    leaders = board(row("bm25", run(*[0.5] * 4)), row("dense", run(*[0.25] * 4)), unfinished)
    assert leaders.best[FAITHFULNESS][0] == "bm25"
    assert leaders.cells(leaders.rows[2])[-4] == "3 of 4"


def test_the_second_table_says_over_how_many_answers_each_share_is() -> None:
    answers = [record({"answer/grounded": value}, name=f"q{n}") for n, value in enumerate((1.0, 0.0, None, 1.0))]
    leaders = board(row("bm25", answers))
    assert leaders.answer_cells(leaders.rows[0])[5] == "0.67 (3)"
    assert leaders.rows[0].abstaining() == 0.0
