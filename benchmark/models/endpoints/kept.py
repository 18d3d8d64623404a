"""Calls that are made once: kept ones are read, equal ones in flight are waited for, in other processes too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from time import sleep
from typing import Protocol, runtime_checkable

from benchmark.domain import Memory
from benchmark.turns import outlasting, resting, waiting

_LOOK_AGAIN = 0.05  # seconds between looks at what other processes have in flight

_lock = threading.Lock()
_flying: dict[tuple[int, str], Future[bytes]] = {}


@runtime_checkable
class Shared(Protocol):
    """A ``Memory`` of several processes: who makes what belongs under a key claims it meanwhile."""

    def claim(self, key: str) -> bool: ...
    def release(self, key: str) -> None: ...


def once(memory: Memory, key: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
    """The value under a key, and whether it was there or came with another thread's call; else it is made and kept."""
    kept = memory.get(key)
    if kept is not None:
        return kept, True
    return _made(memory, [key], lambda _: {key: make()})[key]


def once_each(
    memory: Memory, keys: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, bytes]]
) -> dict[str, tuple[bytes, bool]]:
    """As ``once`` for many keys: ``make`` gets those that nobody has and nobody is making.

    What ``make`` returns is kept at once; it may return fewer by raising.
    """
    found: dict[str, tuple[bytes, bool]] = {}
    for key in dict.fromkeys(keys):
        value = memory.get(key)
        if value is not None:
            found[key] = value, True
    return found | _made(memory, [key for key in dict.fromkeys(keys) if key not in found], make)


def _made(
    memory: Memory, missing: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, bytes]]
) -> dict[str, tuple[bytes, bool]]:
    """Of keys that were not there at a first look."""
    found: dict[str, tuple[bytes, bool]] = {}
    mine: dict[str, Future[bytes]] = {}
    others: dict[str, Future[bytes]] = {}
    with _lock:
        for key in missing:
            flying = _flying.get((id(memory), key))
            if flying is None:
                mine[key] = _flying[id(memory), key] = Future()
            else:
                others[key] = flying
    try:
        wanted = list(mine)
        while wanted:
            found |= _claimed(memory, wanted, make)
            wanted = [key for key in wanted if key not in found]
            if wanted:  # another process makes them; if it fails or dies, this one does
                with resting():
                    sleep(_LOOK_AGAIN)
        for key, future in mine.items():
            future.set_result(found[key][0])
    except BaseException as error:
        for future in mine.values():
            if not future.done():
                future.set_exception(error)
        raise
    finally:
        with _lock:
            for key in mine:
                del _flying[id(memory), key]
    with resting():
        for key, future in others.items():
            found[key] = future.result(), True
    return found


def _made_and_kept(
    memory: Memory, missing: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, bytes]]
) -> Mapping[str, bytes]:
    made = make(missing)
    for key in missing:
        memory.put(key, made[key])
    return made


def _claimed(
    memory: Memory, wanted: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, bytes]]
) -> dict[str, tuple[bytes, bool]]:
    """Those that no other process is making, made or kept by now."""
    shared = memory if isinstance(memory, Shared) else None
    claimed = [key for key in wanted if shared is None or shared.claim(key)]
    try:
        # One may have come in between the look and the claim.
        kept = {key: value for key in claimed if (value := memory.get(key)) is not None}
        missing = [key for key in claimed if key not in kept]
        made: Mapping[str, bytes] = {}
        if missing:
            with waiting():  # kept without a turn: at a stop what came in must not stand behind the work of others
                made = outlasting(partial(_made_and_kept, memory, missing, make))
    finally:
        if shared is not None:
            for key in claimed:
                shared.release(key)
    return {key: (kept[key], True) if key in kept else (made[key], False) for key in claimed}
