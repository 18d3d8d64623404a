"""What the processes of one sweep spend of its budget together, in a file that lives as long as the command."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path

Amounts = tuple[float, ...]
"""Calls, tokens read, tokens written, money, and how many of the calls have no known price."""

_AMOUNTS = "calls, prompt_tokens, completion_tokens, money, unpriced"
_SUMS = "TOTAL(calls), TOTAL(prompt_tokens), TOTAL(completion_tokens), TOTAL(money), TOTAL(unpriced)"
_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS spent (model TEXT, {_AMOUNTS})",
    f"CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY, process INTEGER, model TEXT, {_AMOUNTS})",
    f"CREATE TABLE IF NOT EXISTS expected (key TEXT PRIMARY KEY, model TEXT, {_AMOUNTS})",
)


class SharedBook:
    """A ``Book`` for processes of one machine. What a process that died had in flight counts as spent, at its most."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous=OFF")  # it need not outlive the command
        for statement in _SCHEMA:
            connection.execute(statement)
        return connection

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """A block that no other thread and no other process writes in."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            finally:
                self._connection.execute("COMMIT")

    def hold(self, model: str, most: Amounts, allows: Callable[[Amounts], bool]) -> tuple[int | None, bool]:
        """The number of a hold, if what is spent and held is such as ``allows`` it; and whether calls are in flight."""
        with self._alone() as book:
            processes = [row[0] for row in book.execute("SELECT DISTINCT process FROM held")]
            for dead in (process for process in processes if not _lives(process)):
                book.execute(f"INSERT INTO spent SELECT model, {_AMOUNTS} FROM held WHERE process = ?", (dead,))
                book.execute("DELETE FROM held WHERE process = ?", (dead,))
            held = book.execute(f"SELECT {_SUMS} FROM held").fetchone()
            spent = book.execute(f"SELECT {_SUMS} FROM spent").fetchone()
            if not allows(tuple(map(sum, zip(held, spent, strict=True)))):
                return None, held[0] > 0
            row = book.execute(
                f"INSERT INTO held (process, model, {_AMOUNTS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (os.getpid(), model, *most),
            )
            return row.lastrowid, True

    def settle(self, number: int, spent: Amounts) -> None:
        """What the call of a hold has cost."""
        with self._alone() as book:
            [model] = book.execute("SELECT model FROM held WHERE id = ?", (number,)).fetchone()
            book.execute("DELETE FROM held WHERE id = ?", (number,))
            before = book.execute(f"SELECT {_SUMS} FROM spent WHERE model = ?", (model,)).fetchone()
            book.execute("DELETE FROM spent WHERE model = ?", (model,))
            total = map(sum, zip(before, spent, strict=True))
            book.execute("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?)", (model, *total))

    def expect(self, model: str, key: str, most: Amounts) -> None:
        """Note a call that would be made, once for each key."""
        with self._alone() as book:
            book.execute("INSERT OR IGNORE INTO expected VALUES (?, ?, ?, ?, ?, ?, ?)", (key, model, *most))

    def by_model(self, *, expected: bool) -> dict[str, Amounts]:
        table = "expected" if expected else "spent"
        with self._lock:
            rows = self._connection.execute(f"SELECT model, {_SUMS} FROM {table} GROUP BY model ORDER BY model")
            return {model: tuple(sums) for model, *sums in rows}


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another's process lives too
        return True
    return True


@cache
def open_book(path: Path) -> SharedBook:
    """The book of that file, one per process."""
    return SharedBook(path)
