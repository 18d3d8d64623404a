from __future__ import annotations

from collections import Counter

from benchmark.authoring.passages import assignments
from benchmark.domain import Chunk, Span
from benchmark.drafting.kinds import KINDS

WORDS = "palabra " * 20
FACT, NUMERIC = KINDS["fact"], KINDS["numeric"]


def chunk(document: str, place: int, text: str = WORDS) -> Chunk:
    return Chunk(f"{document}:{place}", Span(document, place, place + len(text)), text)


CHUNKS = [chunk(document, place) for document in ("a", "b", "c") for place in (0, 1000, 2000)]


def test_the_first_passages_are_of_as_many_documents_as_there_are() -> None:
    planned = assignments(CHUNKS, [FACT], 3, seed=7, language="es")
    assert {one.passage.span.document_id for one in planned} == {"a", "b", "c"}


def test_kinds_share_the_count_and_come_kind_by_kind() -> None:
    chunks = [*CHUNKS, chunk("d", 0, f"{WORDS} 4 g"), chunk("e", 0, f"{WORDS} 5 g")]
    planned = assignments(chunks, [FACT, NUMERIC], 4, seed=7, language="es")
    assert [one.kind for one in planned] == [FACT, FACT, NUMERIC, NUMERIC]
    assert {one.passage.span.document_id for one in planned[2:]} == {"d", "e"}


def test_a_kind_that_no_passage_suits_leaves_its_share_to_the_others() -> None:
    planned = assignments(CHUNKS, [FACT, NUMERIC], 6, seed=7, language="es")
    assert Counter(one.kind.name for one in planned) == {"fact": 6}


def test_no_passage_is_taken_twice_by_one_kind_and_short_ones_never() -> None:
    planned = assignments([*CHUNKS, chunk("d", 0, "# Dosis")], [FACT], 99, seed=7, language="es")
    assert sorted(one.passage.id for one in planned) == sorted(one.id for one in CHUNKS)


def test_the_seed_decides() -> None:
    drawn = [assignments(CHUNKS, [FACT], 3, seed=seed, language="es") for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
