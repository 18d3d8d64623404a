"""Several rankings made into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark.domain import Chunk, Hit, Query, Recipe, Retriever, Step, UserError
from benchmark.stopwatch import stopwatch

Ranking = Sequence[Hit]


def reciprocal_rank_fusion(rankings: Sequence[Ranking], weights: Sequence[float], *, c: float = 60) -> tuple[Hit, ...]:
    """Score = sum over rankings of weight / (c + rank), ranks from 1; equal scores keep the order of first sight.

    Source: Cormack, Clarke and Buettcher 2009, "Reciprocal Rank Fusion".
    """
    return _fuse(rankings, weights, lambda ranking: [1 / (c + rank) for rank in range(1, len(ranking) + 1)])


def min_max_fusion(rankings: Sequence[Ranking], weights: Sequence[float]) -> tuple[Hit, ...]:
    """Score = weighted sum of each ranking's scores, stretched to [0, 1]; a ranking of equal scores counts 1 each."""

    def stretched(ranking: Ranking) -> list[float]:
        low, high = min(hit.score for hit in ranking), max(hit.score for hit in ranking)
        return [(hit.score - low) / (high - low) if high > low else 1.0 for hit in ranking]

    return _fuse(rankings, weights, stretched)


def _fuse(
    rankings: Sequence[Ranking], weights: Sequence[float], value: Callable[[Ranking], list[float]]
) -> tuple[Hit, ...]:
    chunks: dict[str, Chunk] = {}
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        if not ranking:
            continue
        for hit, points in zip(ranking, value(ranking), strict=True):
            chunks.setdefault(hit.chunk.id, hit.chunk)
            scores[hit.chunk.id] = scores.get(hit.chunk.id, 0.0) + weight * points
    ordered = sorted(chunks, key=lambda chunk_id: -scores[chunk_id])
    return tuple(Hit(chunks[chunk_id], scores[chunk_id]) for chunk_id in ordered)


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One retriever of a hybrid: how many candidates it brings and how much its vote weighs."""

    recipe: Recipe
    candidates: int = 20
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class HybridRecipe:
    """Arms searched apart and fused, by reciprocal ranks (``rrf``) or by stretched scores (``min_max``)."""

    arms: Mapping[str, Arm]
    fusion: Literal["rrf", "min_max"] = "rrf"
    c: float = 60

    def __post_init__(self) -> None:
        if self.fusion not in ("rrf", "min_max"):
            raise UserError(f"retriever.fusion is {self.fusion!r}; it may be rrf or min_max")

    def over(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        return HybridRetriever(self, {name: arm.recipe.over(chunks) for name, arm in self.arms.items()})

    def fuse(self, rankings: Sequence[Ranking]) -> tuple[Hit, ...]:
        weights = [arm.weight for arm in self.arms.values()]
        if self.fusion == "rrf":
            return reciprocal_rank_fusion(rankings, weights, c=self.c)
        return min_max_fusion(rankings, weights)


@dataclass(frozen=True)
class HybridRetriever:
    recipe: HybridRecipe
    retrievers: Mapping[str, Retriever]

    def search(self, query: Query, k: int) -> tuple[Hit, ...]:
        return self.stages(query, k)[-1].hits

    def stages(self, query: Query, k: int) -> tuple[Step, ...]:
        """One step per arm, then the fusion."""
        steps = []
        for name, arm in self.recipe.arms.items():
            with stopwatch() as watch:
                hits = self.retrievers[name].search(query, max(k, arm.candidates))
            steps.append(Step(f"retrieve {name}", watch.seconds, watch.cached, hits))
        with stopwatch() as watch:
            fused = self.recipe.fuse([step.hits for step in steps])
        return (*steps, Step("fuse", watch.seconds, watch.cached, fused[:k]))
