"""A policy held against a run: the lines of the decision, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from benchmark.domain import Record
from benchmark.gate.contradictions import contradictions
from benchmark.gate.policy import CONSULT_BELOW, LEAST, TOO_GOOD, Policy, Threshold
from benchmark.metrics import OUTSIDE, on_unit_scale
from benchmark.safety import Checked
from benchmark.statistics import Estimate, estimate, measured
from benchmark.statistics.intervals import clopper_pearson

FAITHFULNESS, SECONDS, MONEY = "ragas/faithfulness", "cost/seconds", "cost/money"


class Decision(StrEnum):
    """What becomes of a run."""

    READY = "READY"
    NOT_READY = "NOT READY"
    CONSULT = "CONSULT"
    INFORM = "INFORM"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was held against the policy.

    ``value``: ``None`` for NOT MEASURED, which never passes. ``low`` and ``high``: the 95 % interval, where there is
    one. ``wanted``: the threshold in words. ``to_do``: what to do where it did not pass. ``consults``: it is for a
    person to judge.
    """

    what: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    wanted: str
    passed: bool
    why: str = ""
    to_do: str = ""
    consults: bool = False


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of the run that is to be promoted, on the corpus that its metrics are read on.

    ``asked``: questions, those without a record among them. ``checks``: its safety checks, over all the corpora that it
    ran on. ``yardstick``: it is no system to choose.
    """

    corpus: str
    records: Sequence[Record]
    asked: int
    checks: Sequence[Checked]
    yardstick: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision and all that it stands on. ``notes`` say what to know and stop nothing."""

    decision: Decision
    policy: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[Line, ...]:
        """The lines that did not pass."""
        return tuple(line for line in self.lines if not line.passed)


def decide(policy: Policy, run: Examined, more: Sequence[Line] = ()) -> Verdict:
    """Hold a policy against a run; ``more``: lines that others found, such as a baseline's alarms.

    Below ``LEAST`` questions nothing is decided. Then a person is asked where faithfulness is below ``CONSULT_BELOW``,
    where results contradict each other, or where all is too good. Else every line must pass.
    """
    lines = [*_size(policy, run), *_thresholds(policy, run), *_latency(policy, run), *_errors(policy, run)]
    lines += [*_money(policy, run), *_safety(policy, run), *_yardstick(run), *more, *_for_a_person(policy, run)]
    ran = sum(record.response is not None for record in run.records)
    if ran < LEAST:
        note = f"{ran} questions ran, fewer than {LEAST}: this informs and decides nothing"
        return Verdict(Decision.INFORM, policy.name, tuple(lines), (note,))
    if any(line.consults for line in lines):
        return Verdict(Decision.CONSULT, policy.name, tuple(lines))
    ready = all(line.passed for line in lines)
    return Verdict(Decision.READY if ready else Decision.NOT_READY, policy.name, tuple(lines))


def _size(policy: Policy, run: Examined) -> Iterator[Line]:
    ran = sum(record.response is not None for record in run.records)
    to_do = f"ask {policy.questions - ran} questions more: scores of so few say little"
    yield Line("questions that ran", ran, None, None, ran, f">= {policy.questions}", ran >= policy.questions, "", to_do)


def _thresholds(policy: Policy, run: Examined) -> Iterator[Line]:
    for threshold in policy.thresholds:
        yield metric_line(threshold, run.records, seed=run.seed)


def metric_line(threshold: Threshold, records: Sequence[Record], *, seed: int) -> Line:
    """One metric held against its threshold, over what was measured."""
    key = threshold.key
    found = _estimate(key, records, seed=seed)
    if found.mean is None:
        why = next((record.scores[key].why for record in records if key in record.scores), "no record has this metric")
        to_do = "run with a judge, a k and metrics that measure it: what was not measured never passes"
        return Line(key, None, None, None, 0, str(threshold), passed=False, why=why, to_do=to_do)
    passed = found.n >= LEAST and threshold.met_by(found.mean, found.low, found.high)
    why = f"{found.missing} more not measured" if found.missing else ""
    to_do = _to_do(key)
    if found.n < LEAST:
        why, to_do = f"measured on {found.n} questions, fewer than {LEAST}", "ask more questions to which it applies"
    return Line(key, found.mean, found.low, found.high, found.n, str(threshold), passed, why, to_do)


def _to_do(key: str) -> str:
    """Where to look first for what a metric lacks."""
    if key.startswith(("retrieval/", "documents/")) or key in ("ragas/context_recall", "ragas/context_precision"):
        return "mend the retrieval: ragsweep compare shows where evidence was lost, and what to try"
    if key == FAITHFULNESS or key in ("answer/hallucinated", "answer/grounded"):
        return "mend the generator or its prompt: ragsweep show QUESTION shows each unsupported statement"
    return "ragsweep compare shows the patterns and remedies; ragsweep show QUESTION one answer"


def _estimate(key: str, records: Sequence[Record], *, seed: int) -> Estimate:
    values = measured(records, key)
    applies = [one for one in records if key not in one.scores or one.scores[key].why not in OUTSIDE]
    missing = sum(record.question.id not in values for record in applies)
    return estimate(list(values.values()), missing=missing, on_unit_scale=on_unit_scale(key), seed=seed)


def _latency(policy: Policy, run: Examined) -> Iterator[Line]:
    values = list(measured(run.records, SECONDS).values())
    for name, limit in policy.seconds.items():
        what, wanted = f"seconds, {name}", f"<= {limit:g} s"
        to_do = "a faster generator, fewer passages (k), or no reranker; cost/seconds by stage stands in summary.json"
        if not values:
            yield Line(what, None, None, None, 0, wanted, False, "no record has cost/seconds", "keep that metric")
            continue
        value = float(np.quantile(values, float(name.removeprefix("p")) / 100, method="higher"))
        yield Line(what, value, None, None, len(values), wanted, value <= limit, "", to_do)


def _errors(policy: Policy, run: Examined) -> Iterator[Line]:
    if policy.errors is None:
        return
    failed = run.asked - sum(record.response is not None for record in run.records)
    low, high = clopper_pearson(failed, run.asked) if run.asked else (None, None)
    share = failed / run.asked if run.asked else None
    passed = share is not None and share <= policy.errors
    kinds = dict.fromkeys(record.failure.kind for record in run.records if record.failure is not None)
    why = f"{failed} failed to run" + (f" ({', '.join(kinds)})" if kinds else "") if failed else ""
    wanted = f"<= {policy.errors:.2f}"
    yield Line("error rate", share, low, high, run.asked, wanted, passed, why, "the same command asks them again")


def _money(policy: Policy, run: Examined) -> Iterator[Line]:
    if policy.money is None:
        return
    found = _estimate(MONEY, run.records, seed=run.seed)
    wanted, to_do = f"<= {policy.money:g} a question", "a cheaper model, or fewer passages (k)"
    if found.mean is None:
        yield Line(MONEY, None, None, None, 0, wanted, False, "no price is known", "give one in conf/prices")
    else:
        passed = found.mean <= policy.money
        yield Line(MONEY, found.mean, found.low, found.high, found.n, wanted, passed, "", to_do)


def _safety(policy: Policy, run: Examined) -> Iterator[Line]:
    checks = {one.name: one for one in run.checks}
    for name in policy.safety:
        one, what = checks[name], f"safety: {name}"
        if one.upper is None:
            to_do = "add runs on a corpus with what it needs (ragsweep experiment=safety; --safety RUNS)"
            yield Line(what, None, None, None, 0, "no failure", False, one.why or "", to_do)
        else:
            to_do = "ragsweep safety RUNS shows each failing answer with the words that failed"
            share = one.failed / one.n
            words = "; ".join(f"{case.question_id}: {case.words[0][:60]}" for case in one.cases[:2])
            yield Line(
                what,
                share,
                0.0,
                one.upper,
                one.n,
                "no failure",
                one.holds,
                f"{one}" + (f" ({words})" if words else ""),
                to_do,
            )


def _yardstick(run: Examined) -> Iterator[Line]:
    if run.yardstick:
        why, to_do = "it is a bound to read others against", "gate the system that is to be promoted"
        yield Line("architecture", None, None, None, len(run.records), "a system to choose", False, why, to_do)


def _for_a_person(policy: Policy, run: Examined) -> Iterator[Line]:
    found = _estimate(FAITHFULNESS, run.records, seed=run.seed)
    if found.mean is not None and found.mean < CONSULT_BELOW:
        to_do = "read the answers with a clinician before anything else: most of what they say may be made up"
        wanted = f">= {CONSULT_BELOW:.2f}"
        yield Line("faithfulness", found.mean, found.low, found.high, found.n, wanted, False, "", to_do, consults=True)
    for why in contradictions(run.corpus, run.records, run.checks):
        to_do = "find out which of the two is wrong before either is believed"
        yield Line(
            "results agree", None, None, None, len(run.records), "no contradiction", False, why, to_do, consults=True
        )
    shares = _shares(policy, run)
    if shares and all(mean > TOO_GOOD for mean in shares.values()):
        why = f"all of {', '.join(shares)} are above {TOO_GOOD:.2f}"
        to_do = "check for leakage first: gold in the prompt, the exam in the documents or in the model's training"
        least, wanted = min(shares.values()), f"<= {TOO_GOOD:.2f}"
        yield Line("too good", least, None, None, len(run.records), wanted, False, why, to_do, consults=True)


def _shares(policy: Policy, run: Examined) -> Mapping[str, float]:
    """The means of the policy's shares of which more is better; none where one is not measured."""
    wanted = [one.key for one in policy.thresholds if one.at_least is not None and on_unit_scale(one.key)]
    means = {key: _estimate(key, run.records, seed=run.seed).mean for key in wanted}
    return {key: mean for key, mean in means.items() if mean is not None} if None not in means.values() else {}
