"""The SQLite file in which MLflow keeps its runs."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

SCHEME = "sqlite:///"


def file_of(uri: str) -> Path:
    """The file that ``sqlite:///...`` names."""
    return Path(uri.removeprefix(SCHEME).partition("?")[0])


def make_whole(database: Path, make: Callable[[str], object]) -> None:
    """Let ``make`` make a database at the URI it is given, and move it to where none is yet.

    So what is stopped within MLflow's migrations is no database for MLflow. What is moved is a copy: MLflow keeps its
    file open, and a part of it may stand in a log beside it.
    """
    if database.name.startswith(":") or database.exists():
        return
    with TemporaryDirectory(prefix=".mlflow-", dir=database.parent, ignore_cleanup_errors=True) as folder:
        made, copy = Path(folder) / "made.db", Path(folder) / "copy.db"
        make(f"{SCHEME}{made.absolute()}")
        with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        copy.replace(database)


def wait_seldom_for_the_disk(file: Path) -> None:
    """Give MLflow's database a write-ahead log: each question's trace is a transaction, and would wait for the disk.

    A killed process loses nothing by it. A power failure may take the last transactions, of a copy of the records
    that the same command makes again, and leaves the database whole.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    def connected(connection: object, _: object) -> None:
        if not isinstance(connection, sqlite3.Connection):
            return
        if connection.execute("PRAGMA database_list").fetchone()[2] != os.path.realpath(file):
            return  # of somebody else in this process
        with suppress(sqlite3.DatabaseError):  # it stays as it is where it is no database, or being read just now
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
                connection.execute("PRAGMA synchronous = NORMAL")

    event.listen(Engine, "connect", connected)
