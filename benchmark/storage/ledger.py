"""What models have said and embedded, kept in one sqlite file that parallel jobs share."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from time import sleep, time

from benchmark.domain import UserError
from benchmark.storage.locks import Claims

_ATTEMPTS = 100
_PAGE = 500
_NEAR, _SMALL = 8192, 16_384
"""How many values are held in this process too, and the bytes that each has at most: a vector has some two thousand."""
# With row ids: values of some kilobytes inside the index would make every step down the tree read a page.
_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL, made INTEGER)"


@dataclass(frozen=True, slots=True)
class Entry:
    """``made``: seconds since 1970; ``None`` for what was kept before the ledger wrote it down."""

    key: str
    value: bytes
    made: int | None


class Ledger:
    """A ``Memory`` on disk: bytes under a digest. Safe for several threads and processes (WAL)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._near: dict[str, bytes] = {}
        self._claims = Claims(path.with_name(f"{path.name}-claims"))

    def claim(self, key: str) -> bool:
        """Whether no other process is making what belongs under a key; then this one is, until it releases it."""
        return self._claims.claim(key)

    def release(self, key: str) -> None:
        self._claims.release(key)

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        """Opened at the first use, and made at the first write: what is refused or rehearsed leaves no file."""
        if self.path.is_file() and not os.access(self.path.parent, os.W_OK):
            # Without its log, which has to be written: to read is all that can be done here, and nobody else writes.
            address = f"{self.path.resolve().as_uri()}?immutable=1"
            return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
        for attempt in range(_ATTEMPTS):  # the change to WAL does not wait for another process that makes it
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError:
                if attempt == _ATTEMPTS - 1:
                    raise
                sleep(0.1)
        # A power cut may lose the last calls, never the file: they would be made again.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_SCHEMA)
        if "made" not in [column[1] for column in connection.execute("PRAGMA table_info(kept)")]:
            with suppress(sqlite3.OperationalError):  # another process has added it meanwhile
                connection.execute("ALTER TABLE kept ADD COLUMN made INTEGER")
        return connection

    def get(self, key: str) -> bytes | None:
        """What is kept; a sweep asks ten times for the same vectors, so they are read from the file once.

        Raises:
            UserError: the file cannot be read.
        """
        with self._lock:
            near = self._near.get(key)
            if near is not None:
                return near
            if "_connection" not in self.__dict__ and not self.path.is_file():
                return None
        with self._file() as connection:
            row = connection.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            value = bytes(row[0])
            self._hold(key, value)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep it.

        Raises:
            UserError: the file cannot be written. A run stops there: its next calls would be paid for and lost.
        """
        with self._file() as connection:
            statement = "INSERT OR REPLACE INTO kept (key, value, made) VALUES (?, ?, ?)"
            connection.execute(statement, (key, value, int(time())))
            self._near.pop(key, None)

    def _hold(self, key: str, value: bytes) -> None:
        """What was read and may be read again; where there is no room in place of the oldest."""
        if len(value) > _SMALL:
            return
        if len(self._near) >= _NEAR:
            del self._near[next(iter(self._near))]
        self._near[key] = value

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        """The file, for this thread alone."""
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise UserError(
                f"the ledger {self.path} cannot be used: {error}\n"
                "    wanted: the file that ragsweep made, whole, in a folder that may be written, on a disk with room\n"
                "    to do:  put a copy in its place; or move it away, and what it kept is asked and paid for again"
            ) from None

    def entries(self) -> Iterator[Entry]:
        """All that is kept, in the order of the keys; others may read and write meanwhile."""
        after = ""
        while True:
            statement = "SELECT key, value, made FROM kept WHERE key > ? ORDER BY key LIMIT ?"
            with self._file() as connection:
                rows = connection.execute(statement, (after, _PAGE)).fetchall()
            if not rows:
                return
            yield from (Entry(key, bytes(value), made) for key, value, made in rows)
            after = rows[-1][0]

    def remove(self, keys: Sequence[str]) -> None:
        """Forget these, and give their room back."""
        with self._file() as connection:
            for key in keys:
                self._near.pop(key, None)
            connection.executemany("DELETE FROM kept WHERE key = ?", [(key,) for key in keys])
            connection.execute("VACUUM")


class Rehearsed:
    """A ledger's memory for a dry run: where there is no file yet none is made, and what is put is gone at the end."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._put: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        value = self._put.get(key)
        return self._ledger.get(key) if value is None else value

    def put(self, key: str, value: bytes) -> None:
        if self._ledger.path.is_file():
            self._ledger.put(key, value)
        else:
            self._put[key] = value


def open_ledger(path: str) -> Ledger:
    """The ledger of that file, one per process; a relative path is of the folder that is current now."""
    return _opened(Path(path).resolve())


def rehearse_ledger(path: str) -> Rehearsed:
    """The same for a dry run."""
    return _rehearsed(open_ledger(path))


@cache
def _opened(path: Path) -> Ledger:
    return Ledger(path)


@cache
def _rehearsed(ledger: Ledger) -> Rehearsed:
    return Rehearsed(ledger)
