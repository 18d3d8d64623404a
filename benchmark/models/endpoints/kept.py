"""Calls that are made once: kept ones are read, equal ones in flight are waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from benchmark.domain import Memory
from benchmark.turns import resting

_lock = threading.Lock()
_flying: dict[tuple[int, str], Future[bytes]] = {}


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
        for key in mine:  # one may have come in between the look and the claim
            value = memory.get(key)
            if value is not None:
                found[key] = value, True
        wanted = [key for key in mine if key not in found]
        if wanted:
            made = make(wanted)
            for key in wanted:
                memory.put(key, made[key])
                found[key] = made[key], False
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
