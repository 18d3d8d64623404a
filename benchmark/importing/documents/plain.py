"""Markdown and plain text, as they are; Markdown's front matter is metadata, as in a corpus's folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.domain import Document
from benchmark.importing.documents.pieces import Piece
from benchmark.importing.raw import kind_of, stem_of, whole
from benchmark.storage.corpora import split
from benchmark.storage.fields import Place

_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)


def read(file: Path, identity: str, *, skip: int) -> Iterator[Piece]:
    """The file as one document; its title is the front matter's, the first heading's, or the file's name."""
    if skip:
        return
    text = whole(file)
    metadata: dict[str, object] = {}
    heading = None
    if kind_of(file) in (".md", ".markdown"):
        metadata, text = split(text, Place(file))
        heading = _HEADING.search(text)
    title = str(metadata.pop("title", "") or (heading[1] if heading else stem_of(file)))
    if not text.strip():
        raise Place(file).wrong("it has no text", "some text", "write it or take the file out")
    yield Piece(Document(identity, text.strip("\n"), title, {"source": file.name, **metadata}), Place(file))
