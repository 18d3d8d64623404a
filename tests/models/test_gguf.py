from __future__ import annotations

import time
from pathlib import Path

import pytest

from benchmark.domain import Chunk, Hit, Prompt, Query, Span, UserError
from benchmark.models import gguf
from benchmark.models.gguf import BundledGemma, Gguf, LocalFile
from benchmark.prompts import prompt
from benchmark.stopwatch import stopwatch
from benchmark.text import ABSTENTION
from tests.fakes import Kept


def gemma(memory: Kept | None = None) -> Gguf:
    kept = Kept() if memory is None else memory
    # One thread: two that share a core with another test's work wait for each other most of the time.
    return Gguf(name="gemma_270m", weights=BundledGemma(), memory=kept, language="es", threads=1)


_EXAMPLE = "Pregunta: ¿Capital de Francia?\nRespuesta: París"
CAPITALS = Prompt("Responde.", f"{_EXAMPLE}\n\nPregunta: ¿Capital de España?\nRespuesta:", 8, ("\n",))


def test_a_base_model_follows_the_examples() -> None:
    assert gemma().complete(CAPITALS).text.startswith("Madrid")


def test_the_same_prompt_gives_the_same_text_after_another() -> None:
    first = gemma().complete(CAPITALS)
    gemma().complete(Prompt("Cuenta.", "uno dos tres", 8))
    assert gemma().complete(CAPITALS).text == first.text


def test_a_reply_does_not_depend_on_what_was_asked_before() -> None:
    """Also where questions share their first words, and where another task's preamble came between."""
    questions = [f"¿Cuál es la dosis de {drug} en el embarazo?" for drug in ("hierro", "calcio")]
    asked = [
        prompt(task, "es", question=q, n=3, next=4, max_tokens=24)
        for task in ("rewrite", "hypothesis")
        for q in questions
    ]
    replies = {one: gemma().complete(one).text for one in asked}
    gguf._load.cache_clear()
    mixed = [asked[i] for i in (2, 1, 0, 0, 3)]
    assert [gemma().complete(one).text for one in mixed] == [replies[one] for one in mixed]


def test_the_preamble_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, bool]] = []

    class Server:
        def handle_completions(self, request: dict[str, object]) -> dict[str, object]:
            read.append((str(request["prompt"]), bool(request["cache_prompt"])))
            return {"choices": []}

    model = gguf.Loaded(Server())
    for text in ("Di: a", "Di: b"):
        model.reply({"prompt": text}, "Di:")
    assert read == [("Di:", False), ("Di:", True), ("Di: a", True), ("Di:", True), ("Di: b", True)]
    read.clear()
    model.reply({"prompt": "Suma: 1"}, "")
    model.reply({"prompt": "Di: a"}, "Di:")
    assert read == [("Suma: 1", False), ("Di:", False), ("Di:", True), ("Di: a", True)]


def test_a_kept_reply_costs_what_it_cost_when_made() -> None:
    memory = Kept()
    made, kept = gemma(memory).complete(CAPITALS), gemma(memory).complete(CAPITALS)
    assert (kept.text, kept.seconds, kept.cached, made.cached) == (made.text, made.seconds, True, False)
    assert len(memory) == 1


def test_loading_a_model_is_in_no_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        def reply(self, request: dict[str, object], preamble: str) -> dict[str, object]:
            usage = {"prompt_tokens": 1, "completion_tokens": 1}
            return {"choices": [{"text": "Madrid", "finish_reason": "stop"}], "usage": usage}

    def load(path: Path, threads: int, context_size: int) -> Model:
        time.sleep(0.3)
        return Model()

    monkeypatch.setattr(gguf, "_load", load)
    with stopwatch() as watch:
        assert gemma().complete(CAPITALS).text == "Madrid"
    assert watch.seconds < 0.2


def test_another_sample_is_another_call() -> None:
    memory = Kept()
    for sample in (0, 1, 1):
        gemma(memory).complete(Prompt("Sigue.", "Había una vez", 8, (), sample))
    assert len(memory) == 2


def test_tokens_are_counted_and_a_cut_reply_says_so() -> None:
    completion = gemma().complete(Prompt("Cuenta.", "uno, dos, tres, cuatro,", 4))
    assert (completion.completion_tokens, completion.finish_reason) == (4, "length")
    assert (completion.prompt_tokens or 0) > 5


def test_a_prompt_beyond_the_models_context_is_an_error() -> None:
    small = Gguf(name="g", weights=BundledGemma(), memory=Kept(), language="es", context_size=256)
    with pytest.raises(RuntimeError, match=r"llama\.cpp refused"):
        small.complete(Prompt("", "palabra " * 2000, 4))


def test_the_passages_are_sent_with_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Prompt] = []
    monkeypatch.setattr(Gguf, "complete", lambda _, prompt: sent.append(prompt))
    hits = [
        Hit(Chunk(text, Span("d", 0, 1), text), 1.0) for text in ("El puente mide\n417 metros.", "Se abrió en 1931.")
    ]
    gemma().answer(Query("q", "¿Cuánto mide?"), hits)
    assert "[1] El puente mide 417 metros.\n[2] Se abrió en 1931.\nPregunta: ¿Cuánto mide?" in sent[0].user


def test_without_passages_it_abstains_and_the_model_is_not_asked() -> None:
    memory = Kept()
    completion = gemma(memory).answer(Query("q", "¿Capital de España?"), [])
    assert (completion.text, completion.prompt_tokens) == (ABSTENTION["es"], 0)
    assert not memory


def test_the_closed_book_prompt_speaks_of_no_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Prompt] = []
    monkeypatch.setattr(Gguf, "complete", lambda _, prompt: sent.append(prompt))
    gemma().answer_closed_book(Query("q", "¿Cuánto mide?"))
    assert "asaje" not in sent[0].system + sent[0].user


def test_an_empty_question_is_not_sent() -> None:
    memory = Kept()
    hits = [Hit(Chunk("d", Span("d", 0, 4), "Algo"), 1.0)]
    assert gemma(memory).answer(Query("q", " "), hits).text == ""
    assert gemma(memory).answer_closed_book(Query("q", " ")).text == ""
    assert not memory


def test_a_missing_file_is_told_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="generator=gguf"):
        LocalFile(str(tmp_path / "none.gguf"))
