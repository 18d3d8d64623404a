"""An OpenAI-compatible server on loopback that can be told to go wrong, and that counts what it is sent."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

Body = dict[str, Any]
Reply = Callable[["Handler", Body], None]
Content = Callable[[Body], str]

DIMENSIONS = 8


class Endpoint(ThreadingHTTPServer):
    """``script``: how the next requests are answered, in turn; the others are answered by ``content``."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, content: Content, latency: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = content
        self.latency = latency
        self.script: deque[Reply] = deque()
        self.bodies: list[Body] = []
        self.paths: list[str] = []
        self.keys: list[str | None] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: two would wait 40 ms for each other (Nagle, delayed ACK)
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint = self.server
        with endpoint.lock:
            endpoint.bodies.append(body)
            endpoint.paths.append(self.path)
            endpoint.keys.append(self.headers.get("Authorization"))
            endpoint.at_once += 1
            endpoint.most_at_once = max(endpoint.most_at_once, endpoint.at_once)
            answer = endpoint.script.popleft() if endpoint.script else usual
        try:
            time.sleep(endpoint.latency)
            answer(self, body)
        finally:
            with endpoint.lock:
                endpoint.at_once -= 1

    def send(self, content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Silence."""


# ------------------------------------------------------------------------------------------------- ways to answer


def usual(handler: Handler, body: Body) -> None:
    if handler.path.endswith("/embeddings"):
        vectors(encoded=body.get("encoding_format") == "base64")(handler, body)
    else:
        says(handler.server.content(body))(handler, body)


def says(text: str | None, *, finish_reason: str = "stop", **message: object) -> Reply:
    """A chat completion; tokens are counted as words."""

    def reply(handler: Handler, body: Body) -> None:
        read = sum(len(part["content"].split()) for part in body["messages"])
        wrote = len((text or "").split())
        usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        said = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
        choices = [{"index": place, **said} for place in range(body.get("n") or 1)]
        handler.send(json.dumps({"object": "chat.completion", "choices": choices, "usage": usage}).encode())

    return reply


def status(code: int, message: str = "trouble", *, error: str = "", param: str = "", **headers: str) -> Reply:
    """An error; ``error`` is its code, and ``retry_after="1"`` a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    fields = {"error": {"message": message, "code": error or None, "param": param or None, "type": "error"}}
    return lambda handler, _: handler.send(json.dumps(fields).encode(), code, named)


def hangs(seconds: float) -> Reply:
    def reply(handler: Handler, body: Body) -> None:
        time.sleep(seconds)
        usual(handler, body)

    return reply


def waits_for(event: threading.Event) -> Reply:
    def reply(handler: Handler, body: Body) -> None:
        event.wait(60)
        usual(handler, body)

    return reply


def trickles(seconds: float) -> Reply:
    """Headers at once, then a byte now and then."""

    def reply(handler: Handler, _: Body) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    return reply


def hangs_up(handler: Handler, _: Body) -> None:
    handler.close_connection = True


def hangs_up_half_way(handler: Handler, _: Body) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.close_connection = True


def raw(content: bytes) -> Reply:
    return lambda handler, _: handler.send(content)


def vectors(*, encoded: bool = True, zero: bool = False, missing: int = 0, counted: bool = True) -> Reply:
    """Embeddings by the letters of the texts; ``encoded``: in base64. Tokens, if ``counted``, are words."""

    def reply(handler: Handler, body: Body) -> None:
        data = []
        for index, text in enumerate(body["input"][: len(body["input"]) - missing]):
            row = np.zeros(DIMENSIONS, dtype="<f4")
            for letter in "" if zero else text.encode():
                row[letter % DIMENSIONS] += 1
            vector = base64.b64encode(row.tobytes()).decode() if encoded else row.tolist()
            data.append({"index": index, "embedding": vector})
        read = sum(len(text.split()) for text in body["input"])
        usage = {"usage": {"prompt_tokens": read, "total_tokens": read}} if counted else {}
        handler.send(json.dumps({"data": data[::-1], **usage}).encode())

    return reply


# ------------------------------------------------------------------------------------------------------ the server


def first_passage(body: Body) -> str:
    """The first passage of the prompt with its number, or an abstention."""
    lines = body["messages"][-1]["content"].splitlines()
    passage = next((line for line in lines if line.startswith("[1] ")), None)
    return f"{passage.removeprefix('[1] ')} [1]" if passage else "No hay información suficiente para responder."


@contextmanager
def serving(content: Content = first_passage, *, latency: float = 0.0) -> Iterator[Endpoint]:
    """A server for the time of a block."""
    endpoint = Endpoint(content, latency)
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        endpoint.server_close()
