"""What a chat model promises, over a server that goes wrong in every way."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from itertools import repeat

import pytest

from benchmark.domain import Chunk, Generator, Hit, Prompt, Query, Span, UserError, Writer
from benchmark.models.endpoints.faults import (
    BadReplyError,
    CallFailedError,
    CallTimeoutError,
    NotKeptError,
    RejectedError,
    ReplyCutError,
)
from benchmark.models.endpoints.pacing import Gate
from benchmark.stopwatch import stopwatch
from benchmark.turns import as_finished
from tests import endpoint as replies
from tests.endpoint import Endpoint
from tests.fakes import Kept
from tests.models.endpoints.conftest import Modelled

ASKED = Prompt("Responde.", "¿Qué dosis?")
HITS = [Hit(Chunk(text, Span("d", 0, 1), text), 1.0) for text in ("El puente mide\n417 metros.", "Se abrió en 1931.")]


def test_it_is_a_generator_and_a_writer(model: Modelled) -> None:
    assert isinstance(model(), Generator)
    assert isinstance(model(), Writer)


def test_a_reply_has_its_text_and_its_tokens(model: Modelled) -> None:
    completion = model().complete(ASKED)
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == ("4 g", 3, 2)
    assert completion.seconds > 0


def test_the_request_says_what_was_configured(model: Modelled, endpoint: Endpoint) -> None:
    model(seed=7, max_tokens=50, parameters={"top_p": 0.5}).complete(ASKED)
    assert endpoint.bodies == [
        {
            "model": "tiny",
            "messages": [{"role": "system", "content": "Responde."}, {"role": "user", "content": "¿Qué dosis?"}],
            "max_tokens": 50,
            "temperature": 0.0,
            "seed": 7,
            "top_p": 0.5,
        }
    ]


# ----------------------------------------------------------------------------------------------------- an answer


def test_the_passages_are_sent_with_their_numbers_in_the_language(model: Modelled, endpoint: Endpoint) -> None:
    model().answer(Query("q", "¿Cuánto mide?"), HITS)
    system, user = (message["content"] for message in endpoint.bodies[0]["messages"])
    assert "solo con lo que dicen los pasajes" in system
    assert "[1] El puente mide 417 metros.\n[2] Se abrió en 1931.\n\nPregunta: ¿Cuánto mide?" in user


def test_without_passages_nobody_is_asked(model: Modelled, endpoint: Endpoint) -> None:
    assert model().answer(Query("q", "¿Cuánto mide?"), []).text.startswith("El contexto no contiene")
    assert not endpoint.bodies


def test_closed_book_speaks_of_no_passages(model: Modelled, endpoint: Endpoint) -> None:
    model().answer_closed_book(Query("q", "¿Cuánto mide?"))
    assert "asaje" not in str(endpoint.bodies)


def test_an_empty_question_is_not_sent(model: Modelled, endpoint: Endpoint) -> None:
    assert model().answer(Query("q", " "), HITS).text == ""
    assert not endpoint.bodies


def test_an_empty_reply_is_a_failure_and_no_abstention(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says(" "))
    with pytest.raises(BadReplyError, match="empty text"):
        model().answer(Query("q", "¿Cuánto mide?"), HITS)


# -------------------------------------------------------------------------------------------------------- kept calls


def test_an_equal_call_is_made_once_and_costs_what_it_did(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    made, kept = model(memory=memory).complete(ASKED), model(memory=memory).complete(ASKED)
    assert (kept.text, kept.seconds, kept.prompt_tokens) == (made.text, made.seconds, made.prompt_tokens)
    assert (made.cached, kept.cached, len(endpoint.bodies)) == (False, True, 1)


@pytest.mark.parametrize(
    "other",
    [{"model": "big"}, {"temperature": 0.5}, {"seed": 1}, {"max_tokens": 9}, {"parameters": {"top_p": 0.5}}],
    ids=lambda other: next(iter(other)),
)
def test_another_model_or_parameter_is_another_call(
    model: Modelled, endpoint: Endpoint, other: dict[str, object]
) -> None:
    memory = Kept()
    model(memory=memory).complete(ASKED)
    model(memory=memory, **other).complete(ASKED)
    assert len(endpoint.bodies) == 2


def test_another_endpoint_is_another_call(model: Modelled) -> None:
    memory = Kept()
    model(memory=memory).complete(ASKED)
    with replies.serving(lambda _: "5 g") as other:
        assert model(memory=memory, base_url=other.url).complete(ASKED).text == "5 g"


def test_another_sample_is_drawn_at_another_temperature_and_seed(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    for sample in (0, 1, 1):
        model(memory=memory, seed=7).complete(Prompt("", "Sigue.", sample=sample))
    assert [(body["temperature"], body["seed"]) for body in endpoint.bodies] == [(0.0, 7), (0.7, 8)]


def test_equal_calls_in_flight_are_sent_once(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.latency = 0.2
    one = model()
    with ThreadPoolExecutor(8) as pool:
        texts = [completion.text for completion in pool.map(one.complete, repeat(ASKED, 8))]
    assert (texts, len(endpoint.bodies)) == (["4 g"] * 8, 1)


def test_a_call_that_failed_is_not_kept(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    endpoint.script.append(replies.raw(b'{"choices": []}'))
    with pytest.raises(BadReplyError, match="no choices"):
        model(memory=memory).complete(ASKED)
    assert model(memory=memory).complete(ASKED).text == "4 g"


def test_without_network_a_kept_call_is_read_and_another_is_an_error(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    model(memory=memory).complete(ASKED)
    cut_off = model(memory=memory, transport={"network": "never"})
    assert cut_off.complete(ASKED).text == "4 g"
    with pytest.raises(NotKeptError, match="network=never"):
        cut_off.complete(Prompt("", "¿Otra?"))
    assert len(endpoint.bodies) == 1


# ------------------------------------------------------------------------------------------------------- many at once


def test_where_nothing_is_sent_nothing_is_done_at_once(model: Modelled) -> None:
    transport = {"in_flight": 9}
    assert model(transport=transport).in_flight == 9
    assert model(transport={**transport, "network": "never"}).in_flight == 1


def test_many_come_back_in_the_order_they_were_asked(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.content = lambda body: str(body["messages"][-1]["content"]).upper()
    endpoint.script.extend(replies.hangs(seconds) for seconds in (0.2, 0.1, 0.0))
    texts = [completion.text for completion in model().many([Prompt("", letter) for letter in "abc"])]
    assert texts == ["A", "B", "C"]


def test_in_flight_is_a_bound_over_all_users_of_an_endpoint(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.latency = 0.05
    users = [model(transport={"in_flight": 3}, model=name) for name in ("a", "b")]
    list(as_finished(users, lambda user: user.many([Prompt("", str(i)) for i in range(9)]), at_once=2))
    assert (endpoint.most_at_once, len(endpoint.bodies)) == (3, 18)


def test_one_failure_among_many_goes_up_after_the_others_are_kept(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    endpoint.script.append(replies.status(400, "too long"))
    with pytest.raises(RejectedError, match="too long"):
        model(memory=memory).many([Prompt("", str(i)) for i in range(6)])
    assert len(memory) == 5


def test_calls_at_once_cost_what_they_do_one_after_another(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.latency = 0.1
    with stopwatch() as watch:
        completions = model().many([Prompt("", str(i)) for i in range(6)])
    assert watch.seconds == pytest.approx(sum(completion.seconds for completion in completions), abs=0.05)


# ------------------------------------------------------------------------------------------------- faults that pass


@pytest.mark.parametrize(
    "fault",
    [
        replies.status(429),
        replies.status(429, retry_after="0.05"),
        replies.status(429, retry_after_ms="20"),
        replies.status(500),
        replies.status(503),
        replies.hangs_up,
        replies.hangs_up_half_way,
        replies.raw(b'{"choices": [{"message": {"conte'),
    ],
    ids=["429", "429-after", "429-after-ms", "500", "503", "cut", "cut-half-way", "truncated"],
)
def test_a_fault_that_passes_is_tried_again(model: Modelled, endpoint: Endpoint, fault: replies.Reply) -> None:
    endpoint.script.extend([fault, fault])
    assert model().complete(ASKED).text == "4 g"
    assert len(endpoint.bodies) == 3


def test_the_endpoints_wish_to_wait_is_honoured(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.status(429, retry_after="0.4"))
    began = time.monotonic()
    completion = model().complete(ASKED)
    assert time.monotonic() - began >= 0.4
    assert completion.seconds < 0.3  # what the request took that brought it


@pytest.mark.parametrize("after", ["60", formatdate(time.time() + 3600, usegmt=True)], ids=["seconds", "date"])
def test_no_wish_to_wait_goes_past_the_calls_limit(model: Modelled, endpoint: Endpoint, after: str) -> None:
    endpoint.script.append(replies.status(429, "slow down", retry_after=after))
    began = time.monotonic()
    with pytest.raises(CallTimeoutError, match=r"slow down.*past the limit of the call of 2 s: transport\.timeout"):
        model(transport={"timeout": 2.0}).complete(ASKED)
    assert time.monotonic() - began < 1


def test_a_fault_that_stays_ends_after_the_retries(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.status(500)] * 9)
    with pytest.raises(CallFailedError, match="after 3 attempts"):
        model(transport={"retries": 2}).complete(ASKED)
    assert len(endpoint.bodies) == 3


@pytest.mark.parametrize("stuck", [replies.hangs(3), replies.trickles(3)], ids=["hang", "trickle"])
def test_the_limit_holds_for_the_whole_call(model: Modelled, endpoint: Endpoint, stuck: replies.Reply) -> None:
    endpoint.script.extend([replies.status(500), stuck])
    began = time.monotonic()
    with pytest.raises(CallTimeoutError, match=r"within 0\.5 s"):
        model(transport={"timeout": 0.5}).complete(ASKED)
    assert time.monotonic() - began < 2  # of the three seconds that the endpoint would take


def test_nobody_at_the_address_is_a_failure_with_the_address(model: Modelled) -> None:
    with pytest.raises(CallFailedError, match=r"no connection to http://127\.0\.0\.1:9"):
        model(base_url="http://127.0.0.1:9/v1", transport={"retries": 1}).complete(ASKED)


def test_requests_per_minute_are_kept(model: Modelled, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.models.endpoints.pacing._MINUTE", 0.5)
    began = time.monotonic()
    model(transport={"requests_per_minute": 3}).many([Prompt("", str(i)) for i in range(7)])
    assert 1.0 <= time.monotonic() - began < 2.0


def test_tokens_per_minute_are_kept(model: Modelled, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.models.endpoints.pacing._MINUTE", 0.4)
    began = time.monotonic()
    model(max_tokens=100, transport={"tokens_per_minute": 250, "in_flight": 1}).many([Prompt("", "a b"), ASKED, ASKED])
    assert time.monotonic() - began < 0.4  # what was expected is corrected by what it took


def test_tokens_that_are_expected_wait_for_the_next_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.models.endpoints.pacing._MINUTE", 0.2)
    gate, began = Gate(), time.monotonic()
    for _ in range(2):
        gate.admit(200, requests_per_minute=None, tokens_per_minute=250)
    assert time.monotonic() - began >= 0.2


# --------------------------------------------------------------------------------------------- faults that stop a run


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (replies.status(401, "Incorrect API key"), "to do:  export MY_KEY=..."),
        (replies.status(403, "no access"), "a key that may use this model"),
        (replies.status(404, "The model `tiny` does not exist"), "correct model=... or base_url=..."),
        (replies.status(429, "You exceeded your quota", error="insufficient_quota"), "add credit"),
        (replies.status(402, "Insufficient Balance"), "add credit"),
    ],
    ids=["401", "403", "404", "quota", "402"],
)
def test_what_no_call_can_get_past_stops_the_run_at_once(
    model: Modelled, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, fault: replies.Reply, told: str
) -> None:
    monkeypatch.setenv("MY_KEY", "secret-of-mine")
    endpoint.script.append(fault)
    with pytest.raises(UserError) as stopped:
        model(api_key_env="MY_KEY").complete(ASKED)
    assert told in str(stopped.value)
    assert (len(endpoint.bodies), endpoint.keys) == (1, ["Bearer secret-of-mine"])


def test_a_missing_key_is_told_before_anything_is_sent(model: Modelled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(UserError, match=r"MY_KEY is not set.*\n.*export MY_KEY"):
        model(api_key_env="MY_KEY")


@pytest.mark.parametrize(
    "wrong",
    [
        {"api_key_env": "sk-1234"},
        {"api_key_env": "hf_abcd1234"},
        {"api_key_env": "a0b1c2d3e4f5a6b7c8d9e0f1a2b31234"},
        {"base_url": "http://me:sk-1234@host/v1"},
        {"base_url": "http://h/v1?key=sk-1234"},
    ],
)
def test_a_key_in_the_configuration_is_refused_and_not_repeated(model: Modelled, wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match="environment variable") as refused:
        model(**wrong)
    assert "1234" not in str(refused.value)


@pytest.mark.parametrize("wrong", [{"network": "sometimes"}, {"in_flight": 0}, {"timeout": -1.0}])
def test_a_transport_that_cannot_be_is_refused(model: Modelled, wrong: dict[str, object]) -> None:
    with pytest.raises(UserError, match=next(iter(wrong))):
        model(transport=wrong)


# ------------------------------------------------------------------------------------------------ replies that are cut


def test_a_cut_reply_is_a_failure_with_the_cure_and_is_paid_for_once(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    endpoint.script.append(replies.says("Se dan", finish_reason="length"))
    for _ in range(2):
        with pytest.raises(ReplyCutError, match=r"cut at 1024 tokens\. Raise max_tokens"):
            model(memory=memory).complete(ASKED)
    assert len(endpoint.bodies) == 1


def test_a_bound_of_the_prompts_own_cuts_on_purpose(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says("Se dan", finish_reason="length"))
    completion = model().complete(Prompt("", "Escribe un pasaje.", max_tokens=2))
    assert (completion.text, completion.finish_reason) == ("Se dan", "length")


def test_what_follows_a_stop_text_is_no_part_of_the_reply(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says("<think>¿4?\n</think>4 g.\nPregunta: ¿y", finish_reason="length"))
    completion = model().complete(Prompt("", "¿Qué dosis?", stop=("\n",)))
    assert (completion.text, completion.finish_reason) == ("4 g.", "stop")


@pytest.mark.parametrize("left", ["", None, "El manejo"])
def test_the_content_filter_is_a_failure(model: Modelled, endpoint: Endpoint, left: str | None) -> None:
    endpoint.script.append(replies.says(left, finish_reason="content_filter"))
    with pytest.raises(BadReplyError, match="content filter"):
        model().complete(ASKED)


def test_a_refusal_is_a_failure(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says(None, refusal="I cannot help with that."))
    with pytest.raises(BadReplyError, match="refused: I cannot help"):
        model().complete(ASKED)


# --------------------------------------------------------------------------------------------------- reasoning models


def test_thoughts_are_no_part_of_the_reply(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says("<think>\nHmm.\n</think>\n\n4 g"))
    assert model().complete(ASKED).text == "4 g"


def test_thoughts_that_use_up_the_tokens_are_a_failure_with_the_cure(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says("<think>\nHmm", finish_reason="length"))
    with pytest.raises(ReplyCutError, match="reasoning_tokens"):
        model().complete(Prompt("", "Escribe un pasaje.", max_tokens=2))


def test_what_a_reasoning_model_refuses_is_said_otherwise_from_then_on(model: Modelled, endpoint: Endpoint) -> None:
    told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    endpoint.script.append(replies.status(400, told, error="unsupported_parameter", param="max_tokens"))
    told = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
    endpoint.script.append(replies.status(400, told, error="unsupported_value", param="temperature"))
    memory = Kept()
    thinker = model(memory=memory, model="thinker", max_tokens=10, reasoning_tokens=90)
    thinker.complete(ASKED)
    thinker.complete(Prompt("", "¿Y luego?"))
    assert len(endpoint.bodies) == 4
    assert [set(body) for body in endpoint.bodies[2:]] == [{"model", "messages", "max_completion_tokens"}] * 2
    assert endpoint.bodies[3]["max_completion_tokens"] == 100
    assert thinker.complete(ASKED).cached
