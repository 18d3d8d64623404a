"""A sweep embeds each distinct text once, whatever the number of its architectures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import pytest

from benchmark.config import Plan
from benchmark.domain import FloatMatrix
from benchmark.job import examiner
from benchmark.run import index, run
from tests.fakes import HashEmbedder

Embedded = Counter[tuple[str, str]]
SWEEP = ("dense", "hybrid", "reranked", "parent", "multi_query", "hyde")


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Embedded:
    """How often the model embedded each (role, text)."""
    met: Embedded = Counter()
    embed = HashEmbedder.embed

    def counting(self: HashEmbedder, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        met.update((role, text) for text in texts)
        return embed(self, texts, role=role)

    monkeypatch.setattr(HashEmbedder, "embed", counting)
    return met


@pytest.fixture
def sweep(planned: Callable[..., Plan], tmp_path: Path) -> Callable[..., None]:
    """Ask the whole tiny exam of architectures that share a ledger; generator and judge go by vectors as well."""
    fakes = (
        "corpus=tiny",
        "embedder=hash",
        "embedder._target_=benchmark.models.embedders.Remembering",
        "+embedder.embedder._target_=tests.fakes.HashEmbedder",
        "+embedder.memory=${memory}",
        "generator=extractive",
        "+generator.nearest=0",  # it answers, so that the judge embeds what was answered
        "writer=echo",
        "tracking=none",
        f"results={tmp_path}",  # a ledger of its own: one is kept for each path
    )

    def sweep(*architectures: str) -> None:
        for architecture in architectures:
            plan = planned(f"architecture={architecture}", fakes=fakes)
            pipeline = index(plan.architecture, plan.corpus.documents, plan.generator).pipeline
            assert all(record.failure is None for record in run(pipeline, plan.questions, examiner(plan)))

    return sweep


def test_a_sweep_embeds_each_text_once_in_each_role(sweep: Callable[..., None], embedded: Embedded) -> None:
    sweep(*SWEEP)
    assert set(embedded.values()) == {1}


def test_the_same_architecture_again_embeds_nothing(sweep: Callable[..., None], embedded: Embedded) -> None:
    sweep("hybrid")
    first = embedded.total()
    sweep("hybrid")
    assert embedded.total() == first > 0
