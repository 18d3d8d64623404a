from __future__ import annotations

import time

import numpy as np
import pytest

from benchmark.models import embedders
from benchmark.models.embedders import MultilingualE5, Remembering
from benchmark.stopwatch import stopwatch
from tests.fakes import HashEmbedder, Kept


def test_each_distinct_text_is_embedded_once() -> None:
    embedder = HashEmbedder()
    remembering = Remembering(embedder, Kept())
    remembering.embed(["a", "b", "a"], role="passage")
    remembering.embed(["b", "c"], role="passage")
    assert sorted(embedder.calls) == ["a", "b", "c"]


def test_the_role_is_part_of_what_is_kept() -> None:
    embedder = HashEmbedder()
    remembering = Remembering(embedder, Kept())
    remembering.embed(["a"], role="passage")
    remembering.embed(["a"], role="query")
    assert embedder.calls == ["a", "a"]


def test_kept_vectors_are_the_same_to_the_bit_and_in_order() -> None:
    remembering = Remembering(HashEmbedder(), Kept())
    first = remembering.embed(["dosis", "hierro"], role="passage")
    assert np.array_equal(remembering.embed(["hierro", "dosis"], role="passage"), first[::-1])


def test_a_kept_vector_costs_what_it_cost_when_made() -> None:
    remembering = Remembering(HashEmbedder(), Kept())
    with stopwatch() as cold:
        remembering.embed(["dosis"] * 3, role="passage")
    with stopwatch() as warm:
        remembering.embed(["dosis"], role="passage")
    assert (warm.cached, cold.cached) == (True, False)
    assert warm.seconds > 0


def test_loading_a_model_is_in_no_kept_cost_and_in_no_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    class Engine:
        dim = 2

        def passage(self, texts: list[str]) -> list[list[float]]:
            return [[1.0, 0.0]] * len(texts)

    def load(threads: int) -> Engine:
        time.sleep(0.3)
        return Engine()

    monkeypatch.setattr(embedders, "_load", load)
    memory = Kept()
    with stopwatch() as cold:
        Remembering(MultilingualE5(), memory).embed(["dosis"], role="passage")
    with stopwatch() as warm:
        Remembering(MultilingualE5(), memory).embed(["dosis"], role="passage")
    assert max(cold.seconds, warm.seconds) < 0.2


def test_no_text_gives_no_vector() -> None:
    assert Remembering(HashEmbedder(), Kept()).embed([], role="query").shape[0] == 0


def test_e5_gives_unit_vectors_that_tell_meanings_apart() -> None:
    embedder = MultilingualE5()
    [question] = embedder.embed(["¿Cuándo se pone la vacuna?"], role="query")
    near, far = embedder.embed(
        ["La inmunización se aplica en la semana 20.", "El puente mide 40 metros."], role="passage"
    )
    assert question @ near > question @ far
    assert abs(np.linalg.norm(near) - 1) < 1e-5


def test_e5_gives_the_same_alone_and_in_a_batch() -> None:
    embedder = MultilingualE5()
    texts = ["Se dan 4 g.", "Una gestante con hipertensión y proteinuria.", "No."]
    together = embedder.embed(texts, role="passage")
    assert all(
        np.array_equal(embedder.embed([text], role="passage")[0], row)
        for text, row in zip(texts, together, strict=True)
    )


def test_a_nul_does_not_cut_a_text() -> None:
    embedder = MultilingualE5()
    cut, whole = embedder.embed(["dosis", "dosis\0de hierro"], role="passage")
    assert not np.array_equal(cut, whole)
