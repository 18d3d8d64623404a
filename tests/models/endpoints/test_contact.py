"""An endpoint where nobody ever was is given up for the whole run; one that was there once, never."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchmark.domain import Document, Prompt, UserError
from benchmark.models.endpoints import contact, transport
from benchmark.models.endpoints.embedding import EmbeddingModel
from benchmark.models.endpoints.faults import CallFailedError
from benchmark.models.endpoints.service import Service
from benchmark.models.endpoints.transport import Size, Transport
from tests import endpoint as replies
from tests.conftest import FAKES, Called
from tests.endpoint import serving
from tests.fakes import Kept
from tests.models.endpoints.conftest import Modelled
from tests.service import running

Ragsweep = Callable[..., Called]
GIVEN_UP = r"(?s)no connection to http://127\.0\.0\.1:\d+/.*nothing was reached.*to do:  start it, or correct base_url"
NO_RETRY = Transport(retries=0, backoff=0.01)
TWO_RETRIES = Transport(retries=2, backoff=0.01)


def nobody() -> str:
    """An address where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def ask(base_url: str, way: Transport) -> None:
    Service(base_url=base_url, api_key_env=None, transport=way).ask({"q": 1}, model="service", size=Size(1, 0))


def test_a_service_that_was_never_reached_is_given_up_after_all_retries_of_a_call() -> None:
    with pytest.raises(UserError, match=GIVEN_UP):
        ask(nobody(), TWO_RETRIES)


def test_without_retries_it_takes_several_questions_to_give_a_service_up() -> None:
    address = nobody()
    for _ in range(2):
        with pytest.raises(CallFailedError, match="no connection"):
            ask(address, NO_RETRY)
    with pytest.raises(UserError, match=GIVEN_UP):
        ask(address, NO_RETRY)


def test_the_jobs_behind_one_that_was_stopped_try_once(monkeypatch: pytest.MonkeyPatch) -> None:
    address, pauses = nobody(), list[float]()
    monkeypatch.setattr(transport, "sleep", pauses.append)
    for _ in range(2):
        with pytest.raises(UserError, match=GIVEN_UP):
            ask(address, TWO_RETRIES)
    assert len(pauses) == TWO_RETRIES.retries


def test_so_is_a_chat_endpoint(model: Modelled) -> None:
    with pytest.raises(UserError, match=GIVEN_UP):
        model(base_url=nobody(), transport={"retries": 2}).complete(Prompt("", "¿Dosis?"))


def test_so_is_an_endpoint_of_embeddings() -> None:
    embedder = EmbeddingModel(base_url=nobody(), model="e", memory=Kept(), transport=TWO_RETRIES)
    with pytest.raises(UserError, match=GIVEN_UP):
        embedder.embed(["hierro"], role="query")


def test_an_address_that_swallows_packets_is_given_up_too(model: Modelled) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        waiting = [socket.socket() for _ in range(4)]  # they fill its queue, so that no further one is let in
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(deaf.getsockname())
        for _ in range(2):
            with pytest.raises(CallFailedError, match="no connection"):
                model(base_url=address, transport={"timeout": 0.2}).complete(Prompt("", "¿Dosis?"))
        with pytest.raises(UserError, match=GIVEN_UP):
            ask(address, Transport(timeout=0.2))
        for one in waiting:
            one.close()


@pytest.mark.parametrize(
    "said",
    [replies.raw(b"{}"), replies.status(500), replies.status(400), replies.hangs_up, replies.hangs_up_half_way],
    ids=["answer", "500", "400", "hangs up", "breaks off"],
)
def test_a_service_that_said_anything_once_is_never_given_up(said: replies.Reply) -> None:
    with serving() as endpoint:
        endpoint.script.append(said)
        with suppress(CallFailedError):
            ask(endpoint.url, NO_RETRY)
        assert len(endpoint.bodies) == 1
    for _ in range(5):
        with pytest.raises(CallFailedError, match="no connection"):
            ask(endpoint.url, NO_RETRY)


def test_a_run_whose_service_is_down_stops_and_keeps_what_is_finished(
    ragsweep: Ragsweep, house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running([Document("magnesio", "La dosis de carga")]) as service:
        quick = ("architecture.transport.backoff=0.01", "architecture.transport.in_flight=1", "judge=none")
        asked = (*FAKES, "architecture=http", f"architecture.base_url={service.url}", *quick)
        assert ragsweep(*asked, "limit=2").exit_code == 0
    monkeypatch.setattr(contact, "_contacts", {})  # as in another process
    called = ragsweep(*asked)
    assert (called.exit_code, called.err.count("nothing was reached there")) == (2, 1)
    assert "Traceback" not in called.err
    [records] = (house / "results").rglob("records.jsonl")
    lines = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    assert [line["failure"] for line in lines] == [None, None]


def test_an_index_whose_embeddings_fail_is_told_without_a_traceback(ragsweep: Ragsweep) -> None:
    with serving() as endpoint:
        endpoint.script.extend([replies.status(500)] * 2)
        dense = ("architecture=dense", "embedder=openai", f"embedder.base_url={endpoint.url}", "embedder.model=e")
        quick = ("embedder.api_key_env=null", "embedder.transport.retries=1", "embedder.transport.backoff=0.01")
        called = ragsweep(*FAKES, *dense, *quick, "judge=none")
    assert called.exit_code == 1
    assert "Traceback" not in called.err
    assert "the index was not built" in called.err
    assert "answered 500: trouble (after 2 attempts)" in called.err
