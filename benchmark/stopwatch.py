"""How long a stage took, with kept results at the price of their making."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter

from benchmark.domain import Completion, Embedded


@dataclass(slots=True)
class Stopwatch:
    """``seconds``: what the stage costs when nothing is kept; ``cached``: whether anything in it was kept.

    ``completions`` and ``embedded``: of models behind endpoints, kept ones among them.
    """

    seconds: float = 0.0
    cached: bool = False
    completions: list[Completion] = field(default_factory=list)
    embedded: list[Embedded] = field(default_factory=list)


_adding = threading.Lock()  # threads of other libraries add to the watch of the question that started them
_running: ContextVar[tuple[Stopwatch, ...]] = ContextVar("running", default=())


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Time a block; ``seconds`` is complete when the block ends."""
    watch = Stopwatch()
    token = _running.set((*_running.get(), watch))
    start = perf_counter()
    try:
        yield watch
    finally:
        with _adding:
            watch.seconds += perf_counter() - start
        _running.reset(token)


@contextmanager
def off_the_clock() -> Iterator[None]:
    """Count a block for no stage: what is done once in a process, such as loading a model, would fall on the first.

    So a cost does not depend on which architecture of a sweep, or which question of an exam, came first.
    """
    watches = _running.get()
    token = _running.set(())  # a block within this one, or a kept result, is not counted either
    start = perf_counter()
    try:
        yield
    finally:
        took = perf_counter() - start
        with _adding:
            for watch in watches:
                watch.seconds -= took
        _running.reset(token)


def credit(
    seconds: float,
    *,
    cached: bool = True,
    completions: Sequence[Completion] = (),
    embedded: Sequence[Embedded] = (),
) -> None:
    """Add what a result took when it was made to every stage that runs now; ``cached``: it was kept from then.

    So a cost does not depend on which architecture of a sweep came first. Less than nothing takes back what a stage
    spent in a queue.
    """
    with _adding:
        for watch in _running.get():
            watch.seconds += seconds
            watch.cached = watch.cached or cached
            watch.completions.extend(completions)
            watch.embedded.extend(embedded)


def credit_of(watches: Sequence[Stopwatch], *, elapsed: float) -> None:
    """Add what calls at once cost one after another, by the watch of each, to every stage that runs now.

    So a stage's cost does not depend on how many were in work at once. ``elapsed``: seconds that the stage has counted.
    """
    credit(
        sum(watch.seconds for watch in watches) - elapsed,
        cached=any(watch.cached for watch in watches),
        completions=[completion for watch in watches for completion in watch.completions],
        embedded=[part for watch in watches for part in watch.embedded],
    )
