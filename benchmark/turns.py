"""Work at once: local work takes turns, and only waiting for others goes on side by side.

Models, stemmers and indices of this process are not made for several threads, so a thread works in its turn alone; it
gives the turn away while it waits for an endpoint. Hundreds of requests are then in flight, and all else is serial.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import Generic, TypeVar, cast

from benchmark.stopwatch import Stopwatch, credit, stopwatch

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE = 0.5
"""Seconds that calls in flight are given to come in when the work is stopped: they are paid for."""

_lock = threading.Lock()
_computing = threading.RLock()
_mine = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """A block of local work: no other thread is within its own turn meanwhile."""
    _lock.acquire()
    _mine.turn = True
    try:
        yield
    finally:
        lend()


@contextmanager
def waiting() -> Iterator[None]:
    """A block that waits for others: the turn of this thread, if it has it, is given away meanwhile."""
    if not getattr(_mine, "turn", False):
        yield
        return
    lend()
    _mine.lent = True
    try:
        yield
    finally:
        _lock.acquire()
        _mine.turn, _mine.lent = True, False


@contextmanager
def working() -> Iterator[None]:
    """Within ``waiting``, a block that works again in its turn, up to its end or to ``lend``."""
    if not getattr(_mine, "lent", False):
        yield
        return
    with turn():
        yield


@contextmanager
def alone() -> Iterator[None]:
    """A block in which a model of this process computes: no other thread is within such a block meanwhile.

    Threads that another library starts have no turn, and cannot wait for that of the thread that waits for them.
    """
    with _computing:
        yield


def lend() -> None:
    """Give away the turn of this thread, if it has it: what follows in the block waits for others."""
    if getattr(_mine, "turn", False):
        _mine.turn = False
        _lock.release()


@dataclass(frozen=True, slots=True)
class _Ended(Generic[Result]):
    result: Result | None
    error: BaseException | None
    dropped: bool = False


def as_finished(items: Iterable[Item], work: Callable[[Item], Result], *, at_once: int) -> Iterator[Result]:
    """The result of each item as it comes, at most ``at_once`` in work; each runs in its turn.

    An error, or Ctrl-C, ends it: no further item is begun, what comes in within ``GRACE`` is still yielded, then the
    error goes on up. What has not come in by then is left behind in threads that end with the process.
    """
    asked: SimpleQueue[Item | None] = SimpleQueue()
    ended: SimpleQueue[_Ended[Result]] = SimpleQueue()
    stopped = threading.Event()

    def one(item: Item) -> _Ended[Result]:
        try:
            with turn():
                return _Ended(work(item), None)
        except BaseException as error:  # noqa: BLE001  # it goes on up in the thread that asked
            stopped.set()
            return _Ended(None, error)

    def serve() -> None:
        while (item := asked.get()) is not None:
            # A context of its own: the stopwatches of the asking thread are not this thread's to write to.
            dropped: _Ended[Result] = _Ended(None, None, dropped=True)
            came = dropped if stopped.is_set() else Context().run(one, item)
            if came.error is not None:
                stopped.set()  # here, not where the results are read: this thread would begin another item meanwhile
            ended.put(came)

    remaining = iter(items)
    begun = flying = 0
    error: BaseException | None = None
    try:
        while error is None:
            try:
                # Twice as many lie ready, so that no thread waits for this one.
                while flying < 2 * at_once and (item := next(remaining, None)) is not None:
                    asked.put(item)
                    flying += 1
                    if begun < min(flying, at_once):
                        threading.Thread(target=serve, daemon=True).start()
                        begun += 1
                if not flying:
                    return
                with waiting():
                    came = ended.get()
            except KeyboardInterrupt as interrupt:
                error = interrupt
                break
            flying -= 1
            error = came.error
            if error is None:
                yield cast(Result, came.result)
        stopped.set()
        yield from _last(ended, flying)
        raise error
    finally:
        stopped.set()
        for _ in range(begun):
            asked.put(None)


def _last(ended: SimpleQueue[_Ended[Result]], flying: int) -> Iterator[Result]:
    """What still comes in within the grace."""
    until = monotonic() + GRACE
    for _ in range(flying):
        try:
            with waiting():
                came = ended.get(timeout=max(0.0, until - monotonic()))
        except Empty:
            return
        if came.error is None and not came.dropped:
            yield cast(Result, came.result)


def together(calls: Sequence[Callable[[], Result]], *, at_once: int) -> list[Result]:
    """The results of all calls in their order, at most ``at_once`` in work.

    Raises:
        Exception: that of the first call, in their order, which failed; the others are made nevertheless.
    """
    if len(calls) <= 1 or at_once <= 1:
        return [call() for call in calls]
    began = perf_counter()
    results: list[Result | None] = [None] * len(calls)
    errors: list[Exception | None] = [None] * len(calls)
    watches: list[Stopwatch] = [Stopwatch() for _ in calls]

    def one(place: int) -> None:
        try:
            with stopwatch() as watches[place]:
                results[place] = calls[place]()
        except Exception as error:  # noqa: BLE001  # the first in their order goes on up
            errors[place] = error

    for _ in as_finished(range(len(calls)), one, at_once=at_once):
        pass
    # What the calls cost one after another, so that a stage's cost does not depend on how many were in work at once.
    costs = sum(watch.seconds for watch in watches)
    completions = [completion for watch in watches for completion in watch.completions]
    credit(costs - (perf_counter() - began), cached=any(watch.cached for watch in watches), completions=completions)
    for error in filter(None, errors):
        raise error
    return cast(list[Result], results)
