"""Judging at an endpoint: ours beside ``ragas.evaluate`` and the bound that the endpoint's latency sets."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.performance.judging.samples import samples
from tests.performance.judging.server import Server, served
from tests.performance.judging.side import IN_FLIGHT
from tests.performance.judging.sweep import ARCHITECTURES, GENERATORS, QUESTIONS, swept
from tests.performance.measures import Figure

LATENCY = 0.2
ROUNDS = 3
"""Of ours; of each measure the best counts, since a busy machine only ever adds."""


@dataclass(frozen=True)
class Side:
    """``cpu``: seconds of the processor for judging alone; ``memory``: the most of its process, in MB."""

    name: str
    seconds: float
    cpu: float
    memory: float
    chat: int
    embeddings: int

    @property
    def bound(self) -> float:
        """Seconds that these requests take where nothing else costs time."""
        return LATENCY * (self.chat + self.embeddings) / IN_FLIGHT

    def told(self) -> str:
        sent = f"{self.chat:,} + {self.embeddings:,} requests"
        return f"{self.seconds:.2f} s, bound {self.bound:.2f} s, {self.cpu:.2f} s of CPU, {self.memory:.0f} MB, {sent}"


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder, served(LATENCY) as server:
        rows = samples(Path(folder))
        ours = [_best(judge, server, rows) for judge in _judges()]
        for side in ours:
            what = f"{len(rows)} samples at {1000 * LATENCY:.0f} ms, {side.name}"
            yield Figure(f"{what} / bound", side.seconds / side.bound, "x", 1.2, side.told())
        if not _has_library():
            print("ragas.evaluate is not measured: the extra ragas is not installed")
        else:
            library = _side("library", server, rows)
            for side in ours:
                yield from _beside(side, library)
    yield from sweeping()


def _beside(side: Side, library: Side) -> Iterator[Figure]:
    yield Figure(f"{side.name} / ragas.evaluate, time", side.seconds / library.seconds, "x", 1 / 12, library.told())
    told = f"{library.seconds / side.seconds:.1f} times as fast"
    yield Figure(f"{side.name} / ragas.evaluate, CPU", side.cpu / library.cpu, "x", 1, told)
    yield Figure(f"{side.name} / ragas.evaluate, memory", side.memory / library.memory, "x", 1, "")


def sweeping() -> Iterator[Figure]:
    """Requests of a sweep, beside what the library sends for the same answers, and the sweep again from the ledger."""
    what = f"{len(ARCHITECTURES)} architectures x {len(GENERATORS)} generators x {QUESTIONS} questions"
    with TemporaryDirectory() as folder, served(LATENCY) as server:
        made = swept(Path(folder), server.url)
        judged = sum(server.requests()) - made.answers
        again = swept(Path(folder), server.url, network="never")
    told = f"{made.seconds:.1f} s, again {again.seconds:.1f} s"
    yield Figure(f"{what}: again / made", again.seconds / made.seconds, "x", 0.1, told)
    if _has_library():
        with served(0.0) as server:
            library = _side("library", server, made.samples)
        sent = library.chat + library.embeddings
        yield Figure(f"{what}: requests / library's", judged / sent, "x", 0.5, f"{judged:,} beside {sent:,}")


def _has_library() -> bool:
    return find_spec("ragas") is not None and find_spec("langchain_openai") is not None


def _judges() -> Sequence[str]:
    return ("llm", "ragas") if _has_library() else ("llm",)


def _best(judge: str, server: Server, rows: Sequence[dict[str, Any]]) -> Side:
    sides = [_side(judge, server, rows) for _ in range(ROUNDS)]
    best = {name: min(getattr(side, name) for side in sides) for name in ("seconds", "cpu", "memory")}
    return replace(sides[0], name=f"judge={judge}", **best)


def _side(name: str, server: Server, rows: Sequence[dict[str, Any]]) -> Side:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "samples.json"
        file.write_text(json.dumps(rows), encoding="utf-8")
        command = [sys.executable, "-W", "ignore", "-m", "tests.performance.judging.side", name, server.url, str(file)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    told = json.loads(ended.stdout)
    chat, embeddings = server.requests()
    return Side(name, told["seconds"], told["cpu"], told["memory"], chat, embeddings)
