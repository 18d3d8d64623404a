"""The loop: questions go in, records come out. Writes nothing."""

from __future__ import annotations

from collections import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial

from benchmark.diagnosis import Diagnosis
from benchmark.domain import (
    Architecture,
    Asked,
    Cause,
    Document,
    Embedded,
    Failure,
    Generator,
    Judge,
    Metric,
    Outcome,
    Pipeline,
    Question,
    Record,
    RelevancyScale,
    Rulings,
    Score,
    UserError,
)
from benchmark.metrics import unanswerable_mode
from benchmark.metrics.cost import total_of
from benchmark.models.judges import rule
from benchmark.rootcause import cause
from benchmark.stopwatch import stopwatch
from benchmark.turns import as_finished


@dataclass(frozen=True)
class Indexed:
    """A pipeline, and what its building costs when nothing is kept; ``cost``: of models at endpoints, if any."""

    pipeline: Pipeline
    seconds: float
    cost: Asked | None


@dataclass(frozen=True, kw_only=True)
class Examiner:
    """Who scores an answer: a judge's rulings, the metrics on them, and where the question was lost."""

    judge: Judge | None
    scale: RelevancyScale
    metrics: Mapping[str, Metric]
    diagnosis: Diagnosis

    def record(self, pipeline: Pipeline, question: Question) -> Record:
        """Ask one question. An error of the pipeline becomes a ``Failure``; an error of the user's goes on up."""
        try:
            with stopwatch() as watch:
                response = pipeline.answer(question.query)
        except UserError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a pipeline raises is this question's failure
            failure = Failure("answer", type(error).__name__, str(error) or "no message")
            why = f"the question failed at {failure.stage}: {failure.kind}"
            missing = {key: Score(None, why) for key in self.metrics}
            return Record(question, None, Rulings(scale=self.scale), missing, Cause.FAILED, failure)
        if watch.embedded:
            response = replace(response, embedded=Embedded.sum_of(watch.embedded))
        outcome = Outcome(question, response)
        mode = unanswerable_mode(self.metrics.values())
        rulings = rule(self.judge, outcome, scale=self.scale, unanswerable=mode)
        scores = {key: _score(metric, outcome, rulings) for key, metric in self.metrics.items()}
        return Record(question, response, rulings, scores, cause(outcome, rulings, diagnosis=self.diagnosis))


def _score(metric: Metric, outcome: Outcome, rulings: Rulings) -> Score:
    """The metric's score; one that breaks is not measured, and the others stand."""
    try:
        return metric(outcome, rulings)
    except Exception as error:  # noqa: BLE001  # a metric may be the user's
        return Score(None, f"the metric failed: {type(error).__name__}: {error}")


def index(architecture: Architecture, documents: Sequence[Document], generator: Generator) -> Indexed:
    """Build a pipeline, timed and costed."""
    with stopwatch() as watch:
        pipeline = architecture.build(documents, generator)
    return Indexed(pipeline, watch.seconds, total_of(watch.completions, watch.embedded))


def run(
    pipeline: Pipeline, questions: Iterable[Question], examiner: Examiner, *, at_once: int = 1
) -> abc.Generator[Record, None, None]:
    """A record for each question, as each is finished; ``at_once``: how many may wait for endpoints side by side.

    Who may be stopped while it reads the records takes them by ``hand_over``, so that no more is sent.
    """
    if at_once > 1:
        yield from as_finished(questions, partial(examiner.record, pipeline), at_once=at_once)
        return
    for question in questions:
        yield examiner.record(pipeline, question)


def hand_over(records: abc.Generator[Record, None, None], take: Callable[[Record], object]) -> None:
    """Give each record to ``take``; Ctrl-C while it takes one does what it does between two: what comes is taken."""
    with closing(records), suppress(StopIteration):
        record = next(records)
        while True:
            try:
                take(record)
            except KeyboardInterrupt as interrupt:
                record = records.throw(interrupt)
            else:
                record = next(records)
