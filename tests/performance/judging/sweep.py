"""A whole sweep at the measuring server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmark.job import examiner
from benchmark.run import index, run
from tests.performance.judging.side import IN_FLIGHT
from tests.performance.plans import planned

ARCHITECTURES = ("bm25", "dense", "hybrid", "reranked", "parent")
GENERATORS = ("one", "other")
QUESTIONS = 100


@dataclass(frozen=True)
class Swept:
    """``seconds`` of indexing, asking, ruling and scoring; ``answers``: of generators; ``samples``: what was judged."""

    seconds: float
    answers: int
    samples: Sequence[dict[str, Any]]


def swept(results: Path, url: str, *, network: str = "allowed") -> Swept:
    """Every question asked of every architecture and generator, ruled on and scored."""
    at = [
        f"{part}.{field}"
        for part in ("generator", "judge.llm", "embedder")
        for field in (f"base_url={url}", "api_key_env=null", f"transport.in_flight={IN_FLIGHT}")
    ]
    parts = ("generator=openai", "judge=llm", "judge.llm.model=judge", f"limit={QUESTIONS}", f"network={network}", *at)
    seconds = 0.0
    samples: list[dict[str, Any]] = []
    answers: set[tuple[str, str, str]] = set()
    for architecture, generator in product(ARCHITECTURES, GENERATORS):
        chosen = (f"architecture={architecture}", f"generator.model={generator}")
        plan = planned(results, *parts, *chosen, embedder=("embedder=openai",))
        began = perf_counter()  # composing and reading a configuration takes equally long whatever is kept
        pipeline = index(plan.architecture, plan.corpus.documents, plan.generator).pipeline
        records = list(run(pipeline, plan.questions, examiner(plan), at_once=plan.in_flight))
        seconds += perf_counter() - began
        for record in records:
            assert not record.failures, record.failures
            assert record.response is not None
            context = [hit.chunk.text for hit in record.response.context]
            answers.add((generator, record.question.id, "".join(context)))
            if record.question.reference:
                asked, answer = record.question, record.response.answer
                fields = {"question": asked.query.text, "reference": asked.reference, "answer": answer}
                samples.append({"id": asked.id, "contexts": context, **fields})
    return Swept(seconds, len(answers), samples)
