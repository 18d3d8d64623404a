"""Embedders of other libraries, their vectors and lengths checked: what was cut or stretched is told."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from benchmark.digest import digest
from benchmark.domain import FloatMatrix, UserError
from benchmark.models.extras import needs, require
from benchmark.stopwatch import off_the_clock
from benchmark.turns import alone

Role = Literal["query", "passage"]


@dataclass
class Seen:
    """What an embedder was given and gave, for the user to know."""

    texts: int = 0
    cut: int = 0
    longest: int = 0
    dimensions: int = 0
    stretched: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)


@dataclass(frozen=True, kw_only=True)
class LibraryEmbedder(ABC):
    """What all of them share.

    ``prefixes``: by model, what it was trained to have before a query and a passage; ``query_prefix`` and
    ``passage_prefix``, where given, are taken instead. ``dimensions``: how many are wanted; another number is an error.
    """

    model: str
    prefixes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dimensions: int | None = None
    seen: Seen = field(default_factory=Seen, init=False, repr=False, compare=False)

    @abstractmethod
    def vectors(self, texts: Sequence[str], role: Role) -> Any:
        """Rows, in the texts' order, as the library gives them."""

    def lengths(self, texts: Sequence[str]) -> tuple[Sequence[int], int | None]:  # noqa: ARG002  # where it can be known
        """The texts' lengths in the model's tokens, and how many of them it reads; none where the library hides it."""
        return (), None

    def settings(self) -> object:
        """What else of the configuration changes the vectors."""
        return None

    @property
    def name(self) -> str:
        """By which vectors are kept: the model, and a digest of all that changes them."""
        marks = digest(type(self).__name__, self.prefix("query"), self.prefix("passage"), self.settings())
        return f"{self.model}/{marks[:12]}"

    def prefix(self, role: Role) -> str:
        given = self.query_prefix if role == "query" else self.passage_prefix
        return given if given is not None else self.prefixes.get(self.model, {}).get(role, "")

    def embed(self, texts: Sequence[str], *, role: Role) -> FloatMatrix:
        """Unit vectors, shape (len(texts), dimensions).

        Raises:
            UserError: the model gives another number of dimensions than is wanted.
            ValueError: a vector is missing, zero or not finite.
        """
        if not texts:
            return np.zeros((0, self.dimensions or 1), dtype=np.float32)
        sent = [self.prefix(role) + text for text in texts]
        rows = np.asarray(self.vectors(sent, role), dtype=np.float32)
        if rows.ndim != 2 or rows.shape[0] != len(texts):
            raise ValueError(f"{self.model} gave an array of shape {rows.shape} for {len(texts)} texts")
        if self.dimensions is not None and rows.shape[1] != self.dimensions:
            raise UserError(
                f"{self.model} gives vectors of {rows.shape[1]} dimensions, and {self.dimensions} are wanted.\n"
                f"    to do:  embedder.dimensions={rows.shape[1]}, or another model"
            )
        norms = np.linalg.norm(rows, axis=1)
        bad = np.flatnonzero(~np.isfinite(norms) | (norms == 0))
        if bad.size:
            raise ValueError(f"{self.model} gave a vector that is zero or not finite for {texts[bad[0]][:60]!r}")
        self._note(sent, rows.shape[1], stretched=int((np.abs(norms - 1) > 1e-3).sum()))
        return np.asarray(rows / norms[:, None], dtype=np.float32)

    def _note(self, sent: Sequence[str], dimensions: int, *, stretched: int) -> None:
        lengths, limit = self.lengths(sent)
        with self.seen.lock:
            self.seen.texts += len(sent)
            self.seen.dimensions = dimensions
            self.seen.stretched += stretched
            if limit is not None:
                self.seen.cut += sum(length > limit for length in lengths)
                self.seen.longest = max([self.seen.longest, *lengths])

    def notices(self) -> tuple[str, ...]:
        """Of the texts embedded now: dimensions, whether vectors had unit length, and what was cut."""
        seen = self.seen
        if not seen.texts:
            return ()
        unit = "of unit length" if not seen.stretched else f"{seen.stretched} of {seen.texts} stretched to unit length"
        _, limit = self.lengths(())
        cut = "how many texts it cut the library does not say"
        if limit is not None:
            cut = f"{seen.cut} of {seen.texts} texts are longer than the {limit} tokens that it reads and were cut"
            cut += f", the longest has {seen.longest}" if seen.cut else ""
        return (f"embedder {self.model}: {seen.dimensions} dimensions, {unit}; {cut}",)


@dataclass(frozen=True, kw_only=True)
class HuggingFaceEmbedder(LibraryEmbedder):
    """A model of sentence-transformers (the extra ``huggingface``), by its name on the hub or by its folder.

    ``revision``: of the model on the hub; ``device``: ``None`` takes the best there is. Its own default prompts are
    not used: ``prefixes`` say what is put before a text.
    """

    revision: str | None = None
    device: str | None = None
    batch: int = 32
    max_tokens: int | None = None
    loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require("sentence_transformers", "embedder=huggingface", "huggingface")

    def settings(self) -> object:
        return [self.revision, self.max_tokens]

    def _model(self) -> Any:
        if "model" not in self.loaded:
            with off_the_clock(), needs("huggingface", "embedder=huggingface"):
                from sentence_transformers import SentenceTransformer

                model = SentenceTransformer(self.model, revision=self.revision, device=self.device)
            if self.max_tokens is not None:
                model.max_seq_length = self.max_tokens
            self.loaded["model"] = model
        return self.loaded["model"]

    def vectors(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002  # the prefix is in the texts
        with alone():
            model = self._model()
            return model.encode(list(texts), prompt="", batch_size=self.batch, show_progress_bar=False)

    def lengths(self, texts: Sequence[str]) -> tuple[Sequence[int], int | None]:
        with alone():
            model = self._model()
            read = model.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"] if texts else ()
            return [len(tokens) for tokens in read], model.max_seq_length


@dataclass(frozen=True, kw_only=True)
class FastEmbedEmbedder(LibraryEmbedder):
    """A model of fastembed (ONNX on the processor; the extra ``fastembed``); ``path``: a folder that has its files."""

    threads: int | None = None
    cache: str | None = None
    path: str | None = None
    batch: int = 64
    loaded: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require("fastembed", "embedder=fastembed", "fastembed")

    def settings(self) -> object:
        return self.path

    def _model(self) -> Any:
        if "model" not in self.loaded:
            with off_the_clock(), needs("fastembed", "embedder=fastembed"):
                from fastembed import TextEmbedding

                where = {} if self.path is None else {"specific_model_path": self.path}
                self.loaded["model"] = TextEmbedding(self.model, cache_dir=self.cache, threads=self.threads, **where)
        return self.loaded["model"]

    def vectors(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002  # the prefix is in the texts
        with alone():
            return np.stack(list(self._model().embed(list(texts), batch_size=self.batch)))

    def lengths(self, texts: Sequence[str]) -> tuple[Sequence[int], int | None]:
        """Its tokeniser cuts: what it cut off lies beside the tokens that are left."""
        tokenizer = getattr(self._model().model, "tokenizer", None)
        if tokenizer is None or not tokenizer.truncation:
            return (), None
        read = tokenizer.encode_batch(list(texts)) if texts else ()
        return [_length(encoding) for encoding in read], int(tokenizer.truncation["max_length"])


def _length(encoding: Any) -> int:
    """Of what was cut off only the text's own tokens count: every piece of it has the model's marks again."""
    rest = [piece.special_tokens_mask.count(0) for piece in encoding.overflowing]
    return int(sum(encoding.attention_mask) + sum(rest))


@dataclass(frozen=True, kw_only=True)
class LangChainEmbedder(LibraryEmbedder):
    """Any LangChain embedding: what ``embeddings`` makes has ``embed_documents`` and ``embed_query``."""

    embeddings: Any

    def vectors(self, texts: Sequence[str], role: Role) -> Any:
        if role == "passage":
            return self.embeddings.embed_documents(list(texts))
        return [self.embeddings.embed_query(text) for text in texts]


@dataclass(frozen=True, kw_only=True)
class LlamaIndexEmbedder(LibraryEmbedder):
    """Any LlamaIndex embedding: ``embeddings`` has ``get_text_embedding_batch`` and ``get_query_embedding``."""

    embeddings: Any

    def vectors(self, texts: Sequence[str], role: Role) -> Any:
        if role == "passage":
            return self.embeddings.get_text_embedding_batch(list(texts))
        return [self.embeddings.get_query_embedding(text) for text in texts]
