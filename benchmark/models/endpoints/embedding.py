"""Embeddings from an OpenAI-compatible endpoint, each distinct text sent once."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from time import perf_counter
from typing import Any, Literal

import numpy as np

from benchmark.digest import digest
from benchmark.domain import FloatMatrix, Memory, UserError
from benchmark.kept_vectors import Maker, kept_vector, to_keep
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.gathering import gatherer_of
from benchmark.models.endpoints.kept import once_each
from benchmark.models.endpoints.transport import Endpoint, Size, Transport, Usage
from benchmark.stopwatch import credit


@dataclass(frozen=True, kw_only=True)
class EmbeddingModel:
    """An embedder behind an endpoint. It keeps its vectors itself, so it is not wrapped in another memory.

    ``dimensions``: how many are asked for; ``None`` leaves the model's own. ``query_prefix`` and ``passage_prefix`` are
    put before texts of either role, for models that were trained with them. ``batch``: texts in one request.
    """

    base_url: str
    model: str
    memory: Memory
    api_key_env: str | None = None
    dimensions: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 64
    transport: Transport = field(default_factory=Transport)
    endpoint: Endpoint = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        endpoint = Endpoint(base_url=self.base_url, api_key_env=self.api_key_env, transport=self.transport)
        object.__setattr__(self, "endpoint", endpoint)

    @property
    def name(self) -> str:
        return self.model

    @property
    def in_flight(self) -> int:
        return self.transport.at_once

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> FloatMatrix:
        """Unit vectors, shape (len(texts), dimensions); texts not met before are sent in batches.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: this one did not; a ``BadReplyError`` where a vector is missing, zero or not finite.
        """
        if not texts:
            return np.zeros((0, self.dimensions or 1), dtype=np.float32)
        prefix = self.query_prefix if role == "query" else self.passage_prefix
        keys = [self._key(prefix + text) for text in texts]
        # An empty text is refused by most endpoints; a space says as little.
        sent = {key: prefix + text or " " for key, text in zip(keys, texts, strict=True)}
        if self.transport.network == "dry":
            return self._made_up(sent, texts)
        rows: dict[str, FloatMatrix] = {}
        distinct = list(sent)
        for start in range(0, len(distinct), self.batch):
            began = perf_counter()
            found = once_each(
                self.memory,
                distinct[start : start + self.batch],
                lambda missing: self._make({key: sent[key] for key in missing}),
            )
            made = {key: kept_vector(value) for key, (value, _) in found.items()}
            took = sum(one.seconds for one in made.values())
            credit(
                took - (perf_counter() - began),
                cached=any(kept for _, kept in found.values()),
                embedded=[one.cost for one in made.values()],
            )
            rows.update((key, one.vector) for key, one in made.items())
        widths = {row.shape[0] for row in rows.values()}
        if len(widths) > 1:
            raise BadReplyError(f"{self.model} gave vectors of different lengths: {sorted(widths)}")
        if self.dimensions is not None and widths != {self.dimensions}:
            raise UserError(
                f"{self.model} gives {widths.pop()} dimensions, and embedder.dimensions is {self.dimensions}.\n"
                "    to do:  leave it out (null), or choose a model that can be asked for so many"
            )
        return np.stack([rows[key] for key in keys])

    def _made_up(self, sent: Mapping[str, str], texts: Sequence[str]) -> FloatMatrix:
        """Vectors for a dry run; texts are counted one by one, though they would go in batches.

        Another for every text: were they all the same, all questions would retrieve the same passages, and the prompts
        that differ by them would be counted once.
        """
        for key, text in sent.items():
            if self.memory.get(key) is None:
                self.endpoint.expect(key, self.model, Size(len(text.encode("utf-8", "surrogatepass")), 0))
        drawn = [np.random.default_rng(int(digest(text)[:16], 16)).normal(size=self.dimensions or 64) for text in texts]
        return np.asarray([row / np.linalg.norm(row) for row in drawn], dtype=np.float32)

    def _key(self, text: str) -> str:
        return digest("embedding", self.endpoint.where, self.model, self.dimensions, text)

    def _make(self, texts: Mapping[str, str]) -> Mapping[str, bytes]:
        """By key what is kept of each text; in one request with what other threads want."""
        gatherer = gatherer_of(self.endpoint.where, self.api_key_env, self.model, self.dimensions)
        return gatherer.made(texts, self._send, batch=self.batch)

    def _send(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """By key what is kept of each text; what the request cost is shared out by the texts' lengths."""
        body: dict[str, object] = {"model": self.model, "input": list(texts.values()), "encoding_format": "base64"}
        if self.dimensions is not None:
            body["dimensions"] = self.dimensions
        size = Size(sum(len(text.encode("utf-8", "surrogatepass")) for text in texts.values()), 0)
        reply = self.endpoint.post("embeddings", body, size)
        vectors = _vectors(reply.fields, len(texts))
        usage, maker = Usage.of(reply.fields), Maker(self.endpoint.where, self.model)
        lengths = [len(text) for text in texts.values()]
        characters = sum(lengths)
        tokens = _shared_out(None if usage is None else usage.prompt, lengths)
        made = {}
        for (key, text), vector, own in zip(texts.items(), vectors, tokens, strict=True):
            norm = float(np.linalg.norm(vector))
            if not np.isfinite(norm) or norm == 0.0:
                found = "zero" if norm == 0.0 else "not finite"
                raise BadReplyError(f"{self.model} gave a vector that is {found} for the text {text[:60]!r}")
            share = len(text) / characters
            money = None if reply.money is None else reply.money * share
            made[key] = to_keep(vector / norm, maker=maker, seconds=reply.seconds * share, tokens=own, money=money)
        return made


def _shared_out(total: int | None, lengths: Sequence[int]) -> list[int | None]:
    """Whole tokens by the texts' lengths, which add up to the request's.

    >>> _shared_out(10, [1, 1, 2]), _shared_out(None, [3])
    ([2, 3, 5], [None])
    """
    if total is None:
        return [None] * len(lengths)
    characters = sum(lengths)
    ends = [total * end // characters for end in accumulate(lengths, initial=0)]
    return [end - begin for begin, end in pairwise(ends)]


def _vectors(fields: Mapping[str, Any], wanted: int) -> list[FloatMatrix]:
    """The reply's vectors in the order of the texts; servers that know no base64 send lists of numbers."""
    data = fields.get("data")
    if not isinstance(data, list) or len(data) != wanted:
        found = len(data) if isinstance(data, list) else 0
        raise BadReplyError(f"the reply has {found} vectors for {wanted} texts")
    placed: dict[int, FloatMatrix] = {}
    for place, item in enumerate(data):
        if not isinstance(item, dict):
            raise BadReplyError(f"the reply has a {type(item).__name__} in place of a vector")
        index = item.get("index", place)
        placed[index if isinstance(index, int) else place] = _vector(item.get("embedding"))
    if sorted(placed) != list(range(wanted)):
        raise BadReplyError("the reply names a text twice or none at all")
    return [placed[place] for place in range(wanted)]


def _vector(value: object) -> FloatMatrix:
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
        return np.asarray(value, dtype=np.float32).reshape(-1)
    except (ValueError, TypeError, binascii.Error) as error:
        raise BadReplyError(f"the reply has a vector that cannot be read: {error}") from None
