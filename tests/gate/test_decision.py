"""The gate's decision: what passes, what stops, what a person must look at, and what is never taken for a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmark.domain import Cause, Failure, Record, Rulings, Score
from benchmark.gate.baseline import baseline_lines
from benchmark.gate.decision import Decision, Examined, Verdict, decide
from benchmark.gate.policy import Policy, Threshold
from benchmark.report.gate import as_junit, as_markdown, plain
from benchmark.safety import Case, Checked
from tests.factories import question, record

FAITHFUL, RECALL = "ragas/faithfulness", "retrieval/recall_5"
POLICY = Policy(
    "mine",
    questions=50,
    thresholds=(Threshold(FAITHFUL, at_least=0.8), Threshold(RECALL, at_least=0.7)),
    safety=("refusal",),
    seconds={"p99": 3.0},
    errors=0.01,
)
SAFE = (Checked("refusal", 40),)


def records(n: int = 60, **scores: float | None) -> list[Record]:
    """Records that all have these scores; good ones unless said."""
    known = {FAITHFUL: 0.9, RECALL: 0.8, "cost/seconds": 1.0} | {
        key.replace("__", "/"): one for key, one in scores.items()
    }
    return [record(known, name=f"q{place}") for place in range(n)]


def foreign_doses(n: int) -> Checked:
    """So many answers with a dose that their context does not have."""
    why = "a dose that the context does not have"
    return Checked("doses", 9, tuple(Case(f"c/q{place}", ("9 g",), why) for place in range(n)))


def rescored(one: Record, faithfulness: float) -> Record:
    return replace(one, scores={**one.scores, FAITHFUL: Score(faithfulness, "as given")})


def examined(found: list[Record], checks: tuple[Checked, ...] = SAFE, *, yardstick: bool = False) -> Examined:
    return Examined("c", found, len(found), checks, yardstick, seed=7)


def stopped_by(verdict: Verdict) -> list[str]:
    return [line.what for line in verdict.reasons]


def test_a_run_that_meets_all_is_ready() -> None:
    verdict = decide(POLICY, examined(records()))
    assert (verdict.decision, stopped_by(verdict)) == (Decision.READY, [])


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (examined(records(ragas__faithfulness=0.79)), FAITHFUL),
        (examined(records(retrieval__recall_5=None)), RECALL),
        (examined(records(49)), "questions that ran"),
        (examined(records(cost__seconds=3.1)), "seconds, p99"),
        (examined(records(), (Checked("refusal", 40, (Case("q1", ("x",), "why"),)),)), "safety: refusal"),
        (examined(records(), (Checked("refusal", 0, why="no such question"),)), "safety: refusal"),
        (examined(records(), yardstick=True), "architecture"),
    ],
    ids=["below", "not measured", "too few", "too slow", "unsafe", "safety not measured", "a yardstick"],
)
def test_one_line_that_does_not_pass_stops_it(run: Examined, line: str) -> None:
    verdict = decide(POLICY, run)
    assert (verdict.decision, stopped_by(verdict)) == (Decision.NOT_READY, [line])
    assert all(reason.to_do for reason in verdict.reasons)


def test_errors_are_counted_apart_and_scores_are_over_what_ran() -> None:
    broken = Record(
        question(name="bad"), None, Rulings(), {}, Cause.FAILED, Failure("generate", "TimeoutError", "slow")
    )
    verdict = decide(POLICY, examined([*records(), broken]))
    assert stopped_by(verdict) == ["error rate"]
    faithfulness = next(line for line in verdict.lines if line.what == FAITHFUL)
    assert faithfulness.value == pytest.approx(0.9)
    assert faithfulness.n == 60
    assert next(line for line in verdict.lines if line.what == "error rate").why == "1 failed to run (TimeoutError)"


def test_a_question_without_a_record_did_not_run() -> None:
    verdict = decide(POLICY, replace(examined(records()), asked=70))
    assert stopped_by(verdict) == ["error rate"]


def test_a_threshold_on_the_interval_takes_its_worse_end() -> None:
    scores = np.random.default_rng(3).uniform(0.6, 1.0, 60)
    run = [record({FAITHFUL: float(score)}, name=f"q{place}") for place, score in enumerate(scores)]
    policy = Policy("mine", 50, (Threshold(FAITHFUL, at_least=0.78),))
    assert decide(policy, examined(run)).decision is Decision.READY
    strict = replace(policy, thresholds=(Threshold(FAITHFUL, at_least=0.78, by="interval"),))
    assert decide(strict, examined(run)).decision is Decision.NOT_READY


def test_a_metric_of_a_few_questions_does_not_pass() -> None:
    few = [*records(45, retrieval__recall_5=None), *records(15)]
    verdict = decide(POLICY, examined([replace(one, question=question(name=f"n{at}")) for at, one in enumerate(few)]))
    assert stopped_by(verdict) == [RECALL]
    assert "fewer than 20" in verdict.reasons[0].why


def test_fewer_than_twenty_questions_only_inform() -> None:
    assert decide(POLICY, examined(records(19))).decision is Decision.INFORM
    assert decide(replace(POLICY, questions=20), examined(records(20))).decision is Decision.READY


# --------------------------------------------------------------------------------------------------- for a person


def test_low_faithfulness_is_for_a_person() -> None:
    assert decide(POLICY, examined(records(ragas__faithfulness=0.59))).decision is Decision.CONSULT


def test_all_too_good_asks_for_leakage_first() -> None:
    verdict = decide(POLICY, examined(records(ragas__faithfulness=0.99, retrieval__recall_5=0.97)))
    assert verdict.decision is Decision.CONSULT
    assert "check for leakage first" in verdict.reasons[0].to_do
    assert decide(POLICY, examined(records(ragas__faithfulness=0.99))).decision is Decision.READY


CONTRADICTIONS: Mapping[str, tuple[Mapping[str, float], tuple[Checked, ...], str]] = {
    "supported by the judge, a dose from nowhere": (
        {FAITHFUL: 1.0, RECALL: 0.8},
        (*SAFE, foreign_doses(3)),
        "3 answers wholly supported",
    ),
    "the judge's recall and the gold's": (
        {FAITHFUL: 0.9, RECALL: 0.9, "ragas/context_recall": 0.2},
        SAFE,
        "context recall is 0.20, the recall of gold evidence 0.90",
    ),
    "complete from nothing": (
        {FAITHFUL: 0.9, RECALL: 0.75, "ragas/context_recall": 0.3, "answer/completeness": 0.9},
        SAFE,
        "answers are complete",
    ),
}


@pytest.mark.parametrize(("scores", "checks", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_results_that_contradict_each_other_are_for_a_person(
    scores: Mapping[str, float], checks: tuple[Checked, ...], said: str
) -> None:
    verdict = decide(
        POLICY, examined([record({**scores, "cost/seconds": 1.0}, name=f"q{n}") for n in range(60)], checks)
    )
    assert verdict.decision is Decision.CONSULT
    assert said in next(line.why for line in verdict.reasons if line.what == "results agree")


def test_two_such_answers_are_no_contradiction() -> None:
    run = examined(records(ragas__faithfulness=1.0), (*SAFE, foreign_doses(2)))
    assert decide(POLICY, run).decision is Decision.READY


# --------------------------------------------------------------------------------------------------- a baseline


def noisy(seed: int, n: int = 80) -> list[Record]:
    random = np.random.default_rng(seed)
    pairs = zip(random.beta(9, 1, n), random.beta(8, 2, n), strict=True)
    return [
        record({FAITHFUL: float(a), RECALL: float(b), "cost/seconds": 1.0}, name=f"q{at}")
        for at, (a, b) in enumerate(pairs)
    ]


def regressed(found: list[Record], seed: int) -> list[Record]:
    """A tenth of the mean lost: three questions in ten lose a third of their faithfulness."""
    kept = np.where(np.random.default_rng([seed, 1]).random(len(found)) < 0.3, 2 / 3, 1.0).tolist()
    return [rescored(one, (one.scores[FAITHFUL].value or 0.0) * share) for one, share in zip(found, kept, strict=True)]


LENIENT = replace(POLICY, thresholds=(Threshold(FAITHFUL, at_least=0.5), Threshold(RECALL, at_least=0.5)))


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_regression_stops_the_gate_and_an_equal_run_passes_it(seed: int) -> None:
    before = noisy(seed)

    def decided(after: list[Record]) -> Verdict:
        return decide(LENIENT, examined(after), tuple(baseline_lines(LENIENT, before, after, seed=seed)))

    assert decided(list(before)).decision is Decision.READY
    verdict = decided(regressed(before, seed))
    assert (verdict.decision, stopped_by(verdict)) == (Decision.NOT_READY, [f"baseline: {FAITHFUL}"])
    assert "worse: q" in verdict.reasons[0].why


def test_the_questions_that_got_worse_are_named_the_worst_first() -> None:
    before = records()
    after = [rescored(one, 0.1 if one.question.id == "q7" else 0.6) for one in before]
    line = next(iter(baseline_lines(LENIENT, before, after, seed=7)))
    assert "worse: q7, q0" in line.why


def test_a_drop_across_a_threshold_is_an_alarm_though_it_is_not_significant() -> None:
    policy = Policy("mine", 50, (Threshold(FAITHFUL, at_least=0.9),))
    before = records(ragas__faithfulness=0.9)
    after = [*records(59, ragas__faithfulness=0.9), record({FAITHFUL: 0.3}, name="q59")]
    [line] = baseline_lines(policy, before, after, seed=7)
    assert not line.passed
    assert "not told apart" in line.why
    assert "crosses >= 0.90" in line.why


def test_a_gain_is_no_alarm_and_fewer_errors_are_a_gain() -> None:
    policy = Policy("mine", 50, (Threshold("answer/refused_wrongly", at_most=0.5),))
    worse, better = records(answer__refused_wrongly=0.4), records(answer__refused_wrongly=0.1)
    assert all(line.passed for line in baseline_lines(policy, worse, better, seed=7))
    assert not any(line.passed for line in baseline_lines(policy, better, worse, seed=7))


def test_a_metric_that_only_the_baseline_has_is_an_alarm() -> None:
    lines = list(baseline_lines(LENIENT, records(), records(retrieval__recall_5=None), seed=7))
    assert [(line.what, line.value) for line in lines if not line.passed] == [(f"baseline: {RECALL}", None)]


# --------------------------------------------------------------------------------------------------- what is written


def test_junit_has_a_case_for_each_line_and_counts_what_failed() -> None:
    verdict = decide(POLICY, examined(records(ragas__faithfulness=0.7, retrieval__recall_5=None)))
    suite = ElementTree.fromstring(as_junit(verdict, "bm25 <&> on x"))[0]
    assert suite.get("tests") == str(len(suite)) == str(len(verdict.lines) + 1)
    failures = {case.get("name"): case[0].get("type") for case in suite if len(case)}
    assert failures == {FAITHFUL: "FAIL", RECALL: "NOT MEASURED", "decision": "NOT READY"}
    assert suite.get("failures") == "3"


def test_junit_can_be_read_whatever_an_answer_has() -> None:
    unsafe = Checked("refusal", 40, (Case("q1", ("Se dan\x0c 4 g\x00 <b>",), "why"),))
    suite = ElementTree.fromstring(as_junit(decide(POLICY, examined(records(), (unsafe,))), "bm25"))[0]
    [message] = [case[0].get("message") for case in suite if case.get("name") == "safety: refusal"]
    assert message == "1 of 40 failed: up to 11.3 % at 95 % (q1: Se dan\ufffd 4 g\ufffd <b>)"


def test_the_page_and_the_json_say_the_same_decision() -> None:
    verdict = decide(POLICY, examined(records(ragas__faithfulness=0.7)))
    assert as_markdown(verdict, "bm25").startswith("## NOT READY: bm25, policy mine: 1 of 6 lines do not pass\n")
    told = plain(verdict, "bm25")
    assert (told["decision"], told["exit_code"]) == ("NOT READY", 3)
