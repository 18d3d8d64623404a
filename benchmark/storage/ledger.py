"""What models have said and embedded, kept in one sqlite file that parallel jobs share."""

from __future__ import annotations

import sqlite3
import threading
from functools import cache
from pathlib import Path

_SCHEMA = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"


class Ledger:
    """A ``Memory`` on disk: bytes under a digest. Safe for several threads and processes (WAL)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        # A power cut may lose the last calls, never the file: they would be made again.
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.execute(_SCHEMA)

    def get(self, key: str) -> bytes | None:
        with self._lock:
            row = self._connection.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, key: str, value: bytes) -> None:
        with self._lock:
            self._connection.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, value))


@cache
def open_ledger(path: str) -> Ledger:
    """The ledger of that file, one per process; the folder is made where it is missing."""
    return Ledger(Path(path).resolve())
