"""One index per reader, so that no tenant's text takes part in another's ranking, not even in its statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from benchmark.domain import Chunk

Index = TypeVar("Index")


class PerTenant(Generic[Index]):
    """Indexes made on first use, each over the chunks that belong to nobody or to the tenant who asks."""

    def __init__(self, chunks: Sequence[Chunk], make: Callable[[Sequence[Chunk]], Index]) -> None:
        self._chunks = chunks
        self._make = make
        self._tenants = {chunk.tenant for chunk in chunks if chunk.tenant is not None}
        self._indexes: dict[str | None, Index] = {}
        self.at(None)  # indexing has its own time and cost: it must not fall on the first question

    def at(self, tenant: str | None) -> Index:
        """The index over what ``tenant`` may read; an unknown tenant reads what belongs to nobody."""
        reader = tenant if tenant in self._tenants else None
        if reader not in self._indexes:
            self._indexes[reader] = self._make(readable(self._chunks, reader))
        return self._indexes[reader]


def readable(chunks: Sequence[Chunk], tenant: str | None) -> list[Chunk]:
    """The chunks that belong to nobody or to ``tenant``, in their order."""
    return [chunk for chunk in chunks if chunk.tenant is None or chunk.tenant == tenant]
