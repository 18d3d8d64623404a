"""How fast an endpoint is asked: a bound on what is in flight and rates per minute, shared by the whole process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

_MINUTE = 60.0


class Gate:
    """What all users of one endpoint go through. Each brings its own bounds, and counts the calls of all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flying = 0
        self._queue: deque[tuple[int, threading.Lock]] = deque()
        """Who waits for a slot, the first to come first: its bound, and the lock that it is let in by."""
        self._sent: deque[list[float]] = deque()
        """Of the last minute: when, and how many tokens."""

    @contextmanager
    def slot(self, in_flight: int) -> Iterator[None]:
        """A block that is one of at most ``in_flight``."""
        self._enter(in_flight)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, in_flight: int) -> None:
        mine = in_flight, threading.Lock()
        with self._lock:
            if self._flying < in_flight:
                self._flying += 1
                return
            mine[1].acquire()
            self._queue.append(mine)
        try:
            mine[1].acquire()
        except BaseException:  # Ctrl-C, perhaps when it had been let in already
            with self._lock:
                waits = mine in self._queue
                if waits:
                    self._queue.remove(mine)
            if not waits:
                self._leave()
            raise

    def _leave(self) -> None:
        """Let one in: hundreds may wait, and to wake them all for every slot would cost more than the calls."""
        with self._lock:
            self._flying -= 1
            for place, (in_flight, door) in enumerate(self._queue):
                if self._flying < in_flight:
                    del self._queue[place]
                    self._flying += 1
                    door.release()
                    return

    def admit(self, tokens: int, *, requests_per_minute: int | None, tokens_per_minute: int | None) -> list[float]:
        """Wait until one more request keeps within the rates of any minute; returns its entry, for ``correct``.

        One request that is larger than the rate itself goes out alone.
        """
        while True:
            with self._lock:
                now = monotonic()
                while self._sent and self._sent[0][0] <= now - _MINUTE:
                    self._sent.popleft()
                pause = self._pause(now, tokens, requests_per_minute, tokens_per_minute)
                if pause <= 0:
                    entry = [now, float(tokens)]
                    if requests_per_minute is not None or tokens_per_minute is not None:
                        self._sent.append(entry)
                    return entry
            sleep(pause)

    def _pause(self, now: float, tokens: int, requests: int | None, per_minute: int | None) -> float:
        """Seconds until enough of the last minute has passed."""
        pause = 0.0
        if requests is not None and len(self._sent) >= requests:
            pause = self._sent[-requests][0] + _MINUTE - now
        if per_minute is not None:
            over = sum(entry[1] for entry in self._sent) + tokens - per_minute
            for sent, size in self._sent:
                if over <= 0:
                    break
                over -= size
                pause = max(pause, sent + _MINUTE - now)
        return pause

    @staticmethod
    def correct(entry: list[float], tokens: int) -> None:
        """Put the real number of tokens in place of the expected one."""
        entry[1] = float(tokens)


_gates: dict[str, Gate] = {}
_lock = threading.Lock()


def gate_of(base_url: str) -> Gate:
    """The gate of an endpoint, one per process."""
    with _lock:
        return _gates.setdefault(base_url, Gate())
