"""A service behind HTTP is an architecture, and what goes wrong with it is a failure that says what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from architectures.http import AskThenRead, ForeignPassageError, Http
from benchmark.domain import Document, Pipeline, Query, UserError
from benchmark.models.endpoints.budget import by_model, new_accounts
from benchmark.models.endpoints.faults import BadReplyError, CallFailedError, CallTimeoutError, NotKeptError
from benchmark.models.endpoints.transport import Transport
from benchmark.pipelines import Reading
from tests import endpoint as wrong
from tests.conftest import FAKES, Called
from tests.fakes import EchoGenerator, Kept
from tests.service import Service, replies, running

Ragsweep = Callable[..., Called]
GUIDE = Document("guía", "La dosis de carga es de 4 g.\n\nSe vigilan los reflejos cada hora.")
NOTE = Document("nota", "Recibe amoxicilina.", metadata={"tenant": "p1"})
DOSE = Query("q", "¿Cuál es la dosis de carga?")
FAST = Transport(timeout=60.0, retries=1, backoff=0.01)


@pytest.fixture
def service() -> Iterator[Service]:
    with running([GUIDE, NOTE]) as service:
        yield service


def pipeline(service: Service, *, memory: Kept | None = None, transport: Transport = FAST, **fields: Any) -> Pipeline:
    kept = Kept() if memory is None else memory
    recipe = Http(base_url=service.url, memory=kept, reading=Reading(k=3), transport=transport, **fields)
    return recipe.build([GUIDE, NOTE], EchoGenerator())


def test_the_generator_reads_what_a_service_without_an_answer_finds(service: Service) -> None:
    response = pipeline(service).answer(DOSE)
    assert service.bodies == [{"question": DOSE.text, "tenant": None, "k": 3}]
    assert response.context[0].chunk.text.startswith("La dosis de carga es de 4 g.")
    assert response.answer == "La dosis de carga es de 4 g. [1]"


def test_a_service_may_answer_by_itself(service: Service) -> None:
    service.answer = " Son 4 g. "
    response = pipeline(service).answer(DOSE)
    assert (response.answer, response.abstained) == ("Son 4 g.", False)
    [told] = response.steps[-1].completions
    assert (told.prompt_tokens, told.completion_tokens) == (12, 4)
    assert told.seconds > 0
    assert response.steps[0].hits == response.context != ()


def test_what_a_service_spent_on_passages_alone_counts_too(service: Service) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 4}
    service.script.append(replies(passages=[{"text": GUIDE.text}], usage=usage))
    [told] = pipeline(service).answer(DOSE).steps[0].completions
    assert (told.prompt_tokens, told.completion_tokens) == (12, 4)


def test_a_passage_is_found_by_its_text_alone(service: Service) -> None:
    service.script.append(replies(passages=[{"text": "se vigilan LOS  reflejos"}, {"text": "inventado"}]))
    asked = pipeline(service)
    assert [hit.chunk.text for hit in asked.answer(DOSE).context] == ["Se vigilan los reflejos"]
    assert isinstance(asked, AskThenRead)
    assert "1 of 2 passages (50.0%) stand nowhere" in asked.notices()[0]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (replies(answer="4 g"), 'none for "passages"'),
        (replies(passages="4 g"), 'a str for "passages"'),
        (replies(passages=[{"document": "guía"}]), r'passages\[0\] has no "text"'),
        (replies(passages=["4 g"]), r'passages\[0\] has no "text"'),
        (replies(passages=[], answer=4), "answer is a int"),
        (wrong.raw(b"[1]"), "JSON that is no object"),
    ],
)
def test_a_reply_that_is_not_to_the_contract_is_a_failure(service: Service, reply: wrong.Reply, told: str) -> None:
    service.script.append(reply)
    with pytest.raises(BadReplyError, match=told):
        pipeline(service).answer(DOSE)


@pytest.mark.parametrize(
    "fault", [wrong.status(500), wrong.status(429, retry_after="0"), wrong.hangs_up, wrong.raw(b'{"passages": [')]
)
def test_what_may_pass_is_tried_again(service: Service, fault: wrong.Reply) -> None:
    service.script.append(fault)
    assert pipeline(service).answer(DOSE).context
    service.script.extend([fault, fault])
    with pytest.raises(CallFailedError, match="after 2 attempts"):
        pipeline(service).answer(DOSE)


@pytest.mark.parametrize("fault", [wrong.hangs(1.5), wrong.trickles(1.5)])
def test_a_service_that_takes_too_long_is_a_failure(service: Service, fault: wrong.Reply) -> None:
    service.script.append(fault)
    with pytest.raises(CallTimeoutError, match=r"(did not answer|was not reached) within 0\.3 s"):
        pipeline(service, transport=Transport(timeout=0.3, retries=0)).answer(DOSE)


@pytest.mark.parametrize("status", [401, 404, 405])
def test_what_no_question_can_pass_stops_the_run(service: Service, status: int) -> None:
    service.script.append(wrong.status(status))
    with pytest.raises(UserError, match=f"(?s){status}.*to do:"):
        pipeline(service).answer(DOSE)


def test_a_key_is_sent_and_never_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_KEY", "planted-0123456789")
    service.script.append(wrong.status(400, "no such key planted-0123456789"))
    with pytest.raises(CallFailedError) as error:
        pipeline(service, api_key_env="SERVICE_KEY").answer(DOSE)
    assert service.keys == ["Bearer planted-0123456789"]
    assert "planted" not in str(error.value)


def test_replies_are_kept_until_the_service_has_another_version(service: Service) -> None:
    memory = Kept()
    first = pipeline(service, memory=memory).answer(DOSE)
    again = pipeline(service, memory=memory, transport=Transport(network="never")).answer(DOSE)
    assert (again.context, again.steps[0].cached, len(service.bodies)) == (first.context, True, 1)
    with pytest.raises(NotKeptError):
        pipeline(service, memory=memory, transport=Transport(network="never"), version="2").answer(DOSE)


def test_a_dry_run_sends_nothing_and_counts_the_call(service: Service) -> None:
    new_accounts()
    response = pipeline(service, transport=Transport(network="dry")).answer(DOSE)
    assert not service.bodies
    assert by_model(expected=True)["service"].calls == 1
    assert response.context  # so that the generator's call is counted too


def test_anothers_document_in_a_reply_is_a_failure_that_says_so(service: Service) -> None:
    service.script.append(replies(passages=[{"text": "Recibe amoxicilina.", "document": "nota"}]))
    with pytest.raises(ForeignPassageError, match="nota, which only p1 may read"):
        pipeline(service).answer(DOSE)


def test_a_run_whose_service_fails_on_a_question_ends_with_that_failure(ragsweep: Ragsweep, house: Path) -> None:
    with running([Document("magnesio", "La dosis de carga")]) as service:
        service.script.append(replies(answer="4 g"))
        named = (f"architecture.base_url={service.url}", "architecture.transport.in_flight=1")
        called = ragsweep(*FAKES, "judge=none", "architecture=http", *named)
    assert called.exit_code == 1
    assert "1 failed" in called.out + called.err
    [records] = (house / "results").rglob("records.jsonl")
    assert "BadReplyError" in records.read_text(encoding="utf-8")
