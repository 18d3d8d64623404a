"""Replies that are objects: what is asked for, and a strict reader of what comes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from benchmark.digest import digest
from benchmark.models.endpoints.faults import BadReplyError

Answer = TypeVar("Answer", bound=BaseModel)
Form = Literal["json_schema", "json_object", "text"]
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")
"""From what binds the model most to what every server has."""

_OBJECT = re.compile(r'\{\s*(?:"|\})')
_SAID_AS_SCHEMA = "\n\nReply with one JSON object and nothing else. It has to fit this JSON schema:\n{schema}"
_MENDING = (
    "Your reply cannot be used: {why}\nReply again with one JSON object and nothing else. It has to fit this JSON "
    "schema:\n{schema}"
)


@cache
def schema_of(answer: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of a model as strict servers want it: all fields required, no others allowed."""
    schema = answer.model_json_schema()
    _close(schema)
    return schema


def _close(node: object) -> None:
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            node["additionalProperties"] = False
            node["required"] = list(node["properties"])
        for name in ("title", "default"):
            if not isinstance(node.get(name), dict):  # a property may have that name
                node.pop(name, None)
        for part in node.values():
            _close(part)
    elif isinstance(node, list):
        for part in node:
            _close(part)


def response_format(answer: type[BaseModel], form: Form) -> dict[str, Any] | None:
    """The request's ``response_format``."""
    if form == "json_schema":
        return {
            "type": "json_schema",
            "json_schema": {"name": answer.__name__, "schema": schema_of(answer), "strict": True},
        }
    return {"type": "json_object"} if form == "json_object" else None


def instruction(answer: type[BaseModel], form: Form) -> str:
    """What is added to the prompt where the server does not enforce the schema."""
    return "" if form == "json_schema" else _SAID_AS_SCHEMA.format(schema=json.dumps(schema_of(answer)))


def mending(answer: type[BaseModel], why: str) -> str:
    """The one request to reply again."""
    return _MENDING.format(why=why, schema=json.dumps(schema_of(answer)))


def read(text: str, answer: type[Answer]) -> Answer:
    """The object in a reply, in the types of the schema: "yes" is no boolean, and 2 is none.

    Raises:
        BadReplyError: there is none, more than one, or it does not fit.
    """
    try:
        # By way of JSON, in which an array may become a tuple and a text an enum's member.
        return answer.model_validate_json(json.dumps(object_in(text)), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the object"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise BadReplyError(f"{place}: {first['msg']}{more}") from None


def made_up(answer: type[Answer], about: str) -> Answer:
    """Some object that fits, for a dry run; its texts are others for another ``about``, as real ones would be."""
    schema = answer.model_json_schema()
    return answer.model_validate(_value(schema, schema.get("$defs", {}), f"made up {digest(about)[:12]}"))


def _value(node: Mapping[str, Any], named: Mapping[str, Any], told: str) -> object:
    if "$ref" in node:
        return _value(named[node["$ref"].rpartition("/")[2]], named, told)
    if "enum" in node or "const" in node:
        return node["const"] if "const" in node else node["enum"][0]
    if "anyOf" in node:
        return _value(node["anyOf"][0], named, told)
    kind = node.get("type")
    if kind == "object":
        return {name: _value(part, named, f"{told} {name}") for name, part in node.get("properties", {}).items()}
    if kind == "array":
        parts = node.get("prefixItems") or [node.get("items", {})] * max(1, node.get("minItems", 2))
        return [_value(part, named, f"{told} {place}") for place, part in enumerate(parts)]
    plain: dict[object, object] = {"string": told, "boolean": True, "null": None}
    return plain.get(kind, node.get("minimum", 0))


def object_in(text: str) -> dict[str, Any]:
    """The one JSON object in a text, bare, fenced, or with prose around it; nothing is mended or completed.

    >>> object_in('Here it is: ```json\\n{"a": "}"}\\n```')
    {'a': '}'}
    >>> object_in('{"a": {"b": 1}, "c": ')
    Traceback (most recent call last):
    benchmark.models.endpoints.faults.BadReplyError: the JSON is broken at character 21: Expecting value
    """
    begin = _OBJECT.search(text)
    if begin is None:
        raise BadReplyError("there is no JSON object in it")
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
    try:
        value, end = decoder.raw_decode(text, begin.start())
    except json.JSONDecodeError as error:
        # What begins like an object is meant as one: an object inside a broken one is not the reply.
        raise BadReplyError(f"the JSON is broken at character {error.pos}: {error.msg}") from None
    except ValueError as error:
        raise BadReplyError(str(error)) from None
    if _OBJECT.search(text, end):
        raise BadReplyError("there is more than one JSON object in it")
    found: dict[str, Any] = value
    return found


def _once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice in one object")
    return fields


def _no_constant(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
