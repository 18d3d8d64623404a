"""A retrieval service on loopback, as people run their own: our BM25 behind the contract of ``architecture=http``."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmark.domain import Document, Query
from benchmark.pipelines import chunked
from benchmark.search.bm25 import Bm25Recipe
from benchmark.search.chunkers import Recursive
from tests.endpoint import Body, Endpoint, Handler, Reply, first_passage


class Script(deque[Reply]):
    """What is to go wrong next; after that the service answers as it should."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self.service = service

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Reply:
        return super().popleft() if len(self) else self.service.reply


class Service(Endpoint):
    """``answers``: a text that it gives as its own answer; ``None`` leaves that to the generator."""

    def __init__(self, documents: Sequence[Document], answer: str | None) -> None:
        super().__init__(first_passage)
        self.script = Script(self)
        self.documents, self.answer = documents, answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/answer"

    def reply(self, handler: Handler, body: Body) -> None:
        chunks = chunked(self.documents, Recursive(size=16, overlap=4))
        hits = Bm25Recipe(language="es").over(chunks).search(Query("", body["question"], body["tenant"]), body["k"])
        fields: dict[str, Any] = {"passages": [passage(hit.chunk, hit.score) for hit in hits]}
        if self.answer is not None:
            fields |= {"answer": self.answer, "usage": {"prompt_tokens": 12, "completion_tokens": 4}}
        handler.send(json.dumps(fields).encode())


def passage(chunk: Any, score: float) -> dict[str, object]:
    return {"text": chunk.text, "document": chunk.span.document_id, "start": chunk.span.start, "score": score}


def replies(**fields: object) -> Reply:
    return lambda handler, _: handler.send(json.dumps(fields).encode())


@contextmanager
def running(documents: Sequence[Document] = (), answer: str | None = None) -> Iterator[Service]:
    """A service for the time of a block."""
    service = Service(documents, answer)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        service.server_close()
