from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmark.domain import Embedder, UserError
from benchmark.models.endpoints.embedding import EmbeddingModel
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.transport import Transport
from tests import endpoint as replies
from tests.endpoint import Endpoint
from tests.fakes import Kept

Embedding = Callable[..., EmbeddingModel]


@pytest.fixture
def embedder(endpoint: Endpoint) -> Embedding:
    def embedder(memory: Kept | None = None, **fields: object) -> EmbeddingModel:
        kept = Kept() if memory is None else memory
        quick = Transport(backoff=0.01)
        return EmbeddingModel(model="e", base_url=endpoint.url, memory=kept, transport=quick, **fields)  # type: ignore[arg-type]  # a test's own

    return embedder


def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: Embedding) -> None:
    rows = embedder().embed(["a", "b", "a"], role="passage")
    assert rows.shape == (3, replies.DIMENSIONS)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert [int(row.argmax()) for row in rows] == [ord(letter) % replies.DIMENSIONS for letter in "aba"]
    assert isinstance(embedder(), Embedder)


def test_lists_of_numbers_are_read_where_base64_was_asked(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.vectors(encoded=False))
    plain = embedder().embed(["abc"], role="query")
    assert endpoint.bodies[0]["encoding_format"] == "base64"
    assert np.array_equal(plain, embedder().embed(["abc"], role="query"))


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (replies.vectors(zero=True), "zero for the text 'abc'"),
        (replies.vectors(missing=1), "0 vectors for 1 texts"),
        (replies.raw(b'{"data": [{"index": 0, "embedding": "!!!"}]}'), "cannot be read"),
        (replies.raw(b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), "not finite"),
    ],
    ids=["zero", "missing", "no-base64", "nan"],
)
def test_a_vector_that_says_nothing_is_a_failure_and_not_kept(
    embedder: Embedding, endpoint: Endpoint, fault: replies.Reply, why: str
) -> None:
    memory = Kept()
    endpoint.script.append(fault)
    with pytest.raises(BadReplyError, match=why):
        embedder(memory).embed(["abc"], role="passage")
    assert not memory


def test_a_text_is_sent_once(embedder: Embedding, endpoint: Endpoint) -> None:
    memory = Kept()
    embedder(memory).embed(["a", "b"], role="passage")
    embedder(memory).embed(["b", "c"], role="query")
    assert [body["input"] for body in endpoint.bodies] == [["a", "b"], ["c"]]


def test_texts_go_out_in_batches(embedder: Embedding, endpoint: Endpoint) -> None:
    embedder(batch=2).embed(["a", "b", "c"], role="passage")
    assert [body["input"] for body in endpoint.bodies] == [["a", "b"], ["c"]]


def test_a_role_may_have_its_prefix(embedder: Embedding, endpoint: Endpoint) -> None:
    embedder(query_prefix="query: ").embed(["a"], role="query")
    assert endpoint.bodies[0]["input"] == ["query: a"]


def test_no_texts_are_no_request(embedder: Embedding, endpoint: Endpoint) -> None:
    assert embedder().embed([], role="query").shape[0] == 0
    assert not endpoint.bodies


def test_a_server_that_takes_no_notice_of_dimensions_is_found_out(embedder: Embedding) -> None:
    assert embedder(dimensions=replies.DIMENSIONS).embed(["a"], role="query").shape == (1, replies.DIMENSIONS)
    with pytest.raises(UserError, match=r"gives 8 dimensions, and embedder\.dimensions is 3"):
        embedder(dimensions=3).embed(["a"], role="query")
