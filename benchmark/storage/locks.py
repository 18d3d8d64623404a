"""Locks between processes, where the system has them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmark.domain import UserError


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process is within the same folder's ``alone_in``; the folder itself carries the lock."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def hold(descriptor: int, path: Path) -> None:
    """Hold an open records file until it is closed: two writers would mend away each other's lines.

    Raises:
        UserError: another process holds it.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(
            f"{path} is being written by another ragsweep that runs the same configuration.\n"
            "    to do:  wait until it ends, or stop it; its finished questions are kept"
        ) from None
    except OSError:  # a file system without locks
        return
