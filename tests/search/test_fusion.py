from __future__ import annotations

import pytest

from benchmark.domain import Chunk, Hit, Query, Span, UserError
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.fusion import Arm, HybridRecipe, min_max_fusion, reciprocal_rank_fusion
from benchmark.search.vectors import DenseRecipe
from tests.fakes import HashEmbedder


def ranking(**scores: float) -> list[Hit]:
    return [Hit(Chunk(name, Span(name, 0, 1), name), score) for name, score in scores.items()]


def test_reciprocal_ranks_add_up() -> None:
    fused = reciprocal_rank_fusion([ranking(a=9, b=5), ranking(b=3, c=1)], [1, 1], c=60)
    assert {hit.chunk.id: hit.score for hit in fused} == pytest.approx({"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62})
    assert [hit.chunk.id for hit in fused] == ["b", "a", "c"]


def test_a_weight_multiplies_a_rankings_votes() -> None:
    fused = reciprocal_rank_fusion([ranking(a=9), ranking(b=9)], [1, 3], c=60)
    assert {hit.chunk.id: hit.score for hit in fused} == pytest.approx({"b": 3 / 61, "a": 1 / 61})
    assert fused[0].chunk.id == "b"


def test_min_max_stretches_each_ranking_to_one() -> None:
    fused = min_max_fusion([ranking(a=20, b=15, c=10), ranking(c=0.9, b=0.8)], [0.5, 0.5])
    assert {hit.chunk.id: hit.score for hit in fused} == pytest.approx({"a": 0.5, "c": 0.5, "b": 0.25})


def test_a_ranking_of_equal_scores_counts_one_each() -> None:
    assert [hit.score for hit in min_max_fusion([ranking(a=2, b=2)], [1])] == [1, 1]


def test_equal_scores_keep_the_order_of_first_sight() -> None:
    fused = reciprocal_rank_fusion([ranking(a=1), ranking(b=1)], [1, 1])
    assert [hit.chunk.id for hit in fused] == ["a", "b"]


def test_no_ranking_fuses_to_nothing() -> None:
    assert reciprocal_rank_fusion([[], []], [1, 1]) == min_max_fusion([[]], [1]) == ()


def test_every_arm_and_the_fusion_are_stages() -> None:
    arms = {"bm25": Arm(recipe=Bm25Recipe(language="es")), "dense": Arm(recipe=DenseRecipe(embedder=HashEmbedder()))}
    chunks = [Chunk(f"c{i}", Span("d", i, i + 1), f"dosis {i}") for i in range(4)]
    stages = HybridRecipe(arms=arms).over(chunks).stages(Query("q", "dosis 2"), 3)
    assert [(stage.name, len(stage.hits)) for stage in stages] == [
        ("retrieve bm25", 4),
        ("retrieve dense", 4),
        ("fuse", 3),
    ]


def test_an_unknown_fusion_is_refused() -> None:
    with pytest.raises(UserError, match="rrf or min_max"):
        HybridRecipe(arms={}, fusion="sum")  # type: ignore[arg-type]  # the mistake under test
