"""The cross-encoder, tested with a double at the API of sentence-transformers: no weights, no network."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from benchmark.domain import Chunk, Hit, Query, Reranker, Span, UserError
from benchmark.models.cross_encoders import CrossEncoderReranker

HITS = tuple(Hit(Chunk(text, Span("d", 0, 1), text), 1.0) for text in ("a", "abc", "ab"))


class CrossEncoder:
    """The part of sentence-transformers 6 that is used: ``predict``."""

    def __init__(self, name: str, *, revision: str | None, device: str | None, max_length: int | None) -> None:
        self.given = name, revision, device, max_length

    def predict(self, inputs: list[tuple[str, str]], *, batch_size: int, show_progress_bar: bool) -> list[Any]:
        scores: list[Any] = [float(len(passage)) for _, passage in inputs]
        return [[score, score] for score in scores] if self.given[0] == "two labels" else scores


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.CrossEncoder = CrossEncoder  # type: ignore[attr-defined]  # a double
    module.__spec__ = SimpleNamespace(name="sentence_transformers")  # type: ignore[assignment]  # find_spec looks at it
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("installed")
def test_passages_are_ordered_by_its_scores() -> None:
    reranker = CrossEncoderReranker(model="m", revision="abc", max_tokens=512)
    assert [(hit.chunk.text, hit.score) for hit in reranker.rerank(Query("q", "x"), HITS, 2)] == [("abc", 3), ("ab", 2)]
    assert reranker.loaded["model"].given == ("m", "abc", None, 512)
    assert isinstance(reranker, Reranker)
    assert reranker.rerank(Query("q", " "), HITS, 2) == HITS[:2]


@pytest.mark.usefixtures("installed")
def test_a_model_with_several_labels_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 2\) for 3 passages"):
        CrossEncoderReranker(model="two labels").rerank(Query("q", "x"), HITS, 2)


def test_without_its_extra_it_ends_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.models.extras.find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"pip install 'ragsweep\[huggingface\]'"):
        CrossEncoderReranker(model="m")
