"""Whether the files of a folder are still what they were when they were read."""

from __future__ import annotations

from pathlib import Path

Stamp = tuple[tuple[str, int, int], ...]


def stamp(folder: Path) -> Stamp:
    """The path, the time of change in nanoseconds and the bytes of each file in a folder and below it."""
    files = sorted(file.absolute() for file in folder.rglob("*") if file.is_file())
    return tuple((str(file), status.st_mtime_ns, status.st_size) for file in files for status in [file.stat()])
