"""How fast the ledger is read, and a run's calls with it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmark.digest import digest
from benchmark.domain import Prompt
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.transport import Transport
from benchmark.storage.ledger import Ledger
from tests.endpoint import serving
from tests.performance.measures import Figure, seconds

ENTRIES, BYTES, READS, CALLS = 50_000, 4_000, 20_000, 300


def measure() -> Iterator[Figure]:
    with TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder) / "ledger.sqlite")
        keys = [digest(number) for number in range(ENTRIES)]
        for key in keys:
            ledger.put(key, random.Random(key).randbytes(BYTES))
        drawn = random.Random(7).sample(keys, READS)  # in this order none is held in the process when it comes again
        took = seconds(lambda: [ledger.get(key) for key in drawn])
        beside = f"{READS / took:,.0f} reads a second, of {ENTRIES:,} entries of {BYTES:,} bytes"
        yield Figure("reading one entry of the ledger", 1e6 * took / READS, "us", 50.0, beside)
        yield from replayed(ledger)


def replayed(ledger: Ledger) -> Iterator[Figure]:
    import openai  # noqa: F401  # its import takes longer than the calls

    prompts = [Prompt("Responde.", f"{number} " + "palabra " * 400) for number in range(CALLS)]
    with serving(latency=0.2) as endpoint:
        transport = Transport(in_flight=64)
        model = ChatModel(name="m", model="m", base_url=endpoint.url, memory=ledger, transport=transport)
        made = seconds(lambda: model.many(prompts))
    bound = 0.2 * -(-CALLS // 64)
    again = seconds(lambda: [model.complete(prompt) for prompt in prompts])
    what = f"{CALLS} calls of 200 ms, 64 in flight: ours / latency bound"
    yield Figure(what, made / bound, "x", 1.2, f"{made:.2f} s, bound {bound:.2f} s")
    yield Figure("the same calls from the ledger: again / made", again / made, "x", 0.1, f"{again:.3f} s")
