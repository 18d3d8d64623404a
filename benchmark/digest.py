"""One digest for everything that is kept or compared by content."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from hashlib import sha256
from pathlib import Path

_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True)


def digest(*parts: object) -> str:
    """SHA-256 (hexadecimal) of JSON-like parts, in order; equal parts give equal digests on every machine.

    >>> digest("a", 1)[:12], digest("a", 1) == digest("a", 1), digest("a1") == digest("a", 1)
    ('2657442bb4a4', True, False)
    """
    return sha256(_JSON.encode(parts).encode("utf-8")).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes; read again only where its size or time has changed: files may have gigabytes."""
    now = path.stat()
    return _file_digest(path, now.st_size, now.st_mtime_ns)


@cache
def _file_digest(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_digest(path: Path) -> str:
    """SHA-256 of a text file: a checkout on Windows may have other line ends, and is the same text."""
    return sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
