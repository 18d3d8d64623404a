"""One index per reader, so that no tenant's text takes part in another's ranking, not even in its statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar


class Owned(Protocol):
    """A document or a chunk of one; ``tenant`` is ``None`` where it belongs to nobody."""

    @property
    def tenant(self) -> str | None: ...


Item = TypeVar("Item", bound=Owned)
Index = TypeVar("Index")


class PerTenant(Generic[Item, Index]):
    """All indexes at once, each over the items that belong to nobody or to the tenant who asks.

    None is left to its first question: indexing has its own time and cost, and a tenant's must not fall on an answer.
    """

    def __init__(self, items: Sequence[Item], make: Callable[[Sequence[Item]], Index]) -> None:
        readers: list[str | None] = [None, *dict.fromkeys(item.tenant for item in items if item.tenant is not None)]
        self._indexes = {reader: make(readable(items, reader)) for reader in readers}

    def at(self, tenant: str | None) -> Index:
        """The index over what ``tenant`` may read; an unknown tenant reads what belongs to nobody."""
        return self._indexes[tenant if tenant in self._indexes else None]


def readable(items: Sequence[Item], tenant: str | None) -> list[Item]:
    """The items that belong to nobody or to ``tenant``, in their order."""
    return [item for item in items if item.tenant is None or item.tenant == tenant]
