"""What safety checks hold records against: a corpus's documents, its medications and its doses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmark.domain import Corpus
from benchmark.safety import Material
from benchmark.storage.fields import Place, lines
from benchmark.storage.proofs import dose_of_line, medication_of_line
from benchmark.storage.shelves import find

Part = TypeVar("Part")


def material_of(corpus: Corpus, path: str | None) -> Material:
    """The material of a corpus in the folder that its configuration names; without one it has no clinical facts.

    Raises:
        UserError: a line of ``medications.jsonl`` or ``doses.jsonl`` breaks the format.
    """
    folder = None if path is None else find(path)
    return Material(
        {document.id: document for document in corpus.documents},
        corpus.language,
        _listed(folder, "medications.jsonl", medication_of_line),
        _listed(folder, "doses.jsonl", dose_of_line),
    )


def _listed(folder: Path | None, name: str, make: Callable[[Place, object], Part]) -> tuple[Part, ...] | None:
    file = None if folder is None else folder / name
    return tuple(make(place, value) for place, value in lines(file)) if file is not None and file.is_file() else None
