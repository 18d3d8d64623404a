"""The test server in a process of its own, so that what it burns is on nobody's account."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from tests.endpoint import serving
from tests.performance.judging.replies import content


@dataclass(frozen=True)
class Server:
    url: str
    _pipe: Connection

    def requests(self) -> tuple[int, int]:
        """Chat requests and embedding requests since the last call."""
        self._pipe.send("count")
        chat, embeddings = self._pipe.recv()
        return chat, embeddings


@contextmanager
def served(latency: float) -> Iterator[Server]:
    """A server that answers every request after so many seconds."""
    ours, its = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve, args=(latency, its), daemon=True)
    process.start()
    try:
        yield Server(str(ours.recv()), ours)
    finally:
        ours.send("stop")
        process.join()


def _serve(latency: float, pipe: Connection) -> None:
    with serving(content, latency=latency) as endpoint:
        pipe.send(endpoint.url)
        while pipe.recv() == "count":
            paths = list(endpoint.paths)
            endpoint.paths.clear()
            endpoint.bodies.clear()
            chat = sum(path.endswith("/chat/completions") for path in paths)
            pipe.send((chat, len(paths) - chat))
