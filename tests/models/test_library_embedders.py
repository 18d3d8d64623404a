"""Embedders of other libraries. The heavy ones are tested with doubles at their API: no weights, no network."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core import MockEmbedding

from benchmark.domain import Embedder, UserError
from benchmark.models.library_embedders import (
    FastEmbedEmbedder,
    HuggingFaceEmbedder,
    LangChainEmbedder,
    LlamaIndexEmbedder,
)
from benchmark.pipelines import Noticing
from tests.conftest import FAKES

PREFIXES = {"e5": {"query": "query: ", "passage": "passage: "}}


class SentenceTransformer:
    """The parts of sentence-transformers 6 that are used: ``encode``, ``tokenizer``, ``max_seq_length``."""

    def __init__(self, name: str, *, revision: str | None = None, device: str | None = None) -> None:
        self.name, self.revision, self.device = name, revision, device
        self.max_seq_length = 4
        self.sent: list[tuple[list[str], dict[str, Any]]] = []

    def encode(self, inputs: list[str], **given: Any) -> Any:
        self.sent.append((inputs, given))
        return np.array([[3.0, len(text), 0.0] for text in inputs])

    def tokenizer(self, texts: list[str], *, truncation: bool, verbose: bool) -> dict[str, list[list[int]]]:
        assert not truncation
        return {"input_ids": [[0, *range(len(text.split())), 1] for text in texts]}


@pytest.fixture
def huggingface(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined]  # a double
    module.__spec__ = SimpleNamespace(name="sentence_transformers")  # type: ignore[assignment]  # find_spec looks at it
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("huggingface")
def test_a_role_has_the_prefix_of_its_model_and_vectors_have_unit_length() -> None:
    embedder = HuggingFaceEmbedder(model="e5", prefixes=PREFIXES, revision="abc", batch=8)
    rows = embedder.embed(["dosis", "hierro y calcio"], role="query")
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    [(sent, given)] = embedder.loaded["model"].sent
    assert sent == ["query: dosis", "query: hierro y calcio"]
    assert given == {"prompt": "", "batch_size": 8, "show_progress_bar": False}
    assert embedder.loaded["model"].revision == "abc"
    assert isinstance(embedder, Embedder)


@pytest.mark.usefixtures("huggingface")
def test_what_is_cut_and_stretched_is_told() -> None:
    embedder = HuggingFaceEmbedder(model="e5", prefixes=PREFIXES)
    assert embedder.notices() == ()
    embedder.embed(["uno", "uno dos tres cuatro"], role="passage")
    assert isinstance(embedder, Noticing)
    assert embedder.notices() == (
        "embedder e5: 3 dimensions, 2 of 2 stretched to unit length; 1 of 2 texts are longer than the 4 tokens that it "
        "reads and were cut, the longest has 7",
    )


@pytest.mark.usefixtures("huggingface")
def test_another_number_of_dimensions_than_wanted_is_refused() -> None:
    with pytest.raises(UserError, match="gives vectors of 3 dimensions, and 384 are wanted"):
        HuggingFaceEmbedder(model="e5", dimensions=384).embed(["x"], role="passage")


@pytest.mark.usefixtures("huggingface")
def test_vectors_are_kept_apart_by_all_that_changes_them() -> None:
    given: list[dict[str, Any]] = [
        *({}, {"prefixes": PREFIXES}, {"query_prefix": "q: "}, {"passage_prefix": "p: "}),
        *({"revision": "abc"}, {"max_tokens": 3}, {"model": "other"}),
    ]
    names = [HuggingFaceEmbedder(**{"model": "e5", **fields}).name for fields in given]
    assert len(set(names)) == len(names)


class Encoding:
    """A text of so many tokens, cut at four with a mark at the begin of each piece, as the tokenizers package does."""

    def __init__(self, size: int) -> None:
        kept = min(size, 3)
        self.attention_mask = [1] * (1 + kept)
        self.special_tokens_mask = [1] + [0] * kept
        self.overflowing = [Encoding(min(3, size - begin)) for begin in range(3, size, 3)]


class TextEmbedding:
    """The parts of fastembed 0.9 that are used: ``embed``, and the tokeniser of the model below."""

    def __init__(self, model: str, *, cache_dir: str | None, threads: int | None) -> None:
        tokenizer = SimpleNamespace(
            truncation={"max_length": 4}, encode_batch=lambda texts: [Encoding(len(text.split())) for text in texts]
        )
        self.model = SimpleNamespace(tokenizer=tokenizer)

    def embed(self, documents: Sequence[str], batch_size: int) -> Any:
        yield from (np.array([0.6, 0.8]) for _ in documents)


def test_fastembed_tells_what_its_tokeniser_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("fastembed")
    module.TextEmbedding = TextEmbedding  # type: ignore[attr-defined]  # a double
    module.__spec__ = SimpleNamespace(name="fastembed")  # type: ignore[assignment]  # find_spec looks at it
    monkeypatch.setitem(sys.modules, "fastembed", module)
    embedder = FastEmbedEmbedder(model="m")
    assert embedder.embed(["a b c d e f g h i", "a"], role="passage") == pytest.approx(np.array([[0.6, 0.8]] * 2))
    told = "1 of 2 texts are longer than the 4 tokens that it reads and were cut, the longest has 10"
    assert told in embedder.notices()[0]


@pytest.mark.parametrize(("kind", "extra"), [(HuggingFaceEmbedder, "huggingface"), (FastEmbedEmbedder, "fastembed")])
def test_a_missing_extra_ends_with_the_line_to_type(kind: Any, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.models.extras.find_spec", lambda _: None)
    with pytest.raises(UserError) as error:
        kind(model="m")
    assert str(error.value).splitlines()[-1].strip() == f"pip install 'ragsweep[{extra}]'"


def test_any_langchain_embedding_embeds() -> None:
    theirs = DeterministicFakeEmbedding(size=5)
    rows = LangChainEmbedder(model="fake", embeddings=theirs).embed(["a", "b"], role="passage")
    wanted = np.array(theirs.embed_documents(["a", "b"]))
    assert rows == pytest.approx(wanted / np.linalg.norm(wanted, axis=1, keepdims=True))


def test_any_llama_index_embedding_embeds() -> None:
    embedder = LlamaIndexEmbedder(model="mock", embeddings=MockEmbedding(embed_dim=4))
    assert embedder.embed(["a"], role="query") == pytest.approx(np.full((1, 4), 0.5))
    assert "how many texts it cut the library does not say" in embedder.notices()[0]


@pytest.mark.parametrize("vector", [[0.0, 0.0], [np.nan, 1.0]])
def test_a_vector_that_says_nothing_is_an_error(vector: list[float]) -> None:
    broken = SimpleNamespace(embed_query=lambda _: vector)
    with pytest.raises(ValueError, match="zero or not finite for 'dosis'"):
        LangChainEmbedder(model="m", embeddings=broken).embed(["dosis"], role="query")


def test_one_is_chosen_on_the_command_line_and_its_notices_are_kept(ragsweep: Any, house: Any) -> None:
    chosen = "embedder.embedder.embeddings._target_=langchain_core.embeddings.DeterministicFakeEmbedding"
    named = ("embedder=langchain", chosen, "+embedder.embedder.embeddings.size=16")
    fakes = [fake for fake in FAKES if not fake.startswith("embedder")]
    called = ragsweep(*fakes, "judge=none", "architecture=dense", *named)
    assert called.exit_code == 0, called.err
    [kept] = (house / "results").rglob("notices.json")
    assert "16 dimensions" in kept.read_text(encoding="utf-8")
    assert "16 dimensions" in called.out + called.err
