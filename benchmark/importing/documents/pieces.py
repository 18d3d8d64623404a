"""What every reader of documents gives: a document, how far it is in its file, and what was lost on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmark.domain import Document
from benchmark.storage.fields import Place


@dataclass(frozen=True, slots=True)
class Piece:
    """One document of a file.

    ``document`` is ``None`` where there was nothing to read, such as on an empty page; ``done`` is the share of the
    file up to here; ``lost`` counts numbers that the source has and the text has not, ``notes`` are for the user.
    """

    document: Document | None
    place: Place
    done: float = 1.0
    lost: Mapping[str, int] = field(default_factory=dict)
    numbers: int = 0
    notes: tuple[str, ...] = ()
