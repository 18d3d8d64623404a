from __future__ import annotations

import pytest

from benchmark.domain import Chunk, Hit, Span, UserError
from benchmark.pipelines import Reading, abstained


def hits(*tokens: int) -> list[Hit]:
    return [Hit(Chunk(f"c{i}", Span("d", i, i + 1), "palabra " * n), 1.0) for i, n in enumerate(tokens)]


def test_at_most_k_passages_are_read() -> None:
    assert len(Reading(k=2).context(hits(1, 1, 1))) == 2


def test_the_token_limit_keeps_whole_passages_up_to_the_first_that_does_not_fit() -> None:
    assert [hit.chunk.id for hit in Reading(k=5, context_tokens=10).context(hits(4, 5, 3, 1))] == ["c0", "c1"]


def test_a_first_passage_beyond_the_limit_leaves_nothing_to_read() -> None:
    assert Reading(k=5, context_tokens=3).context(hits(4, 1)) == ()


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": -1}, {"context_tokens": 0}])
def test_impossible_limits_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UserError, match=f"{next(iter(wrong))} is {next(iter(wrong.values()))}"):
        Reading(**wrong)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", True),
        ("El contexto no contiene información suficiente para responder. [1]", True),
        ("No hay información.", True),
        ("No hay información. Consulte a su médico.", True),
        ("No hay datos suficientes sobre su uso. [1]\nSe dan 4 g. [2]", False),
        ("Se dan 4 g [1].", False),
        ("No se recomienda la episiotomía de rutina.", False),
        ("The context does not contain enough information to answer.", True),
    ],
)
def test_an_abstention_is_told_from_an_answer(answer: str, expected: bool) -> None:
    assert abstained(answer) is expected
