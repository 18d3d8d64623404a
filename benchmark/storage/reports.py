"""The files of a report, each written wholly or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path


def folder_of(results: Path, name: str) -> Path:
    """``results/reports/<name>``, for a name that may be a path."""
    return results / "reports" / plain_name(name)


def plain_name(name: str) -> str:
    """A name as one part of a path.

    >>> plain_name("results/runs/tiny"), plain_name("../..")
    ('results-runs-tiny', 'unnamed')
    """
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "unnamed"


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Write files below a folder as they come; returns where they lie."""
    written = []
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
        try:
            draft.write_bytes(content)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        written.append(path)
    return written
