"""One job of a sweep, from its plan to its folder and to MLflow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from benchmark.compare import OpenedRun, cautions_of, findings_of, open_run
from benchmark.config import Plan
from benchmark.diagnosis import FOUR, Finding, band, failure_cases
from benchmark.domain import Asked, Question, Record, RelevancyScale
from benchmark.models.endpoints.budget import BudgetSpentError, Spent, spent
from benchmark.pipelines import noticed, notices
from benchmark.report.lost import place_of, ranks_line
from benchmark.report.patterns import as_markdown, counted_causes
from benchmark.rootcause import RootCause, trace
from benchmark.run import Examiner, hand_over, index, run
from benchmark.storage.environment import asked, environment
from benchmark.storage.records import RecordsFile, read
from benchmark.storage.runs import RunFolder, index_cost_of, summary
from benchmark.storage.traces import trace_of
from benchmark.storage.tracked_values import TrackedCorpus, number
from benchmark.storage.tracking import TrackedRun

PARENT = "RAGSWEEP_PARENT_RUN"
"""The environment variable by which a sweep tells its jobs of its MLflow run."""

Watch = Callable[[Sequence[Question]], Iterable[Question]]
"""What may stand between the questions and the run, to show them as they go by."""

Tell = Callable[[str], object]
"""Where to say what a user should know; ``len`` hears nothing."""

_TRACED = (*(f"ragas/{metric}" for metric in FOUR), "answer/completeness")
"""The scores that a question's trace shows."""

_FAILURES = ("question_id", "metric", "value", "threshold", "why", "cause", "ranks", "instead", "remedy")


def folder_of(plan: Plan) -> RunFolder:
    names = plan.names
    return RunFolder.of(
        plan.results,
        corpus=names["corpus"],
        architecture=names["architecture"],
        generator=names["generator"],
        fingerprint=plan.fingerprint,
    )


def execute(plan: Plan, watch: Watch = iter, tell: Tell = len) -> OpenedRun:
    """Ask what was not asked before, write as questions finish, sum up; ``tell`` hears what to know of it."""
    if plan.tracking is not None and PARENT not in os.environ:
        plan.tracking.prepare()  # before anything is asked: a store that cannot be used must not cost a run
    folder = folder_of(plan)
    with folder.open_records() as records:  # held to the end: nobody else writes in this folder meanwhile
        if records.notice is not None:
            tell(records.notice)
        folder.write_config(_config_yaml(plan))
        folder.write_status("running")
        try:
            index_seconds, index_cost = _ask(plan, folder, records, watch, tell)
            records.drop_cut_lines()
        except KeyboardInterrupt:
            folder.write_status("interrupted", "the same command goes on from there")
            raise
        except BaseException as error:
            folder.write_status("failed", f"{type(error).__name__}: {error}")
            raise
        opened = replace(open_run(folder), index_seconds=index_seconds, index_cost=index_cost)
        folder.write_summary(_summary(plan, opened))
        folder.write_failures(_failure_rows(plan, opened), columns=_FAILURES)
        folder.write_status("finished")
    return opened.asked_for([question.id for question in plan.questions])


def track(plan: Plan, finished: OpenedRun) -> None:
    """Log to MLflow what was asked of a run, below the sweep's run if there is one."""
    if plan.tracking is not None:
        plan.tracking.log_run(_tracked(plan, finished), parent=os.environ.get(PARENT))


def pending(plan: Plan) -> list[Question]:
    """The questions that have no finished record yet; one that failed, or whose judge did, is asked again."""
    done = {r.question.id for r in read(folder_of(plan).records, plan.corpus) if not r.failures}
    return [question for question in plan.questions if question.id not in done]


def _ask(plan: Plan, folder: RunFolder, records: RecordsFile, watch: Watch, tell: Tell) -> tuple[float, Asked | None]:
    """Ask; returns the seconds of indexing and what it cost, from this time or from when it was done."""
    known = folder.summary()
    waiting = pending(plan)
    if not waiting and known is not None:
        return number(known["index_seconds"]) or 0.0, index_cost_of(known)
    folder.add_environment(environment(plan.corpus.digest))
    before, done = spent(), 0

    def write(record: Record) -> None:
        nonlocal done
        records.write(record)
        done += 1

    try:
        indexed = index(plan.architecture, plan.corpus.documents, plan.generator)
        hand_over(run(indexed.pipeline, watch(waiting), examiner(plan), at_once=plan.in_flight), write)
        _notify(folder, [*notices(plan.architecture), *noticed(indexed.pipeline)], tell)
    except BudgetSpentError as error:
        raise BudgetSpentError(f"{error}\n{_needed(spent() - before, done, len(waiting) - done)}") from None
    return indexed.seconds, indexed.cost


def _notify(folder: RunFolder, told: Sequence[str], tell: Tell) -> None:
    """Say and keep what the parts of a run have to tell, each once."""
    for notice in dict.fromkeys(told):
        tell(notice)
    if told:
        folder.write_notices(list(dict.fromkeys(told)))


def _needed(cost: Spent, done: int, left: int) -> str:
    """What a run that ran out of its budget would need, by what its finished questions took."""
    need = f"about {cost.told(left / done)}" if done else "more than can be said, since no question of it is finished"
    return (
        f"    {done} questions of this run were finished and are kept; the other {left} would need {need}\n"
        "    to do:  raise the budget; the same command goes on from there and pays for nothing twice, and with "
        "dry_run=true it says what it would still send at most"
    )


def rehearse(plan: Plan) -> None:
    """Go through what is not finished yet with made-up replies, so that the calls are counted; writes nothing."""
    indexed = index(plan.architecture, plan.corpus.documents, plan.generator)
    for _ in run(indexed.pipeline, pending(plan), examiner(plan)):
        pass


def examiner(plan: Plan) -> Examiner:
    """The scale of relevancy is measured on the whole exam, so that it does not change with ``limit``."""
    scale = plan.judge.relevancy_scale(plan.corpus.questions) if plan.judge else RelevancyScale()
    return Examiner(judge=plan.judge, scale=scale, metrics=plan.metrics, diagnosis=plan.diagnosis)


def _config_yaml(plan: Plan) -> str:
    """What the fingerprint stands for: equal for all calls that fill the same folder."""
    about = {
        "names": dict(plan.names),
        "role": plan.role,
        "fingerprint": plan.fingerprint,
        "corpus_digest": plan.corpus.digest,
    }
    return yaml.safe_dump({**asked(plan.settings), "run": about}, allow_unicode=True, sort_keys=False)


def _summary(plan: Plan, opened: OpenedRun) -> dict[str, object]:
    return summary(
        opened.records,
        keys=list(plan.metrics),
        seconds=opened.seconds,
        index_seconds=opened.index_seconds,
        index_cost=opened.index_cost,
        findings=[asdict(finding) for finding in findings_of(opened, plan.diagnosis)],
    )


def _failure_rows(plan: Plan, finished: OpenedRun) -> list[dict[str, object]]:
    """The failure cases, with the rank at each stage of the evidence that decides (or else of the first)."""
    roots = {record.question.id: trace(record, diagnosis=plan.diagnosis) for record in finished.records}
    return [
        {**asdict(case), "cause": case.cause.value, **_traced(roots[case.question_id])}
        for case in failure_cases(plan.diagnosis, finished.records)
    ]


def _traced(root: RootCause) -> dict[str, object]:
    trail = root.deciding or next(iter(root.relevant), None)
    ranks = "" if trail is None else ranks_line(trail)
    return {"ranks": ranks, "instead": place_of(root.instead), "remedy": root.remedy or ""}


def _tracked(plan: Plan, finished: OpenedRun) -> TrackedRun:
    found, doubts = findings_of(finished, plan.diagnosis), cautions_of(finished, plan.diagnosis)
    name = f"{plan.names['architecture']} · {plan.names['generator']}"
    means = finished.means()
    bands = {metric: band(plan.diagnosis, f"ragas/{metric}", means.get(f"ragas/{metric}")) for metric in FOUR}
    diagnosis: dict[str, Any] = {
        "bands": bands,
        "findings": [asdict(finding) for finding in found],
        "cautions": [asdict(caution) for caution in doubts],
    }
    corpus = plan.corpus
    return TrackedRun(
        fingerprint=plan.fingerprint,
        name=name,
        corpus=TrackedCorpus.of(corpus),
        folder=finished.folder.path,
        config=plan.settings,
        asked=finished.asked,
        parameters={
            **{f"{group}.name": choice for group, choice in plan.names.items() if "/" not in group},
            "generator.name": plan.generator.name,
            "limit": plan.settings["limit"],
            "sample": plan.settings["sample"],
        },
        summary=_summary(plan, finished),
        questions=[_question_row(record) for record in finished.records],
        failures=_failure_rows(plan, finished),
        diagnosis=diagnosis,
        diagnosis_text=as_markdown(name, found, doubts, finished.records, bands),
        patterns=[finding.name for finding in found],
        description=_description(name, corpus.name, finished, found),
        failed=any(record.failure is not None for record in finished.records),
        traces=[trace_of(record, judge=plan.names["judge"], scores=_TRACED) for record in finished.records],
    )


def _description(name: str, corpus: str, finished: OpenedRun, found: Sequence[Finding]) -> str:
    """What a reader of MLflow meets first, in Markdown."""
    lines = [
        f"{name} on {corpus}: {len(finished.records)} questions.",
        f"Questions: {counted_causes(finished.records)}.",
    ]
    lines += [f"{finding.symptom}: {finding.problem} {finding.remedy}" for finding in found]
    return "\n\n".join(lines)


def _question_row(record: Record) -> dict[str, object]:
    response = record.response
    return {
        "id": record.question.id,
        "question": record.question.query.text,
        "reference": record.question.reference,
        "answer": response.answer if response else None,
        "cause": record.cause.value,
        "failure": record.failure.message if record.failure else None,
        **{key: score.value for key, score in record.scores.items() if key.startswith(("ragas/", "retrieval/"))},
    }


def relative(folder: RunFolder, results: Path) -> str:
    """The folder's place below the results, as the sweep's list names it."""
    return folder.path.relative_to(results).as_posix()
