"""MLflow's database, made whole or not at all: what is stopped within its migrations is no database for MLflow."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

SQLITE = "sqlite:///"


def make_whole(database: Path, make: Callable[[str], object]) -> None:
    """Let ``make`` make a database at the URI it is given, and move it to where none is yet.

    What is moved is a copy: MLflow keeps its file open.
    """
    if database.name.startswith(":") or database.exists():
        return
    with TemporaryDirectory(prefix=".mlflow-", dir=database.parent, ignore_cleanup_errors=True) as folder:
        made, copy = Path(folder) / "made.db", Path(folder) / "copy.db"
        make(f"{SQLITE}{made.absolute()}")
        shutil.copyfile(made, copy)
        copy.replace(database)
