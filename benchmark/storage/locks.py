"""Locks between processes, where the system has them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
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


class Claims:
    """Keys that one process at a time may have, each the lock of one byte of a file: free again when its owner dies.

    Such locks are the process's: its threads have to agree among themselves.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    @cached_property
    def _descriptor(self) -> int | None:
        """One for all, since to close another one of the file would give up every lock."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # a folder that is read alone: nothing can be made there twice
            return None

    def claim(self, key: str) -> bool:
        """Whether no other process has it; from now on this one does. Where there are no locks, always."""
        try:
            import fcntl
        except ImportError:  # Windows
            return True
        with self._lock:
            descriptor = self._descriptor
        if descriptor is None:
            return True
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(key))
        except (BlockingIOError, PermissionError):  # either, by the system
            return False
        except OSError:  # a file system without locks
            return True
        return True

    def release(self, key: str) -> None:
        """Give up what this process has claimed."""
        try:
            import fcntl
        except ImportError:
            return
        if self._descriptor is not None:
            with suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, _byte(key))


def _byte(key: str) -> int:
    return int.from_bytes(sha256(key.encode("utf-8")).digest()[:7], "big")
