"""Question and passage read together by a cross-encoder of sentence-transformers (the extra ``huggingface``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from benchmark.domain import Hit, Query
from benchmark.models.extras import needs, require
from benchmark.models.rerankers import in_order
from benchmark.stopwatch import off_the_clock
from benchmark.turns import alone


@dataclass(frozen=True, kw_only=True)
class CrossEncoderReranker:
    """``model``: a name on the hub, or a folder. ``max_tokens``: of question and passage together."""

    model: str
    revision: str | None = None
    device: str | None = None
    batch: int = 32
    max_tokens: int | None = None
    loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require("sentence_transformers", "reranker=cross_encoder", "huggingface")

    def _model(self) -> Any:
        if "model" not in self.loaded:
            with off_the_clock(), needs("huggingface", "reranker=cross_encoder"):
                from sentence_transformers import CrossEncoder

                self.loaded["model"] = CrossEncoder(
                    self.model, revision=self.revision, device=self.device, max_length=self.max_tokens
                )
        return self.loaded["model"]

    def rerank(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[Hit, ...]:
        """The best ``k`` with the model's scores; equal scores keep the order they came in.

        Raises:
            ValueError: the model gives something else than one finite score a passage.
        """
        if not query.text.strip() or not hits:
            return tuple(hits[:k])
        pairs = [(query.text, hit.chunk.text) for hit in hits]
        with alone():
            given = self._model().predict(pairs, batch_size=self.batch, show_progress_bar=False)
        scores = np.asarray(given, dtype=float)
        if scores.shape != (len(hits),) or not np.isfinite(scores).all():
            raise ValueError(
                f"{self.model} gave scores of shape {scores.shape} for {len(hits)} passages: one each is wanted"
            )
        return tuple(replace(hits[place], score=float(scores[place])) for place in in_order(scores)[:k])
