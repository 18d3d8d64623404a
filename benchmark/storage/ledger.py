"""What models have said and embedded, kept in one sqlite file that parallel jobs share."""

from __future__ import annotations

import sqlite3
import threading
from functools import cache, cached_property
from pathlib import Path
from time import sleep

_ATTEMPTS = 100
_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"


class Ledger:
    """A ``Memory`` on disk: bytes under a digest. Safe for several threads and processes (WAL)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        """Opened at the first use: a configuration that is refused must leave nothing on the disk."""
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
        return connection

    def get(self, key: str) -> bytes | None:
        with self._lock:
            row = self._connection.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, key: str, value: bytes) -> None:
        with self._lock:
            self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, value))


def open_ledger(path: str) -> Ledger:
    """The ledger of that file, one per process; a relative path is of the folder that is current now."""
    return _opened(Path(path).resolve())


@cache
def _opened(path: Path) -> Ledger:
    return Ledger(path)
