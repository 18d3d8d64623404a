from __future__ import annotations

import time

import numpy as np
import pytest

from benchmark.domain import Record, Score
from benchmark.metrics import NO_CONTEXT, UNANSWERABLE, keys
from benchmark.statistics import Settings, summarise
from benchmark.statistics.summary import statistics_of
from tests.factories import record

FAITHFULNESS = "ragas/faithfulness"
SETTINGS = Settings(seed=7)


def run(*values: float | None, key: str = FAITHFULNESS) -> list[Record]:
    return [record({key: value}, name=f"q{place}") for place, value in enumerate(values)]


def best_and_tied(runs: dict[str, dict[str, float]], *, key: str = FAITHFULNESS) -> tuple[str | None, frozenset[str]]:
    missing = {key: dict.fromkeys(runs, 0)}
    found = statistics_of({key: runs}, missing=missing, competing=runs, settings=SETTINGS)[key]
    return found.best, found.tied


def unanswerable(name: str) -> Record:
    made = record({}, name=name)
    return Record(made.question, made.response, made.rulings, {FAITHFULNESS: Score(None, UNANSWERABLE)}, made.cause)


def test_what_was_not_measured_is_counted_and_bounds_the_mean() -> None:
    found = summarise({"a": run(1.0, 0.5, None, None)}, settings=SETTINGS)[FAITHFULNESS]
    assert (found.estimates["a"].n, found.estimates["a"].missing) == (2, 2)
    assert (found.bounds["a"].low, found.bounds["a"].high) == (0.375, 0.875)


def test_questions_to_which_a_metric_does_not_apply_are_not_missing() -> None:
    found = summarise({"a": [*run(1.0, None), unanswerable("q2")]}, settings=SETTINGS)[FAITHFULNESS]
    assert (found.estimates["a"].missing, found.bounds["a"].low) == (1, 0.5)


def test_a_failed_question_to_which_the_metric_does_not_apply_is_not_missing_either() -> None:
    runs = {"a": [*run(1.0), unanswerable("q1")], "b": run(1.0, None)}
    assert summarise(runs, settings=SETTINGS)[FAITHFULNESS].estimates["b"].missing == 0


def test_runs_that_do_not_compete_are_estimated_and_not_compared() -> None:
    runs = {"a": run(1.0, 0.5), "b": run(0.5, 0.5), "oracle": run(1.0, 1.0)}
    found = summarise(runs, settings=SETTINGS, competing=("a", "b"))[FAITHFULNESS]
    assert set(found.estimates) == {"a", "b", "oracle"}
    assert (set(found.standings), len(found.pairs), found.best) == ({"a", "b"}, 1, "a")


def test_lower_is_better_where_the_metric_says_so() -> None:
    runs = {"a": run(*[9.0] * 8, key="cost/seconds"), "b": run(*[1.0] * 8, key="cost/seconds")}
    found = summarise(runs, settings=SETTINGS)["cost/seconds"]
    assert (found.best, found.standings["a"].tier, found.bounds) == ("b", 2, {})


def test_a_metric_of_the_users_own_is_compared_and_not_ranked() -> None:
    runs = {"a": run(1.0, 0.5, key="mine/length"), "b": run(0.5, 0.5, key="mine/length")}
    found = summarise(runs, settings=SETTINGS)["mine/length"]
    assert (len(found.pairs), found.best, found.standings) == (1, None, {})


def test_of_a_metric_without_a_scale_no_number_of_questions_is_told() -> None:
    runs = {"a": run(9.0, 2.0, key="cost/seconds"), "b": run(1.0, 3.0, key="cost/seconds")}
    found = summarise(runs, settings=SETTINGS)["cost/seconds"].resolution
    assert found.sentence == "cannot rank with 2 questions (smallest attainable corrected p 0.500)"


def test_no_runs_have_no_statistics() -> None:
    assert summarise({}, settings=SETTINGS) == {}


def test_no_reason_of_a_missing_score_but_the_question_puts_it_outside() -> None:
    made = record({}, name="q0")
    lacking = Record(made.question, made.response, made.rulings, {FAITHFULNESS: Score(None, NO_CONTEXT)}, made.cause)
    assert summarise({"a": [lacking]}, settings=SETTINGS)[FAITHFULNESS].estimates["a"].missing == 1


def test_a_clear_best_is_told_apart_and_a_near_one_is_not() -> None:
    draw = np.random.default_rng(1)
    good = {f"q{i}": 0.8 + float(x) for i, x in enumerate(draw.normal(0, 0.1, 40))}
    near = {q: value + float(x) for (q, value), x in zip(good.items(), draw.normal(-0.001, 0.1, 40), strict=True)}
    bad = {q: value - 0.4 for q, value in good.items()}
    assert best_and_tied({"good": good, "near": near, "bad": bad}) in (
        ("good", frozenset({"near"})),
        ("near", frozenset({"good"})),
    )


def test_with_two_questions_nothing_can_be_told_apart() -> None:
    found = best_and_tied({"a": {"1": 1.0, "2": 1.0}, "b": {"1": 0.0, "2": 0.0}})
    assert found == ("a", frozenset({"b"}))


def test_a_mean_over_easier_questions_does_not_beat_who_is_better_on_the_common_ones() -> None:
    easy, hard = [f"e{i}" for i in range(6)], [f"h{i}" for i in range(20)]
    all_of_them = {**dict.fromkeys(easy, 1.0), **dict.fromkeys(hard, 0.3)}
    found = best_and_tied({"a": dict.fromkeys(easy, 0.9), "b": all_of_them})
    assert found == ("a", frozenset({"b"}))


def test_runs_without_a_common_question_are_not_told_apart() -> None:
    found = best_and_tied({"a": {"q1": 1.0}, "b": {"q2": 0.0}})
    assert found == ("a", frozenset({"b"}))


def test_lower_is_better_where_so_said() -> None:
    found = best_and_tied({"a": {"1": 1.0}, "b": {"1": 0.0}}, key="cost/seconds")
    assert found == ("b", frozenset({"a"}))


@pytest.mark.slow
def test_500_questions_of_12_runs_with_all_metrics_are_summarised_within_seconds() -> None:
    random = np.random.default_rng(7)
    names = [key.name for key in keys(5)]
    runs = {}
    for number in range(12):
        values = random.binomial(4, 0.6, (500, len(names))) / 4
        present = random.random((500, len(names))) > 0.02 * (number % 3)
        runs[f"s{number}"] = [
            record({key: row[i] if here[i] else None for i, key in enumerate(names)}, name=f"q{place}")
            for place, (row, here) in enumerate(zip(values, present, strict=True))
        ]
    start = time.process_time()
    summarise(runs, settings=SETTINGS)
    assert time.process_time() - start < 20
