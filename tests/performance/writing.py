"""How fast the local model writes, alone and beside processes that want the cores too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

from tests.performance.measures import Figure

BUSY = 2
REPLIES = 8
CODE = """
import json, time
from benchmark.models.gguf import BundledGemma, Gguf
from benchmark.prompts import prompt
from tests.fakes import Kept

model = Gguf(name="gemma", weights=BundledGemma(), memory=Kept(), language="es")
ask = lambda number: model.complete(
    prompt("rewrite", "es", max_tokens=48, question=f"¿Cuánto hierro se da en la semana {number}?", n=3, next=4)
)
ask(0)
began = time.perf_counter()
written = sum(ask(number).completion_tokens for number in range(1, REPLIES + 1))
print(json.dumps([written, time.perf_counter() - began]))
"""


def measure() -> Iterator[Figure]:
    """Two busy processes leave half of the cores: twice the time is what sharing costs at least."""
    alone = _speed()
    with ExitStack() as busy:
        for _ in range(BUSY):
            hog = busy.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            busy.callback(hog.kill)
        shared = _speed()
    told = f"{alone:.1f} tokens a second, {shared:.1f} beside {BUSY} busy processes"
    yield Figure(f"writing alone / beside {BUSY} busy processes", alone / shared, "x", 5.0, told)


def _speed() -> float:
    """Tokens a second, in a process of its own since OpenMP is loaded once."""
    code = f"REPLIES = {REPLIES}{CODE}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    written, took = json.loads(ended.stdout.splitlines()[-1])
    return float(written / took)
