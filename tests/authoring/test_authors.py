from __future__ import annotations

from dataclasses import dataclass

import pytest

from benchmark.authoring.authors import UnusableError, WriterAuthor, Written
from benchmark.domain import Chunk, Completion, Prompt, Span
from benchmark.drafting.kinds import KINDS

ONE, TWO = (Chunk(text, Span("a", 0, len(text)), text) for text in ("Se dan\n4 g.", "Se vigila."))


@dataclass
class Says:
    text: str
    finish_reason: str = "stop"
    asked: Prompt | None = None
    name: str = "says"

    def complete(self, prompt: Prompt) -> Completion:
        self.asked = prompt
        return Completion(self.text, finish_reason=self.finish_reason)


def test_a_completion_is_read_line_by_line() -> None:
    writer = Says("Se dan 4 g.\nPregunta: ¿Cuánto: 4 o 5 g?\nRespuesta: 4 g.\nPregunta: ¿Qué")
    written = WriterAuthor(writer, "es").write(KINDS["fact"], [ONE])
    assert written == Written("¿Cuánto: 4 o 5 g?", "4 g.", ("Se dan 4 g.",))
    assert writer.asked is not None
    assert writer.asked.user.strip().endswith("Pasaje: Se dan 4 g.\nCita:")


def test_two_passages_are_numbered_and_give_two_quotes() -> None:
    writer = Says("Se dan 4 g.\nCita 2: Se vigila.\nPregunta: ¿Qué?\nRespuesta: 4 g, y se vigila.")
    written = WriterAuthor(writer, "es").write(KINDS["several"], [ONE, TWO])
    assert written.quotes == ("Se dan 4 g.", "Se vigila.")
    assert writer.asked is not None
    assert "[1] Se dan 4 g.\n[2] Se vigila." in writer.asked.user


def test_an_unanswerable_question_comes_with_what_is_missing() -> None:
    written = WriterAuthor(Says("¿Cuánto cuesta?\nFalta: El precio."), "es").write(KINDS["unanswerable"], [ONE])
    assert written == Written("¿Cuánto cuesta?", "El precio.")


@pytest.mark.parametrize("reply", ["", "Se dan 4 g.", "a\nPregunta:\nRespuesta: 4 g.", "a\nCita: b\nPregunta: c"])
def test_a_reply_that_has_not_its_lines_is_no_draft(reply: str) -> None:
    with pytest.raises(UnusableError, match="has not the 3 lines"):
        WriterAuthor(Says(reply), "es").write(KINDS["fact"], [ONE])


def test_a_reply_that_repeats_an_example_is_no_draft() -> None:
    with pytest.raises(UnusableError, match="repeats an example"):
        WriterAuthor(Says("¿Cuánto costó construir el faro?\nFalta: El costo."), "es").write(
            KINDS["unanswerable"], [ONE]
        )


def test_a_reply_that_does_not_end_is_no_draft() -> None:
    with pytest.raises(UnusableError, match="does not end"):
        WriterAuthor(Says("a\nPregunta: b\nRespuesta: c y c y", finish_reason="length"), "es").write(
            KINDS["fact"], [ONE]
        )
