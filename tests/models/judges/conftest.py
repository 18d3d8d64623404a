"""A judge's model on the test server, and what the server is told to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.transport import Transport
from tests.endpoint import Body, Endpoint, serving
from tests.fakes import Kept

Modelled = Callable[..., ChatModel]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(lambda _: "{}") as endpoint:
        yield endpoint


@pytest.fixture
def model(endpoint: Endpoint) -> Modelled:
    def model(*, memory: Kept | None = None, **fields: object) -> ChatModel:
        asked: dict[str, object] = {"model": "tiny", "name": "tiny", "base_url": endpoint.url, **fields}
        kept = Kept() if memory is None else memory
        asked.setdefault("transport", Transport(timeout=5.0, backoff=0.01))
        return ChatModel(memory=kept, **asked)  # type: ignore[arg-type]  # a test's own

    return model


def say(*replies: object) -> Callable[[Body], str]:
    """The replies in turn, the last one again and again; what is no text is said as JSON."""
    left = list(replies)

    def content(_: Body) -> str:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)

    return content
