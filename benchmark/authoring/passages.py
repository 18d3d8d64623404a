"""Which passages are drafted from: spread over the documents, other ones for each kind, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from benchmark.domain import Chunk
from benchmark.drafting.kinds import Kind


@dataclass(frozen=True, slots=True)
class Assignment:
    """A kind of question to draft, and the passage to begin with."""

    kind: Kind
    passage: Chunk


def assignments(
    chunks: Sequence[Chunk], kinds: Sequence[Kind], count: int, *, seed: int, language: str
) -> tuple[Assignment, ...]:
    """At most ``count``, as many of each kind as there can be; a kind takes each passage that suits it once.

    They come kind by kind.
    """
    order = _spread(chunks, Random(seed))
    waiting = {
        kind: _fitting(order, kind, place * len(order) // len(kinds), language) for place, kind in enumerate(kinds)
    }
    found: list[Assignment] = []
    while waiting and len(found) < count:
        for kind, passages in list(waiting.items()):
            passage = next(passages, None)
            if passage is None:
                del waiting[kind]
            else:
                found.append(Assignment(kind, passage))
    return tuple(sorted(found[:count], key=lambda assignment: kinds.index(assignment.kind)))


def _spread(chunks: Sequence[Chunk], random: Random) -> list[Chunk]:
    """One passage of each document, then a second of each, and so on; drawn at random."""
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.span.document_id, []).append(chunk)
    piles = list(by_document.values())
    random.shuffle(piles)
    for pile in piles:
        random.shuffle(pile)
    return [chunk for layer in zip_longest(*piles) for chunk in layer if chunk is not None]


def _fitting(order: Sequence[Chunk], kind: Kind, begin: int, language: str) -> Iterator[Chunk]:
    """From another place for each kind, so that the kinds do not all ask about the first passages."""
    return (chunk for chunk in (*order[begin:], *order[:begin]) if kind.suits(chunk, language))
