"""Work at once: local work takes turns, and only waiting for others goes on side by side.

Models, stemmers and indices of this process are not made for several threads, so a thread works in its turn alone; it
gives the turn away while it waits for an endpoint. Hundreds of requests are then in flight, and all else is serial.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import Generic, TypeVar, cast

from benchmark.stopwatch import Stopwatch, credit_of, stopwatch

Item = TypeVar("Item")
Result = TypeVar("Result")

GRACE = 1.0
"""Seconds that calls in flight are given to come in when the work is stopped: they are paid for."""

_lock = threading.Lock()
_computing = threading.RLock()
_mine = threading.local()


class StoppedError(BaseException):
    """The work is being stopped: what is asked for now would be paid for and lost. No handler of errors takes it."""


@contextmanager
def turn() -> Iterator[None]:
    """A block of local work: no other thread is within its own turn meanwhile."""
    _lock.acquire()
    _mine.turn = True
    try:
        yield
    finally:
        _lend()


@contextmanager
def waiting() -> Iterator[None]:
    """A block that waits for others: the turn of this thread, if it has it, is given away meanwhile.

    Raises:
        StoppedError: the work is being stopped.
    """
    halt: threading.Event | None = getattr(_mine, "halt", None)
    if halt is not None and halt.is_set() and getattr(_mine, "turn", False):
        raise StoppedError
    with _lent():
        yield


@contextmanager
def _part_of(halt: threading.Event | None) -> Iterator[None]:
    """A block in which this thread does the work of those who stop when ``halt`` is set."""
    before = getattr(_mine, "halt", None)
    _mine.halt = halt
    try:
        yield
    finally:
        _mine.halt = before


@contextmanager
def _lent() -> Iterator[None]:
    if not getattr(_mine, "turn", False):
        yield
        return
    _lend()
    try:
        yield
    finally:
        _lock.acquire()
        _mine.turn = True


@contextmanager
def alone() -> Iterator[None]:
    """A block in which a model of this process computes: no other thread is within such a block meanwhile.

    Threads that another library starts have no turn, and cannot wait for that of the thread that waits for them.
    """
    with _computing:
        yield


def _lend() -> None:
    """Give away the turn of this thread, if it has it."""
    if getattr(_mine, "turn", False):
        _mine.turn = False
        _lock.release()


@contextmanager
def resting() -> Iterator[None]:
    """A block that waits for what other threads do: its place in the crew is given away too, so they are enough."""
    with _lent():
        left = getattr(_mine, "busy", False)
        if left:
            _mine.busy = False
            _crew.leave()
        try:
            yield
        finally:
            if left:
                _crew.come()
                _mine.busy = True


def _is_foreign() -> bool:
    """Whether this thread is another library's: the one that waits for it may have the turn that others would need."""
    return not getattr(_mine, "turn", False) and threading.current_thread() is not threading.main_thread()


class _Calls:
    """The calls of one ``together``: whoever has nothing else to do takes the next one, its own thread among them."""

    def __init__(self, works: Iterable[Callable[[], None]], at_once: int) -> None:
        self.untaken = deque(works)
        self.at_once = at_once
        self.halt: threading.Event | None = getattr(_mine, "halt", None)
        self.unfinished = len(self.untaken)
        self.finished = threading.Event()


class _Crew:
    """The threads of this process: kept, since to begin one for every call would cost more than all else about it.

    As many are busy as calls are worth having at once, and no more: hundreds that queue would each hold its stack.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Callable[[], object]]] = []
        self._busy = 0
        self._open: deque[_Calls] = deque()

    def begin(self, work: Callable[[], object]) -> None:
        """Begin work that never raises in a thread that ends with the process."""
        with self._lock:
            self._busy += 1
            self._put(work)

    def _put(self, work: Callable[[], object]) -> None:
        if self._idle:
            self._idle.pop().put(work)
            return
        works: SimpleQueue[Callable[[], object]] = SimpleQueue()
        works.put(work)
        threading.Thread(target=self._serve, args=(works,), daemon=True).start()

    def _serve(self, works: SimpleQueue[Callable[[], object]]) -> None:
        while True:
            work: Callable[[], object] | None = works.get()
            _mine.busy = True
            while work is not None:
                work()
                with self._lock:
                    work = self._next()
                    if work is None:
                        self._busy -= 1
                        self._idle.append(works)

    def _next(self) -> Callable[[], object] | None:
        """To make calls of the oldest that are open, if there is room for this thread."""
        room = self._open and self._busy <= self._open[0].at_once
        return partial(self._make, self._open[0]) if room else None

    def _make(self, calls: _Calls) -> bool:
        """Make the next call that nobody has taken; whether there was one."""
        with self._lock:
            work = self._taken(calls)
        if work is None:
            return False
        with _part_of(calls.halt):
            work()
        with self._lock:
            calls.unfinished -= 1
            if not calls.unfinished:
                calls.finished.set()
        return True

    def _taken(self, calls: _Calls) -> Callable[[], None] | None:
        work = calls.untaken.popleft() if calls.untaken else None
        if not calls.untaken and calls in self._open:
            self._open.remove(calls)
        return work

    def _fill(self) -> None:
        """Begin as many threads as there is room and work for."""
        for calls in self._open:
            for _ in range(min(len(calls.untaken), calls.at_once - self._busy)):
                self._busy += 1
                self._put(partial(self._make, calls))

    def leave(self) -> None:
        with self._lock:
            self._busy -= 1
            self._fill()

    def come(self) -> None:
        with self._lock:
            self._busy += 1

    def share(self, calls: _Calls) -> None:
        """Until all are made. The main thread makes none itself: Ctrl-C would lose it one that is paid for."""
        with self._lock:
            self._open.append(calls)
            self._fill()
        if getattr(_mine, "busy", False):
            while self._make(calls):
                pass
        try:
            with resting():
                calls.finished.wait()
        except KeyboardInterrupt:
            with self._lock:
                while self._taken(calls):
                    calls.unfinished -= 1
            until = monotonic() + GRACE
            while calls.unfinished and monotonic() < until:
                calls.finished.wait(until - monotonic())
            raise


_crew = _Crew()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_crew.__init__)  # type: ignore[misc]  # a child has none of the threads


@dataclass(frozen=True, slots=True)
class _Ended(Generic[Result]):
    result: Result | None
    error: BaseException | None
    dropped: bool = False


def outlasting(call: Callable[[], Result]) -> Result:
    """The result of a call that Ctrl-C does not break off: it has ``GRACE`` to come in, and is then left behind."""
    if threading.current_thread() is not threading.main_thread():  # no other gets to hear of Ctrl-C
        return call()
    ended: SimpleQueue[_Ended[Result]] = SimpleQueue()

    def made() -> None:
        try:
            ended.put(_Ended(call(), None))
        except BaseException as error:  # noqa: BLE001  # it goes on up in the thread that asked
            ended.put(_Ended(None, error))

    try:
        _crew.begin(made)
        with resting():
            came = ended.get()
    except KeyboardInterrupt:
        with suppress(Empty):
            ended.get(timeout=GRACE)
        raise
    if came.error is not None:
        raise came.error
    return cast(Result, came.result)


def as_finished(
    items: Iterable[Item], work: Callable[[Item], Result], *, at_once: int
) -> Generator[Result, None, None]:
    """The result of each item as it comes, at most ``at_once`` in work; each runs in its turn.

    An error, or Ctrl-C, ends it: no further item is begun, what comes in within ``GRACE`` is still yielded, then the
    error goes on up. What has not come in by then is left behind in threads that end with the process. Who may be
    stopped itself between two results closes this (``contextlib.closing``), or throws into it what stopped it.
    """
    asked: SimpleQueue[Item | None] = SimpleQueue()
    ended: SimpleQueue[_Ended[Result]] = SimpleQueue()
    stopped, halt = threading.Event(), threading.Event()
    """No further item is begun; and no further call is made by those that are."""

    def one(item: Item) -> _Ended[Result]:
        try:
            with turn():
                return _Ended(work(item), None)
        except BaseException as error:  # noqa: BLE001  # it goes on up in the thread that asked
            stopped.set()
            return _Ended(None, error)

    def serve() -> None:
        with _part_of(halt):
            while (item := asked.get()) is not None:
                # A context of its own: the stopwatches of the asking thread are not this thread's to write to.
                dropped: _Ended[Result] = _Ended(None, None, dropped=True)
                came = dropped if stopped.is_set() else Context().run(one, item)
                if came.error is not None:
                    stopped.set()  # here, not where the results are read: this thread would begin another item
                ended.put(came)

    remaining = iter(items)
    present = begun = flying = 0

    def dismiss() -> None:
        nonlocal present
        for _ in range(present):
            asked.put(None)
        present = 0

    error: BaseException
    try:
        while True:
            # Twice as many lie ready, so that no thread waits for this one.
            while flying < 2 * at_once and (item := next(remaining, None)) is not None:
                asked.put(item)
                flying += 1
                if begun < min(flying, at_once):
                    _crew.begin(serve)
                    begun += 1
                    present += 1
            if flying < 2 * at_once:  # there are no more: who is through helps the others
                dismiss()
            if not flying:
                return
            with waiting():
                came = ended.get()
            flying -= 1
            if came.error is not None:
                error = came.error
                break
            yield cast(Result, came.result)
    except KeyboardInterrupt as interrupt:
        error = interrupt
    except GeneratorExit:  # who reads the results is stopped, by Ctrl-C or an error of its own
        stopped.set()
        halt.set()
        for _ in _last(ended, flying):
            pass
        raise
    finally:
        stopped.set()
        dismiss()
    halt.set()  # not before the error has come in here: that of a thread which is stopped would come first
    yield from _last(ended, flying)
    raise error


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
        BaseException: that of the first call, in their order, which failed; the others are made nevertheless.
    """
    if len(calls) <= 1 or at_once <= 1 or _is_foreign():
        return [call() for call in calls]
    began = perf_counter()
    results: list[Result | None] = [None] * len(calls)
    errors: list[BaseException | None] = [None] * len(calls)
    watches: list[Stopwatch] = [Stopwatch() for _ in calls]

    def one(place: int) -> None:
        try:
            with stopwatch() as watches[place]:
                results[place] = calls[place]()
        except BaseException as error:  # noqa: BLE001  # the first in their order goes on up
            errors[place] = error

    def in_turn(place: int) -> None:
        if getattr(_mine, "turn", False):  # the thread of the caller itself
            Context().run(one, place)
            return
        with turn():
            Context().run(one, place)

    _crew.share(_Calls([partial(in_turn, place) for place in range(len(calls))], at_once))
    credit_of(watches, elapsed=perf_counter() - began)
    for error in filter(None, errors):
        raise error
    return cast(list[Result], results)
