"""Clients of the package ``openai``: imported late, each with a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx
    from openai import OpenAI

Path = Literal["chat/completions", "embeddings"]


_idle: dict[tuple[str, str], list[OpenAI]] = {}
_lock = threading.Lock()


def import_client() -> None:
    """Before a call's limit begins to run: the first import may take seconds."""
    with _lock:
        _trusted()


@contextmanager
def opened(client: OpenAI, path: Path, body: Mapping[str, object], timeout: float) -> Iterator[httpx.Response]:
    """The reply to come, as it trickles in.

    By the client's own ``post``: the methods for chat and embeddings walk through every message for types that are
    right already, which costs as much again.
    """
    import openai

    options: Any = {"timeout": timeout}
    kind = openai.Stream[object]
    asked = client.post(f"/{path}", cast_to=object, body=dict(body), options=options, stream=True, stream_cls=kind)
    with asked as came:
        yield came.response


@contextmanager
def client_of(base_url: str, key: str) -> Iterator[OpenAI]:
    """A client that nobody else has meanwhile, with a connection that is used again.

    One client for all calls would look through all its connections at the begin and the end of each.
    """
    with _lock:
        idle = _idle.setdefault((base_url, key), [])
        client = idle.pop() if idle else None
    client = client or _new_client(base_url, key)
    try:
        yield client
    finally:
        idle.append(client)


def _new_client(base_url: str, key: str) -> OpenAI:
    import openai

    http = openai.DefaultHttpxClient(verify=_trusted())
    return openai.OpenAI(base_url=base_url, api_key=key, max_retries=0, http_client=http)


@cache
def _trusted() -> SSLContext:
    """Read once: the certificates take longer to read than a client to make."""
    context: SSLContext = _library().create_ssl_context()
    return context


def found_nobody(error: BaseException | None) -> bool:
    """Whether what the HTTP library raised says that no connection came about."""
    library = _library()
    return isinstance(error, (library.ConnectError, library.ConnectTimeout))


def _library() -> Any:
    """The HTTP library that the package stands on: httpx, and httpx2 from its version 3 on."""
    import openai

    return import_module(openai.DefaultHttpxClient.__bases__[0].__module__)
