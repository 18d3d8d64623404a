"""One index per reader, so that no tenant's text takes part in another's ranking, not even in its statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from benchmark.domain import Chunk

Index = TypeVar("Index")


class PerTenant(Generic[Index]):
    """All indexes at once, each over the chunks that belong to nobody or to the tenant who asks.

    None is left to its first question: indexing has its own time and cost, and a tenant's must not fall on an answer.
    """

    def __init__(self, chunks: Sequence[Chunk], make: Callable[[Sequence[Chunk]], Index]) -> None:
        readers: list[str | None] = [None, *dict.fromkeys(chunk.tenant for chunk in chunks if chunk.tenant is not None)]
        self._indexes = {reader: make(readable(chunks, reader)) for reader in readers}

    def at(self, tenant: str | None) -> Index:
        """The index over what ``tenant`` may read; an unknown tenant reads what belongs to nobody."""
        return self._indexes[tenant if tenant in self._indexes else None]


def readable(chunks: Sequence[Chunk], tenant: str | None) -> list[Chunk]:
    """The chunks that belong to nobody or to ``tenant``, in their order."""
    return [chunk for chunk in chunks if chunk.tenant is None or chunk.tenant == tenant]
