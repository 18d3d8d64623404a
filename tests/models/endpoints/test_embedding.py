from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from benchmark.digest import digest
from benchmark.domain import Embedded, Embedder, UserError
from benchmark.models.endpoints.embedding import EmbeddingModel
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.prices import Prices
from benchmark.models.endpoints.transport import Transport
from benchmark.stopwatch import stopwatch
from benchmark.turns import together
from tests import endpoint as replies
from tests.endpoint import Endpoint
from tests.fakes import Kept

Embedding = Callable[..., EmbeddingModel]
PRICES = Prices(date="2026-01-01", source="a test", models={"e": {"input": 2_000_000.0, "output": 0.0}})
"""Two a token: a word, as the server counts."""


@pytest.fixture
def embedder(endpoint: Endpoint) -> Embedding:
    def embedder(memory: Kept | None = None, **fields: object) -> EmbeddingModel:
        kept = Kept() if memory is None else memory
        quick = Transport(backoff=0.01, prices=PRICES)
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


def test_what_many_want_at_once_goes_out_together(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.latency = 0.1
    texts = [f"text {place}" for place in range(40)]
    model = embedder()
    rows = together([partial(model.embed, [text], role="query") for text in texts], at_once=len(texts))
    alone = embedder().embed(texts, role="query")
    assert np.array_equal(np.concatenate(rows), alone)
    assert len(endpoint.bodies) <= 3 + 1  # the first one, those that came meanwhile, perhaps a late one; and the check
    assert sorted(text for body in endpoint.bodies[:-1] for text in body["input"]) == sorted(texts)


def test_no_request_is_larger_than_a_batch_for_being_gathered(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.latency = 0.05
    model = embedder(batch=4)
    asked = [[f"{place} {part}" for part in "abc"] for place in range(6)]
    together([partial(model.embed, texts, role="query") for texts in asked], at_once=6)
    assert max(len(body["input"]) for body in endpoint.bodies) <= 4


def test_who_shares_a_request_does_not_fail_for_anothers_text(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.latency = 0.1

    def vectors(handler: replies.Handler, body: replies.Body) -> None:
        replies.vectors(zero="bad" in body["input"])(handler, body)

    endpoint.script.extend([vectors] * 20)
    model = embedder()
    failed: list[str] = []

    def embed(text: str) -> None:
        try:
            model.embed([text], role="query")
        except BadReplyError as error:
            failed.append(str(error))

    together([partial(embed, text) for text in ("first", "good", "bad", "fine")], at_once=4)
    assert [error.endswith("'bad'") for error in failed] == [True]


def test_an_endpoint_that_refuses_the_key_stops_all_who_wait(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.latency = 0.05
    endpoint.script.extend([replies.status(401)] * 8)
    model = embedder()
    stopped: list[str] = []

    def embed(text: str) -> None:
        with pytest.raises(UserError, match="refuses"):
            model.embed([text], role="query")
        stopped.append(text)

    together([partial(embed, text) for text in "abcd"], at_once=4)
    assert sorted(stopped) == list("abcd")


# --------------------------------------------------------------------------------------------------- what it costs


def test_a_request_is_shared_out_by_the_lengths_of_its_texts(embedder: Embedding) -> None:
    with stopwatch() as watch:
        embedder().embed(["a b", "c d e f g", "a b"], role="passage")  # three and nine characters, seven words
    assert watch.embedded == [Embedded(1, 1, 7 * 2 * 3 / 12), Embedded(1, 6, 7 * 2 * 9 / 12)]


def test_a_kept_text_costs_what_it_cost_when_it_was_made(embedder: Embedding, endpoint: Endpoint) -> None:
    memory = Kept()
    with stopwatch() as made:
        embedder(memory).embed(["a b c", "d"], role="passage")
    endpoint.latency = 0.0
    with stopwatch() as kept:
        embedder(memory).embed(["d", "a b c"], role="passage")
    assert Embedded.sum_of(made.embedded) == Embedded.sum_of(kept.embedded) == Embedded(2, 4, 8.0)
    assert (made.cached, kept.cached, len(endpoint.bodies)) == (False, True, 1)
    assert kept.seconds == pytest.approx(made.seconds, abs=0.05)


def test_who_shares_a_request_pays_for_its_own_texts(embedder: Embedding, endpoint: Endpoint) -> None:
    endpoint.latency = 0.1
    model = embedder()
    texts = ["one", "two words", "now three words", "and these are four"]

    def cost(text: str) -> Embedded | None:
        with stopwatch() as watch:
            model.embed([text], role="query")
        return Embedded.sum_of(watch.embedded)

    costs = together([partial(cost, text) for text in texts], at_once=4)
    assert len(endpoint.bodies) < 4
    assert sum(one.tokens or 0 for one in costs if one) == 10
    assert sum(one.money or 0 for one in costs if one) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("model", "counted", "told"),
    [("unlisted", True, Embedded(1, 2, None)), ("e", False, Embedded(1, None, None))],
    ids=["no-price", "no-usage"],
)
def test_what_is_not_known_is_not_nothing(endpoint: Endpoint, model: str, counted: bool, told: Embedded) -> None:
    endpoint.script.append(replies.vectors(counted=counted))
    unknown = EmbeddingModel(model=model, base_url=endpoint.url, memory=Kept(), transport=Transport(prices=PRICES))
    with stopwatch() as watch:
        unknown.embed(["a b"], role="query")
    assert watch.embedded == [told]


def test_what_was_kept_without_a_price_is_read_and_not_sent_again(embedder: Embedding, endpoint: Endpoint) -> None:
    vector = np.zeros(replies.DIMENSIONS, dtype=np.float32)
    vector[2] = 1
    before = np.concatenate([[np.float32(4.5)], vector]).astype(np.float32).tobytes()
    memory = Kept({digest("embedding", endpoint.url, "e", None, "a b"): before})
    with stopwatch() as watch:
        row = embedder(memory).embed(["a b"], role="query")
    assert np.array_equal(row, vector[None, :])
    assert not endpoint.bodies
    assert watch.embedded == [Embedded(1, None, None)]
    assert watch.seconds == pytest.approx(4.5, abs=0.05)
