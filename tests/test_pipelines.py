from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from architectures.closed_book import ClosedBook
from benchmark.domain import Chunk, Completion, Hit, Query, Span, Step, UserError
from benchmark.pipelines import Reading, abstained, read
from benchmark.text import ABSTENTION
from tests.fakes import EchoGenerator


def hits(*tokens: int) -> list[Hit]:
    return [Hit(Chunk(f"c{i}", Span("d", i, i + 1), "palabra " * n), 1.0) for i, n in enumerate(tokens)]


def test_at_most_k_passages_are_read() -> None:
    assert len(Reading(k=2).context(hits(1, 1, 1))) == 2


def test_the_token_limit_keeps_whole_passages_up_to_the_first_that_does_not_fit() -> None:
    assert [hit.chunk.id for hit in Reading(k=5, context_tokens=10).context(hits(4, 5, 3, 1))] == ["c0", "c1"]


def test_a_first_passage_beyond_the_limit_leaves_nothing_to_read() -> None:
    assert Reading(k=5, context_tokens=3).context(hits(4, 1)) == ()


@dataclass(frozen=True)
class Knowing:
    """A generator that would answer from memory if it were asked."""

    language: str = "es"
    name: str = "knowing"
    calls: list[str] = field(default_factory=list)

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        self.calls.append(query.id)
        return Completion("Es París.", 5, 3)


def test_an_empty_context_is_an_abstention_and_no_generator_is_asked() -> None:
    generator, found_nothing = Knowing(), Step("retrieve", 0.5)
    response = read(generator, Query("q", "¿Capital de Francia?"), (), [found_nothing])
    assert (response.answer, response.abstained, response.retrieves) == (ABSTENTION["es"], True, True)
    assert response.steps == (found_nothing, Step("abstain", 0.0))
    assert generator.calls == []


def test_the_abstention_is_in_the_generators_language_and_in_english_where_it_has_none() -> None:
    answers = [read(one, Query("q", "?"), (), ()).answer for one in (Knowing("en"), Knowing("fr"), EchoGenerator())]
    assert set(answers) == {ABSTENTION["en"]}


def test_closed_book_wants_a_generator_that_can_be_asked_so() -> None:
    with pytest.raises(UserError, match="answer_closed_book"):
        ClosedBook().build((), Knowing())


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
        ("La guía no trata el uso de cannabis.", True),
        ("Este documento no describe esa técnica. Consulte a su médico.", True),
        ("Las fuentes no se refieren a ello.", True),
        ("Eso no figura en esta guía.", True),
        ("La guía no recomienda tratar la bacteriuria sin síntomas.", False),
        ("La guía no tolera retrasos: se dan 4 g.", False),
        ("The context does not contain enough information to answer.", True),
        ("This guideline does not deal with cannabis.", True),
        ("These sources do not have any information on it.", True),
        ("The guideline does not recommend it.", False),
    ],
)
def test_an_abstention_is_told_from_an_answer(answer: str, expected: bool) -> None:
    assert abstained(answer) is expected
