"""The readings of records, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from benchmark.domain import Cause, Failure, Hit, Record, Rulings, Score
from benchmark.readings import Analysis, Label, analyse
from benchmark.readings.abstention import abstention
from benchmark.readings.agreement import agreement
from benchmark.readings.breakdown import breakdown
from benchmark.readings.matched_tokens import at_matched_tokens
from benchmark.statistics import Settings
from tests.factories import evidence, hit, question, response, verdicts

SETTINGS = Settings(seed=7)
RELEVANCY = "ragas/answer_relevancy"


def record(
    name: str,
    *context: Hit,
    useful: tuple[bool, ...] | None = None,
    answerable: bool = True,
    abstained: bool = False,
    scores: Mapping[str, float | None] | None = None,
    tags: tuple[str, ...] = (),
) -> Record:
    asked = replace(question(evidence(0, 10), answerable=answerable, name=name), tags=tags)
    rulings = Rulings(useful=None if useful is None else verdicts(*useful))
    found = {key: Score(value, "as given") for key, value in (scores or {}).items()}
    return Record(asked, response(*context, abstained=abstained), rulings, found, Cause.CORRECT)


# ---------------------------------------------------------------------------------------------------- agreement
def test_a_judge_that_rules_as_gold_does_agrees_wholly() -> None:
    records = [record(f"q{i}", hit(0, 20), hit(50, 60), useful=(True, False)) for i in range(5)]
    found = agreement(records, min_grade=2, seed=7)
    assert (found.kappa.mean, found.both, found.neither, found.word) == (1.0, 5, 5, "almost perfect")


def test_a_passage_that_two_runs_read_counts_once() -> None:
    records = [record("q1", hit(0, 20), useful=(True,)), record("q1", hit(0, 20), hit(50, 60), useful=(True, True))]
    assert agreement(records, min_grade=2, seed=7).passages == 2


def test_a_judge_that_finds_all_useful_has_a_share_and_no_kappa() -> None:
    found = agreement([record("q1", hit(0, 20), hit(50, 60), useful=(True, True))], min_grade=2, seed=7)
    assert found.kappa.mean is None
    assert found.sentence.startswith("judge and gold evidence agree on 50 % of 2 passages; kappa is not measured")


def test_the_sentence_tells_how_far_the_judge_goes_with_gold() -> None:
    ruled = [(True, False), (True, False), (True, True), (False, False)]
    records = [record(f"q{i}", hit(0, 20), hit(50, 60), useful=useful) for i, useful in enumerate(ruled)]
    said = agreement(records, min_grade=2, seed=7).sentence
    assert said.startswith("judge and gold evidence agree on 75 % of 8 passages: moderate agreement, kappa 0.50 (")


def test_without_rulings_agreement_is_not_measured() -> None:
    found = agreement([record("q1", hit(0, 20))], min_grade=2, seed=7)
    assert (found.kappa.mean, found.kappa.missing, found.agreeing) == (None, 1, None)
    assert "not measured" in found.sentence


def test_evidence_of_a_lower_grade_is_not_gold() -> None:
    found = agreement([record("q1", hit(0, 20), useful=(True,))], min_grade=4, seed=7)
    assert found.passages == 0


# --------------------------------------------------------------------------------------------------- abstention
def test_right_refusals_count_for_relevancy_and_wrong_ones_against_it() -> None:
    records = [
        record("q1", scores={RELEVANCY: 0.8}),
        record("q2", abstained=True, scores={RELEVANCY: 0.0}),
        record("q3", answerable=False, abstained=True, scores={RELEVANCY: None}),
        record("q4", answerable=False, scores={RELEVANCY: None}),
    ]
    found = abstention(records, seed=7)
    assert (found.answered.mean, found.refused.mean, found.relevancy.mean) == (0.5, 0.5, 0.8)
    assert found.aware.mean == pytest.approx(0.45)


def test_a_failed_question_is_missing_and_never_zero() -> None:
    failed = replace(record("q1"), response=None, failure=Failure("answer", "Timeout", "too slow"))
    found = abstention([failed, record("q2", scores={RELEVANCY: 1.0})], seed=7)
    assert (found.aware.mean, found.aware.missing, found.answered.missing) == (1.0, 1, 1)


# ---------------------------------------------------------------------------------------------------- breakdown
def test_groups_have_the_questions_of_a_tag_and_each_runs_mean() -> None:
    runs = {
        "a": [record("q1", scores={RELEVANCY: 1.0}, tags=("numeric",)), record("q2", scores={RELEVANCY: 0.0})],
        "b": [record("q1", scores={RELEVANCY: None}, tags=("numeric",))],
    }
    [numeric, *_] = breakdown(runs, dict.fromkeys(runs, RELEVANCY), seed=7)
    assert (numeric.of, numeric.name, numeric.questions) == ("tag", "numeric", ("q1",))
    assert (numeric.estimates["a"].mean, numeric.estimates["b"].mean, numeric.estimates["b"].missing) == (1.0, None, 1)


# ----------------------------------------------------------------------------------------------- matched tokens
def test_at_the_lean_runs_budget_the_rich_one_loses_what_only_its_later_passages_found() -> None:
    lean = [record("q1", hit(0, 10, text="uno dos"))]
    rich = [record("q1", hit(50, 60, text="uno dos"), hit(0, 10, text="tres cuatro"))]
    quarter, first, second = at_matched_tokens({"lean": lean, "rich": rich}, min_grade=2, seed=7)
    assert (quarter.tokens, quarter.recall["lean"].mean) == (1, 0.0)
    assert (first.tokens, first.recall["lean"].mean, first.recall["rich"].mean) == (2, 1.0, 0.0)
    assert (second.tokens, second.recall["rich"].mean, second.used["rich"]) == (4, 1.0, 4.0)


def test_a_bound_that_reads_little_does_not_set_the_budgets() -> None:
    runs = {"a": [record("q1", hit(0, 10, text="uno dos " * 8))], "oracle": [record("q1", hit(0, 10, text="uno"))]}
    found = at_matched_tokens(runs, matching=("a",), min_grade=2, seed=7)
    assert [one.tokens for one in found] == [4, 8, 16]
    assert found[0].recall["oracle"].mean == 1.0


def test_runs_that_read_nothing_have_no_budget() -> None:
    assert at_matched_tokens({"closed": [record("q1")]}, min_grade=2, seed=7) == ()


# ------------------------------------------------------------------------------------------------- all together
def test_one_call_makes_all_that_a_report_shows() -> None:
    def run(value: float) -> list[Record]:
        scores = {RELEVANCY: value, "cost/context_tokens": 10 * value, "cost/seconds": 1.0, "cost/money": None}
        return [record(f"q{i}", hit(0, 10), useful=(True,), scores=scores) for i in range(8)]

    labels = {
        "random": Label("random", "g", "floor"),
        "bm25": Label("bm25", "g"),
        "dense": Label("dense", "g"),
        "oracle": Label("oracle", "g", "ceiling"),
    }
    runs = {"random": run(0.2), "bm25": run(0.4), "dense": run(0.6), "oracle": run(1.0)}
    found = analyse(runs, settings=SETTINGS, labels=labels, keys=keys_of(runs), headline=RELEVANCY)
    read = found.headline
    assert read is not None
    assert found.rivals == ("bm25", "dense")
    assert headroom_of(found) == {"bm25": 0.25, "dense": 0.5}
    assert (tuple(read.front.places), read.front.costs) == (("bm25", "dense"), ("cost/context_tokens", "cost/seconds"))
    assert tuple(found.splits) == (RELEVANCY,)
    assert [one.best for one in read.contested] == [("dense",)] * 8
    assert {name: one.passages for name, one in found.judges.items()} == {"judge": 8}


def keys_of(runs: Mapping[str, object]) -> dict[str, dict[str, str]]:
    return {RELEVANCY: dict.fromkeys(runs, RELEVANCY)}


def headroom_of(found: Analysis) -> dict[str, float]:
    return {name: round(one.mean or 0, 2) for name, one in found.headroom[RELEVANCY].items()}


def flat(value: float) -> list[Record]:
    return [record(f"q{i}", scores={RELEVANCY: value}) for i in range(4)]


def test_headroom_lies_between_the_bounds_of_the_runs_own_generator_and_k() -> None:
    labels = {
        "floor 3": Label("random", "g", "floor", 3),
        "floor 5": Label("random", "g", "floor", 5),
        "ceiling": Label("oracle", "g", "ceiling", 3),
        "bm25 3": Label("bm25 k=3", "g", "rival", 3),
        "bm25 5": Label("bm25 k=5", "g", "rival", 5),
        "other": Label("bm25", "h", "rival", 5),
    }
    values = {"floor 3": 0.0, "floor 5": 0.2, "ceiling": 1.0, "bm25 3": 0.6, "bm25 5": 0.6, "other": 0.6}
    runs = {name: flat(value) for name, value in values.items()}
    found = analyse(runs, settings=SETTINGS, labels=labels, keys=keys_of(runs), headline=None)
    assert headroom_of(found) == {"bm25 3": 0.6, "bm25 5": 0.5}


def test_a_yardstick_that_is_no_floor_bounds_nothing() -> None:
    labels = {"closed": Label("closed_book", "g", "yardstick"), "oracle": Label("oracle", "g", "ceiling")}
    runs = {"closed": flat(0.1), "oracle": flat(1.0), "bm25": flat(0.5)}
    labels["bm25"] = Label("bm25", "g")
    assert analyse(runs, settings=SETTINGS, labels=labels, keys=keys_of(runs), headline=None).headroom == {}


def test_each_judge_is_held_against_gold_by_itself() -> None:
    runs = {"a": [record("q1", hit(0, 20), useful=(True,))], "b": [record("q1", hit(0, 20), useful=(False,))]}
    labels = {"a": Label("a", "g", judge="local"), "b": Label("b", "g", judge="llm")}
    found = analyse(runs, settings=SETTINGS, labels=labels, keys={}, headline=None)
    assert {name: one.agreeing for name, one in found.judges.items()} == {"local": 1.0, "llm": 0.0}


def test_no_runs_can_be_analysed() -> None:
    assert analyse({}, settings=SETTINGS, labels={}, keys={}, headline=None).matched == ()


def test_two_runs_of_one_label_are_not_split() -> None:
    runs = {name: [record(f"q{i}", scores={RELEVANCY: 0.5}) for i in range(3)] for name in ("k=3", "k=5")}
    labels = dict.fromkeys(runs, Label("bm25", "g"))
    assert analyse(runs, settings=SETTINGS, labels=labels, keys=keys_of(runs), headline=RELEVANCY).splits == {}
