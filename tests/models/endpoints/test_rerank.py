from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from benchmark.domain import Chunk, Hit, Query, Reranker, Span, UserError
from benchmark.models.endpoints.budget import by_model, new_accounts
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.prices import Prices
from benchmark.models.endpoints.rerank import ModelReranker, RerankEndpoint
from benchmark.models.endpoints.transport import Transport
from benchmark.pipelines import rerank
from tests import endpoint as replies
from tests.conftest import FAKES, Called
from tests.endpoint import Body, Endpoint, serving
from tests.fakes import EchoWriter, Kept

Modelled = Callable[..., ChatModel]
PATIENT: dict[str, object] = {"timeout": 60.0}  # the first call loads the openai package
QUERY = Query("q", "¿Qué dosis?")
HITS = tuple(Hit(Chunk(name, Span(name, 0, 1), name), 1.0) for name in ("uno", "dos", "tres"))


def names(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.chunk.id for hit in hits]


# ------------------------------------------------------------------------------------------------- a rerank endpoint


def scores(*scored: tuple[int, object]) -> replies.Reply:
    results = [{"index": index, "relevance_score": score} for index, score in scored]
    return replies.raw(json.dumps({"results": results}).encode())


@pytest.fixture
def reranker(endpoint: Endpoint) -> RerankEndpoint:
    quick = Transport(backoff=0.01)
    return RerankEndpoint(base_url=f"{endpoint.url}/rerank", model="r", memory=Kept(), transport=quick)


def test_passages_go_out_once_and_come_back_by_their_scores(reranker: RerankEndpoint, endpoint: Endpoint) -> None:
    endpoint.script.append(scores((2, 0.9), (0, 0.5), (1, 0.1)))
    first = reranker.rerank(QUERY, HITS, 2)
    assert [(hit.chunk.id, hit.score) for hit in first] == [("tres", 0.9), ("uno", 0.5)]
    assert endpoint.bodies == [{"model": "r", "query": QUERY.text, "documents": ["uno", "dos", "tres"], "top_n": 3}]
    assert endpoint.paths == ["/v1/rerank"]
    assert reranker.rerank(QUERY, HITS, 2) == first
    assert len(endpoint.bodies) == 1
    assert isinstance(reranker, Reranker)


def priced(endpoint: Endpoint, **row: float) -> RerankEndpoint:
    prices = Prices(date="2026-01-01", source="a test", models={"r": row})
    transport = Transport(backoff=0.01, prices=prices)
    return RerankEndpoint(base_url=f"{endpoint.url}/rerank", model="r", memory=Kept(), transport=transport)


def test_a_call_costs_what_the_table_says_of_it_kept_or_not(endpoint: Endpoint) -> None:
    endpoint.script.append(scores((2, 0.9), (0, 0.5), (1, 0.1)))
    reranker = priced(endpoint, call=0.002)
    first, again = (rerank(reranker, QUERY, HITS, 2).completions for _ in range(2))
    assert [(one.text, one.prompt_tokens, one.completion_tokens, one.money) for one in first] == [("", None, 0, 0.002)]
    assert again == (replace(first[0], cached=True),)


def test_a_call_that_tells_its_tokens_is_priced_by_them(endpoint: Endpoint) -> None:
    results = [{"index": index, "relevance_score": 0.5} for index in range(3)]
    endpoint.script.append(replies.raw(json.dumps({"results": results, "usage": {"total_tokens": 4_000}}).encode()))
    [call] = rerank(priced(endpoint, input=50.0, output=0.0), QUERY, HITS, 3).completions
    assert call.prompt_tokens == 4_000
    assert call.money == pytest.approx(0.2)


@pytest.mark.parametrize("row", [{}, {"input": 50.0, "output": 0.0}])
def test_the_price_of_a_call_is_unknown_and_never_0(endpoint: Endpoint, row: dict[str, float]) -> None:
    """Without a price, and with one by tokens where the reply does not tell them."""
    endpoint.script.append(scores((0, 0.1), (1, 0.9), (2, 0.5)))
    reranker = priced(endpoint, **row) if row else replace(priced(endpoint, call=1.0), model="unlisted")
    [call] = rerank(reranker, QUERY, HITS, 3).completions
    assert call.money is None


def test_scores_that_were_kept_without_their_cost_are_still_read(endpoint: Endpoint) -> None:
    endpoint.script.append(scores((0, 0.1), (1, 0.9), (2, 0.5)))
    reranker = priced(endpoint, call=0.002)
    hits = reranker.rerank(QUERY, HITS, 3)
    kept = cast(Kept, reranker.memory)
    [(key, value)] = kept.items()
    kept[key] = json.dumps(json.loads(value)[:2]).encode()
    step = rerank(reranker, QUERY, HITS, 3)
    assert (step.hits, [call.money for call in step.completions]) == (hits, [None])


@pytest.mark.parametrize("row", [{"input": 1.0}, {"call": -1.0}, {"call": 1.0, "searches": 1.0}])
def test_a_price_that_is_no_price_is_refused(endpoint: Endpoint, row: dict[str, float]) -> None:
    with pytest.raises(UserError, match=r"price of r is .*or call, the price of one call"):
        priced(endpoint, **row)


@pytest.mark.parametrize("reply", [scores((0, 0.5)), scores((0, 1), (1, "x"), (2, 1)), replies.raw(b'{"data": []}')])
def test_a_passage_without_a_score_is_a_failure_and_not_kept(
    reranker: RerankEndpoint, endpoint: Endpoint, reply: replies.Reply
) -> None:
    endpoint.script.append(reply)
    with pytest.raises(BadReplyError, match="of 3 passages"):
        reranker.rerank(QUERY, HITS, 3)
    assert not reranker.memory.get("x")


def test_what_may_pass_is_tried_again(reranker: RerankEndpoint, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.status(503), scores((0, 0.1), (1, 0.9), (2, 0.5))])
    assert names(reranker.rerank(QUERY, HITS, 3)) == ["dos", "tres", "uno"]


def test_an_empty_question_asks_nobody(reranker: RerankEndpoint, endpoint: Endpoint) -> None:
    assert reranker.rerank(Query("q", " "), HITS, 2) == HITS[:2]
    assert not endpoint.bodies


# ------------------------------------------------------------------------------------------------------ a chat model


def graded(body: Body) -> str:
    passage = body["messages"][-1]["content"].partition("Pasaje: ")[2].split("\n")[0]
    return json.dumps({"relevance": {"uno": 2, "dos": 9, "tres": 9}[passage]})


def test_a_model_grades_each_passage_and_its_calls_stand_in_the_step(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = graded
    step = rerank(ModelReranker(llm=model(transport=PATIENT), language="es"), QUERY, HITS, 3)
    assert [(hit.chunk.id, hit.score) for hit in step.hits] == [("dos", 9), ("tres", 9), ("uno", 2)]
    assert len(step.completions) == len(endpoint.bodies) == 3
    assert all(completion.prompt_tokens for completion in step.completions)


def test_a_model_orders_all_and_what_it_leaves_out_follows(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = lambda _: '{"order": [3, 3, 9, 1]}'
    step = rerank(ModelReranker(llm=model(transport=PATIENT), language="en", way="listwise"), QUERY, HITS, 3)
    assert [(hit.chunk.id, hit.score) for hit in step.hits] == [("tres", 1), ("uno", 1 / 2), ("dos", 1 / 3)]
    assert "[3] tres" in endpoint.bodies[0]["messages"][-1]["content"]


def test_a_reply_that_is_no_grade_is_sent_back_once(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = lambda body: '{"relevance": 4}' if "cannot be used" in str(body["messages"]) else "very good"
    step = rerank(ModelReranker(llm=model(transport=PATIENT), language="es"), QUERY, HITS[:1], 1)
    assert (step.hits[0].score, len(step.completions)) == (4, 2)


@pytest.mark.parametrize("reply", ['{"relevance": 11}', "very good", '{"relevance": "4"}'])
def test_a_reply_that_stays_no_grade_is_a_failure(model: Modelled, endpoint: Endpoint, reply: str) -> None:
    endpoint.content = lambda _: reply
    with pytest.raises(BadReplyError):
        ModelReranker(llm=model(transport=PATIENT), language="es").rerank(QUERY, HITS[:1], 1)


def test_an_order_of_nothing_is_a_failure(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = lambda _: '{"order": [7]}'
    with pytest.raises(BadReplyError, match="none of the passages 1 to 3"):
        ModelReranker(llm=model(transport=PATIENT), language="es", way="listwise").rerank(QUERY, HITS, 3)


def test_another_way_is_refused(model: Modelled) -> None:
    with pytest.raises(UserError, match="pointwise or listwise"):
        ModelReranker(llm=model(transport=PATIENT), language="es", way="pairwise")  # type: ignore[arg-type]  # the mistake under test


def test_a_writer_that_is_no_chat_model_is_refused() -> None:
    with pytest.raises(UserError, match=r"the writer is echo\.\n    to do:  choose one, such as writer=openai"):
        ModelReranker(llm=EchoWriter(), language="es")  # type: ignore[arg-type]  # the mistake under test


@pytest.mark.parametrize("way", ["pointwise", "listwise"])
def test_a_dry_run_counts_calls_and_sends_nothing(model: Modelled, endpoint: Endpoint, way: Any) -> None:
    new_accounts()
    dry = ModelReranker(llm=model(transport={"network": "dry"}), language="es", way=way)
    assert names(dry.rerank(QUERY, HITS, 2)) == ["uno", "dos"]
    reranker = RerankEndpoint(base_url=endpoint.url, model="r", memory=Kept(), transport=Transport(network="dry"))
    assert names(reranker.rerank(QUERY, HITS, 2)) == ["uno", "dos"]
    assert not endpoint.bodies
    expected = by_model(expected=True)
    assert (expected["tiny"].calls, expected["r"].calls) == (3 if way == "pointwise" else 1, 1)


def test_it_is_chosen_on_the_command_line(ragsweep: Callable[..., Called], house: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    fakes = [fake for fake in FAKES if not fake.startswith("writer")]
    with serving(lambda _: '{"relevance": 3}') as endpoint:
        writer = ("writer=openai", f"writer.base_url={endpoint.url}", "retriever=bm25", "reranker=llm")
        called = ragsweep(*fakes, "judge=none", "architecture=reranked", *writer)
        assert called.exit_code == 0, called.err
        assert len(endpoint.bodies) > 3
    [records] = (house / "results").rglob("records.jsonl")
    steps = [json.loads(line)["response"]["steps"] for line in records.read_text(encoding="utf-8").splitlines()]
    reranked = [step for one in steps for step in one if step["name"] == "rerank"]
    assert [len(step["completions"]) for step in reranked] == [len(step["hits"]) for step in reranked]
