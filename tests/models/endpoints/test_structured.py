"""Replies that are objects, over a server that sends everything but."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from benchmark.domain import Prompt
from benchmark.models.endpoints.faults import BadReplyError, ReplyCutError
from benchmark.models.endpoints.structured import object_in, read, schema_of
from tests import endpoint as replies
from tests.endpoint import Endpoint
from tests.fakes import Kept
from tests.models.endpoints.conftest import Modelled


class Ruling(BaseModel):
    statement: str
    verdict: bool


class Rulings(BaseModel):
    rulings: tuple[Ruling, ...]


ASKED = Prompt("Juzga.", "¿Se sigue?")
GOOD = '{"rulings": [{"statement": "Una llave } y una \\"comilla\\".", "verdict": true}]}'
RULED = Rulings(rulings=(Ruling(statement='Una llave } y una "comilla".', verdict=True),))


@pytest.mark.parametrize(
    "text",
    [GOOD, f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```\n", f"Aquí {{sic}} [1]: {GOOD}", f"{GOOD}\n\nEso es todo."],
    ids=["bare", "fenced", "fence-only", "prefixed", "suffixed"],
)
def test_the_object_is_found_in_what_stands_around_it(text: str) -> None:
    assert read(text, Rulings) == RULED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (GOOD[:-1], "broken at character"),
        ('{"rulings": [{"statement": "a", "verdict": true}, {"statement": ', "broken at character"),
        ('{"rulings": [{"statement": "a", "verdict": 2}]}', r"rulings\.0\.verdict: .*boolean"),
        ('{"rulings": [{"statement": "a", "verdict": "yes"}]}', r"rulings\.0\.verdict: .*boolean"),
        ('{"rulings": [{"statement": "a"}]}', r"rulings\.0\.verdict: Field required"),
        ('{"other": 1}', "rulings: Field required"),
        (GOOD + GOOD, "more than one"),
        ('{"rulings": [], "rulings": []}', "twice"),
        ('{"rulings": NaN}', "NaN is no JSON"),
        ("Sí.", "no JSON object"),
        ("", "no JSON object"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(BadReplyError, match=why):
        read(text, Rulings)


def test_an_object_inside_a_cut_one_is_not_the_reply() -> None:
    with pytest.raises(BadReplyError, match="broken"):
        object_in('{"a": {"b": 1}, "c": [')


def test_a_strict_schema_requires_every_field_and_allows_no_other() -> None:
    schema = schema_of(Rulings)
    assert schema["required"] == ["rulings"]
    assert schema["$defs"]["Ruling"]["required"] == ["statement", "verdict"]
    assert schema["$defs"]["Ruling"]["additionalProperties"] is False


def test_the_schema_is_sent_for_the_server_to_enforce(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says(GOOD))
    assert model().ask(ASKED, Rulings) == RULED
    wanted = endpoint.bodies[0]["response_format"]
    assert (wanted["type"], wanted["json_schema"]["strict"]) == ("json_schema", True)


def test_thoughts_are_no_part_of_an_object(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says(f'<think>{{"rulings": 1}}</think>{GOOD}'))
    assert model().ask(ASKED, Rulings) == RULED


def test_a_server_without_schemas_is_asked_for_json_then_for_text(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.status(400, "response_format: json_schema is not supported"))
    endpoint.script.append(replies.status(400, "'response_format.type' must be 'text'"))
    endpoint.script.extend([replies.says(GOOD), replies.says(GOOD)])
    memory = Kept()
    plain = model(memory=memory, model="plain")
    assert plain.ask(ASKED, Rulings) == RULED
    assert plain.ask(Prompt("Juzga.", "¿Y esto?"), Rulings) == RULED
    sent = [body.get("response_format", {"type": "text"})["type"] for body in endpoint.bodies]
    assert sent == ["json_schema", "json_object", "text", "text"]
    assert '"verdict"' in endpoint.bodies[3]["messages"][-1]["content"]


def test_a_kept_reply_is_found_in_whichever_form_it_was_asked(model: Modelled, endpoint: Endpoint) -> None:
    memory = Kept()
    endpoint.script.append(replies.says(GOOD))
    model(memory=memory, structured="text").ask(ASKED, Rulings)
    assert model(memory=memory, transport={"network": "never"}).ask(ASKED, Rulings) == RULED


def test_one_that_does_not_fit_is_sent_back_once(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.says('{"rulings": [{"statement": "a", "verdict": "yes"}]}'), replies.says(GOOD)])
    assert model().ask(ASKED, Rulings) == RULED
    *_, sent, asked_again = endpoint.bodies[1]["messages"]
    assert sent == {"role": "assistant", "content": '{"rulings": [{"statement": "a", "verdict": "yes"}]}'}
    assert "rulings.0.verdict" in asked_again["content"]


def test_two_that_do_not_fit_are_a_failure(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.extend([replies.says("Sí."), replies.says(GOOD[:-1]), replies.says(GOOD)])
    with pytest.raises(BadReplyError, match="replied twice with no Rulings: the JSON is broken"):
        model().ask(ASKED, Rulings)
    assert len(endpoint.bodies) == 2


def test_a_cut_object_is_a_failure_with_the_cure(model: Modelled, endpoint: Endpoint) -> None:
    endpoint.script.append(replies.says(GOOD[:-2], finish_reason="length"))
    with pytest.raises(ReplyCutError, match="Raise max_tokens"):
        model().ask(ASKED, Rulings)
    assert len(endpoint.bodies) == 1
