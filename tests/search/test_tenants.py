"""Who may read what, and when indexes are made."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.domain import Chunk, Span
from benchmark.search.tenants import PerTenant

CHUNKS = [Chunk(name, Span(name, 0, 1), name, tenant) for name, tenant in (("a", None), ("b", "p1"), ("c", "p2"))]


def test_every_index_is_made_while_building_and_none_on_a_question() -> None:
    made: list[list[str]] = []

    def make(chunks: Sequence[Chunk]) -> list[str]:
        made.append([chunk.id for chunk in chunks])
        return made[-1]

    indexes = PerTenant(CHUNKS, make)
    assert made == [["a"], ["a", "b"], ["a", "c"]]
    assert [indexes.at(tenant) for tenant in (None, "p1", "p2", "stranger")] == [["a"], ["a", "b"], ["a", "c"], ["a"]]
    assert len(made) == 3


def test_no_chunk_makes_an_index_of_nobodys() -> None:
    assert PerTenant([], list).at("p1") == []
