"""What the harness adds to a question, beside the time of the components that it calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import cast
from unittest.mock import patch

from benchmark.config import Plan
from benchmark.domain import Completion, Generator, Hit, Judge, Query
from benchmark.job import examiner
from benchmark.run import index
from benchmark.search import bm25
from tests.performance.measures import Figure, Meter, seconds
from tests.performance.plans import planned

PASSES = 9
# Its fitted threshold abstains from this whole exam, and what is not answered costs little to judge and to score.
ANSWERS = ("generator=extractive_words", "+generator.nearest=0")


def measure() -> Iterator[Figure]:
    for judge in ("none", "local"):
        with TemporaryDirectory() as results:
            plan = planned(Path(results), "architecture=bm25", *ANSWERS, f"judge={judge}")
            yield added(plan, judge)


def added(plan: Plan, judge: str) -> Figure:
    """Time of ``Examiner.record`` less that of bm25s, the generator and the judge, whose vectors are kept."""
    meter = Meter()
    engine = bm25._ENGINES["bm25s"]

    def metered(texts: list[list[str]], k1: float, b: float) -> bm25.Scorer:
        return meter.around(engine(texts, k1, b))

    asking = examiner(plan)
    if plan.judge is not None:
        asking = replace(asking, judge=cast(Judge, MeteredJudge(plan.judge, meter)))
    own: list[float] = []
    components: list[float] = []
    with patch.dict(bm25._ENGINES, bm25s=metered):
        pipeline = index(plan.architecture, plan.corpus.documents, MeteredGenerator(plan.generator, meter)).pipeline
        for question in plan.questions:
            ask = partial(asking.record, pipeline, question)
            record = ask()  # keeps the vectors and finds the stems
            assert record.failure is None, record.failure
            assert record.response is not None
            assert not record.response.abstained, "an abstention hides what scoring costs"
            passes = [_apart(partial(seconds, ask), meter) for _ in range(PASSES)]
            for column, times in zip((own, components), zip(*passes, strict=True), strict=True):
                column.append(1000 * median(times))
    return Figure(
        f"retrieval and {len(plan.metrics)} metrics, judge={judge}, a question",
        fmean(own),
        "ms",
        5.0,
        f"slowest question {max(own):.2f} ms; components {fmean(components):.2f} ms",
    )


def _apart(timed: partial[float], meter: Meter) -> tuple[float, float]:
    """Seconds of the harness itself, and of what it called."""
    before = meter.seconds
    whole = timed()
    called = meter.seconds - before
    return whole - called, called


@dataclass(frozen=True)
class MeteredGenerator:
    """A generator whose time is a component's, not the harness's."""

    generator: Generator
    meter: Meter

    @property
    def name(self) -> str:
        return self.generator.name

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        return self.meter.around(self.generator.answer)(query, context)


@dataclass(frozen=True)
class MeteredJudge:
    """A judge whose verbs are a component's time; what ``rule`` does between them is the harness's."""

    judge: Judge
    meter: Meter

    def __getattr__(self, verb: str) -> object:
        found = getattr(self.judge, verb)
        return self.meter.around(found) if callable(found) else found
