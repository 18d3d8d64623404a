"""The documents that were imported, on disk: known by their ids, read one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from benchmark.domain import Document


class Shelf:
    """Documents of a ``documents.jsonl`` that the importer wrote, by id; only their places are held in memory."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("rb")
        self._places: dict[str, int] = {}
        place = 0
        for line in self._file:
            self._places[json.loads(line)["id"]] = place
            place += len(line)

    def __enter__(self) -> Shelf:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def first(self) -> str:
        return next(iter(self._places))

    def text(self, name: str) -> str:
        self._file.seek(self._places[name])
        text: str = json.loads(self._file.readline())["text"]
        return text

    def documents(self) -> Iterator[Document]:
        """All of them, in order."""
        for name in self._places:
            yield Document(name, self.text(name))
