"""How often a sweep embeds a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from unittest.mock import patch

from benchmark.domain import FloatMatrix
from benchmark.job import examiner
from benchmark.run import index, run
from tests.fakes import HashEmbedder
from tests.performance.measures import Figure
from tests.performance.plans import planned

SWEEP = ("dense", "hybrid", "reranked", "parent")


def measure() -> Iterator[Figure]:
    """The most embeddings that one text in one role took, with the generator and the judge on vectors too."""
    met: Counter[tuple[str, str]] = Counter()
    embed = HashEmbedder.embed

    def counting(self: HashEmbedder, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        met.update((role, text) for text in texts)
        return embed(self, texts, role=role)

    with TemporaryDirectory() as results, patch.object(HashEmbedder, "embed", counting):
        for architecture in SWEEP:
            plan = planned(
                Path(results), f"architecture={architecture}", "generator=extractive", "+generator.nearest=0"
            )
            pipeline = index(plan.architecture, plan.corpus.documents, plan.generator).pipeline
            assert all(record.failure is None for record in run(pipeline, plan.questions, examiner(plan)))
    yield Figure(
        f"embeddings of one text in a sweep of {len(SWEEP)}",
        max(met.values()),
        "calls",
        1.0,
        f"{met.total():,} calls for {len(met):,} distinct (role, text)",
    )
