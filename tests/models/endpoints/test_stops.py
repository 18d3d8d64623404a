"""Ctrl-C while calls are out: what the endpoint answers within the grace is kept, since it is paid for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from benchmark.config import Plan
from benchmark.domain import Prompt, Record
from benchmark.job import execute
from benchmark.models.endpoints.embedding import EmbeddingModel
from benchmark.models.endpoints.transport import Transport
from benchmark.storage.ledger import Ledger
from benchmark.storage.records import RecordsFile
from tests import endpoint as replies
from tests.endpoint import Body, Endpoint, Handler, serving
from tests.fakes import Kept
from tests.models.endpoints.conftest import Modelled

ASKED = Prompt("Responde.", "¿Qué dosis?")


def stopped_half_way(handler: Handler, body: Body) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    replies.usual(handler, body)


def test_the_one_call_that_is_out_is_kept(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    endpoint.script.append(stopped_half_way)
    with pytest.raises(KeyboardInterrupt):
        model(memory=memory).complete(ASKED)
    assert model(memory=memory).complete(ASKED).cached
    assert len(endpoint.bodies) == 1


def test_a_batch_of_vectors_that_is_out_is_kept(endpoint: Endpoint) -> None:
    embedder = EmbeddingModel(base_url=endpoint.url, model="e", memory=Kept(), transport=Transport(timeout=5.0))
    endpoint.script.append(stopped_half_way)
    with pytest.raises(KeyboardInterrupt):
        embedder.embed(["uno", "dos"], role="passage")
    embedder.embed(["dos", "uno"], role="passage")
    assert len(endpoint.bodies) == 1


def test_a_stop_while_a_record_is_written_loses_no_call_and_no_record_in_flight(
    planned: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def write(_: object, record: Record) -> None:
        written.append(record.question.id)
        if len(written) == 2:
            time.sleep(0.1)  # the others are under way
            raise KeyboardInterrupt

    monkeypatch.setattr(RecordsFile, "write", write)
    with serving() as endpoint:
        slow = replies.hangs(0.5)
        endpoint.script.extend([replies.usual, slow, slow, slow])
        at = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.api_key_env=null", "judge=none")
        plan = planned("corpus=tiny", "embedder=hash", "writer=echo", "tracking=none", *at, fakes=())
        with pytest.raises(KeyboardInterrupt):
            execute(plan)
        kept = list(Ledger(plan.results / "ledger.sqlite").entries())
        assert len(kept) == len(endpoint.bodies) == 4  # of one question nothing is retrieved
        assert len(written) == len(set(written)) == 5
