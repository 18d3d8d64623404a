from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.transport import Transport
from tests.endpoint import Endpoint, serving
from tests.fakes import Kept

Modelled = Callable[..., ChatModel]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(lambda _: "4 g") as endpoint:
        yield endpoint


@pytest.fixture
def model(endpoint: Endpoint) -> Modelled:
    """A model on the test server by its differences from a quick and patient one."""

    def model(*, memory: Kept | None = None, transport: dict[str, object] | None = None, **fields: object) -> ChatModel:
        quick: dict[str, object] = {"backoff": 0.01, "timeout": 5.0, **(transport or {})}
        asked: dict[str, object] = {
            "model": "tiny",
            "name": "tiny",
            "language": "es",
            "base_url": endpoint.url,
            **fields,
        }
        kept = Kept() if memory is None else memory
        return ChatModel(memory=kept, transport=Transport(**quick), **asked)  # type: ignore[arg-type]  # a test's own

    return model
