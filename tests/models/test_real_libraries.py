"""The extras ``huggingface`` and ``fastembed`` with the real libraries, where they are installed.

Over tiny models of random weights, written here: no hub is asked. ``pip install "ragsweep[huggingface]"``, and in an
environment of its own ``pip install "ragsweep[fastembed]" onnx``, then ``pytest tests/models/test_real_libraries.py``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark.domain import Chunk, Hit, Query, Span
from benchmark.models.cross_encoders import CrossEncoderReranker
from benchmark.models.library_embedders import FastEmbedEmbedder, HuggingFaceEmbedder

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    *MARKS,
    "query",
    "passage",
    ":",
    "dosis",
    "de",
    "carga",
    "hierro",
    "calcio",
    "leche",
    "magnesio",
    "es",
    "4",
    "g",
)
TEXTS = ["dosis de carga", "hierro", "calcio de leche"]
LIMIT = 12


def tokenizer(folder: Path) -> Any:
    """A word tokeniser of the library transformers, in a folder."""
    from transformers import BertTokenizerFast  # type: ignore[import-not-found, unused-ignore]  # an extra

    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    made = BertTokenizerFast(vocab={word: n for n, word in enumerate(WORDS)}, model_max_length=LIMIT)
    made.save_pretrained(folder)
    return made


def bert(folder: Path, kind: str, **more: Any) -> Path:
    """A tiny model of the library transformers with random weights, in a folder."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    pytest.importorskip("sentence_transformers")
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=LIMIT, **sizes, **more)
    getattr(transformers, kind)(config).save_pretrained(folder)
    tokenizer(folder)
    return folder


def cosines(rows: np.ndarray[Any, Any]) -> Any:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def test_sentence_transformers_gives_the_vectors_of_the_library_alone(tmp_path: Path) -> None:
    folder = bert(tmp_path, "BertModel")
    from sentence_transformers import SentenceTransformer

    prefixes = {str(folder): {"query": "query : ", "passage": "passage : "}}
    ours = HuggingFaceEmbedder(model=str(folder), prefixes=prefixes, device="cpu", dimensions=16)
    alone = SentenceTransformer(str(folder), device="cpu").encode([f"query : {text}" for text in TEXTS])
    rows = ours.embed(TEXTS, role="query")
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert rows @ rows.T == pytest.approx(cosines(alone), abs=1e-5)
    assert not np.allclose(rows, ours.embed(TEXTS, role="passage"))


def test_sentence_transformers_tells_what_it_cut(tmp_path: Path) -> None:
    ours = HuggingFaceEmbedder(model=str(bert(tmp_path, "BertModel")), device="cpu", max_tokens=6)
    long = "hierro calcio leche magnesio es 4 g"
    assert ours.embed([long, "hierro calcio leche magnesio"], role="passage")[0] == pytest.approx(
        ours.embed(["hierro calcio leche magnesio"], role="passage")[0], abs=1e-5
    )
    [told] = ours.notices()
    assert "16 dimensions" in told
    assert "1 of 3 texts are longer than the 6 tokens that it reads and were cut, the longest has 9" in told


def test_the_cross_encoder_ranks_as_the_library_alone(tmp_path: Path) -> None:
    folder = bert(tmp_path, "BertForSequenceClassification", num_labels=1)
    from sentence_transformers import CrossEncoder

    hits = tuple(Hit(Chunk(text, Span("d", 0, 1), text), 1.0) for text in TEXTS)
    alone = CrossEncoder(str(folder), device="cpu").predict([("dosis", text) for text in TEXTS])
    ranked = CrossEncoderReranker(model=str(folder), device="cpu").rerank(Query("q", "dosis"), hits, 3)
    assert {hit.chunk.text: hit.score for hit in ranked} == pytest.approx(dict(zip(TEXTS, alone, strict=True)))
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)


# ----------------------------------------------------------------------------------------------------------- fastembed


def onnx_model(folder: Path) -> Path:
    """A table of vectors as an ONNX model with the files that fastembed wants."""
    if find_spec("fastembed") is None:
        pytest.skip("fastembed is not installed")
    onnx, tokenizers = pytest.importorskip("onnx"), pytest.importorskip("tokenizers")
    table = np.random.default_rng(1).normal(size=(len(WORDS), 8)).astype(np.float32)
    whole = ["batch", "length"]
    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, whole)
        for name in ("input_ids", "attention_mask")
    ]
    output = onnx.helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, [*whole, 8])
    node = onnx.helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = onnx.helper.make_graph([node], "tiny", inputs, [output], [onnx.numpy_helper.from_array(table, "table")])
    opset = [onnx.helper.make_opsetid("", 17)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opset, ir_version=8), folder / "model.onnx")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: n for n, word in enumerate(WORDS)}, "[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(folder / "tokenizer.json"))
    settings: dict[str, object] = {"model_max_length": 6, "pad_token": "[PAD]", "pad_token_id": 0}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}), encoding="utf-8")
    named = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), MARKS, strict=True))
    (folder / "special_tokens_map.json").write_text(json.dumps(named), encoding="utf-8")
    return folder


def registered(name: str) -> str:
    from fastembed import TextEmbedding  # type: ignore[import-not-found, unused-ignore]  # an extra
    from fastembed.common.model_description import (  # type: ignore[import-not-found, unused-ignore]  # an extra
        ModelSource,
        PoolingType,
    )

    if name not in [model["model"] for model in TextEmbedding.list_supported_models()]:
        source = ModelSource(hf="nobody/tiny")
        TextEmbedding.add_custom_model(
            name, pooling=PoolingType.MEAN, normalization=True, sources=source, dim=8, model_file="model.onnx"
        )
    return name


def mean_of(table: Sequence[int], weights: np.ndarray[Any, Any]) -> Any:
    row = weights[list(table)].mean(axis=0)
    return row / np.linalg.norm(row)


def test_fastembed_gives_the_mean_of_its_tokens_and_tells_what_it_cut(tmp_path: Path) -> None:
    folder = onnx_model(tmp_path)
    ours = FastEmbedEmbedder(model=registered("tiny/mean"), path=str(folder), threads=1, dimensions=8)
    rows = ours.embed(["hierro", "hierro calcio leche magnesio es 4 g"], role="passage")
    table = np.random.default_rng(1).normal(size=(len(WORDS), 8)).astype(np.float32)
    ids = {word: n for n, word in enumerate(WORDS)}
    read = ["[CLS]", "hierro", "calcio", "leche", "magnesio", "[SEP]"]
    assert rows[0] == pytest.approx(mean_of([2, ids["hierro"], 3], table), abs=1e-5)
    assert rows[1] == pytest.approx(mean_of([ids[word] for word in read], table), abs=1e-5)
    [told] = ours.notices()
    assert "8 dimensions, of unit length" in told
    assert "1 of 2 texts are longer than the 6 tokens that it reads and were cut, the longest has 9" in told
