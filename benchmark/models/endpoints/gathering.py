"""Texts that many threads want embedded, gathered into few requests: while one is out, the next one fills up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from benchmark.models.endpoints.faults import BadReplyError, RejectedError
from benchmark.turns import resting

Texts = Mapping[str, str]
Made = Mapping[str, bytes]
Make = Callable[[Texts], Made]


@dataclass(eq=False, slots=True)
class _Wish:
    """``coming``: what was made of its texts, or ``None`` where it is this one's turn to send."""

    texts: Texts
    coming: Future[Made | None] = field(default_factory=Future)


class Gatherer:
    """What all users of one embedding model go through: one request is out at a time, of up to ``batch`` texts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: list[_Wish] = []
        self._out = False

    def made(self, texts: Texts, make: Make, *, batch: int) -> Made:
        """What ``make`` makes of these texts, perhaps with others' in one request.

        Raises:
            CallFailedError: that of these texts alone: what a request cannot be made for is asked wish by wish.
        """
        mine = _Wish(texts)
        with self._lock:
            self._queue.append(mine)
            sends = not self._out
            self._out = True
        if not sends:
            try:
                with resting():
                    came = mine.coming.result()
            except KeyboardInterrupt:
                self._withdraw(mine)
                raise
            if came is not None:
                return came
        return self._send(make, batch)

    def _send(self, make: Make, batch: int) -> Made:
        """One request for the first wish, which is this thread's, and for those behind it that have room."""
        with self._lock:
            size, count = len(self._queue[0].texts), 1
            while count < len(self._queue) and size + len(self._queue[count].texts) <= batch:
                size += len(self._queue[count].texts)
                count += 1
            mine, *others = self._queue[:count]
            del self._queue[:count]
        try:
            return self._shared(mine, others, make)
        except BaseException as error:
            for wish in others:
                if not wish.coming.done():
                    wish.coming.set_exception(error)
            raise
        finally:
            self._pass_on()

    @staticmethod
    def _shared(mine: _Wish, others: list[_Wish], make: Make) -> Made:
        if others:
            try:
                made = make({key: text for wish in (mine, *others) for key, text in wish.texts.items()})
            except (BadReplyError, RejectedError):  # one text may be at fault: the others must not fail for it
                for wish in others:
                    try:
                        wish.coming.set_result(make(wish.texts))
                    except (BadReplyError, RejectedError) as error:
                        wish.coming.set_exception(error)
            else:
                for wish in others:
                    wish.coming.set_result({key: made[key] for key in wish.texts})
                return made
        return make(mine.texts)

    def _pass_on(self) -> None:
        with self._lock:
            self._out = bool(self._queue)
            if self._out:
                self._queue[0].coming.set_result(None)

    def _withdraw(self, wish: _Wish) -> None:
        """Of a thread that is stopped: another must send in its place."""
        with self._lock:
            waits = wish in self._queue
            if waits:
                self._queue.remove(wish)
        if waits and wish.coming.done():
            self._pass_on()


_gatherers: dict[tuple[object, ...], Gatherer] = {}
_lock = threading.Lock()


def gatherer_of(*model: object) -> Gatherer:
    """The gatherer of a model at an endpoint, one per process."""
    with _lock:
        return _gatherers.setdefault(model, Gatherer())
