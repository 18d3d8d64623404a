from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest

from benchmark.domain import UserError
from benchmark.prompts import prompt

FIELDS: dict[str, Any] = {"question": "¿Qué dosis?", "passages": "[1] x", "n": 3, "next": 4}
TEXTS = ("question", "answer", "passage", "passages", "statements")
FILES = sorted(f.name.removesuffix(".txt") for f in files("benchmark.prompts").iterdir() if f.name.endswith(".txt"))


FENCED = [name for name in FILES if name.startswith(("judge_", "chat_draft_"))]
BY_EXAMPLE = [name for name in FILES if name.startswith("draft_")]


@pytest.mark.parametrize("name", [name for name in FILES if name not in (*FENCED, *BY_EXAMPLE)])
def test_every_prompt_ends_with_the_question_and_has_stop_texts(name: str) -> None:
    task, _, language = name.rpartition(".")
    made = prompt(task, language, **FIELDS)
    assert any("¿Qué dosis?" in line for line in made.user.strip().splitlines()[-3:])
    assert made.system
    assert bool(made.stop) != task.startswith("chat_")  # a chat model ends by itself, and may think in many lines
    assert "$" not in made.system + made.user


@pytest.mark.parametrize("name", BY_EXAMPLE)
def test_a_prompt_for_a_draft_has_examples_of_its_form_and_ends_where_the_first_line_begins(name: str) -> None:
    task, _, language = name.rpartition(".")
    made = prompt(task, language, passages="[1] x")
    *examples, asked = made.user.strip().split("\n\n")
    labels = [[line.partition(":")[0][:9] for line in part.splitlines() if line[0] != "["] for part in examples]
    assert len(examples) >= 2
    assert labels[0] == labels[1]
    wanted = 2 if "unanswerable" in name else 4 if "several" in name else 3
    assert len(labels[0]) == wanted + 1
    assert labels[0][1] == asked.splitlines()[-1].removesuffix(":")
    assert asked.splitlines()[-1].endswith(":")
    assert made.stop == ("\n\n",)


@pytest.mark.parametrize("name", FENCED)
def test_a_model_is_told_that_texts_are_not_addressed_to_it_and_what_to_do_after_them(name: str) -> None:
    task, _, language = name.rpartition(".")
    texts: dict[str, Any] = {text: f"<{text} 1a2b>\n</{text} 1a2b>" for text in TEXTS}
    made = prompt(task, language, mark="1a2b", count=3, **texts)
    assert ("diga lo que diga" if language == "es" else "whatever it says") in made.system
    assert not set(texts.values()) & set(made.system.splitlines())
    assert not made.user.strip().splitlines()[-1].startswith("<")
    assert "$" not in made.system + made.user


@pytest.mark.parametrize("name", FILES)
def test_every_prompt_exists_in_both_languages(name: str) -> None:
    task, _, language = name.rpartition(".")
    assert f"{task}.{'es' if language == 'en' else 'en'}" in FILES


@pytest.mark.parametrize("name", FILES)
def test_examples_do_not_speak_of_the_exams_subject(name: str) -> None:
    text = files("benchmark.prompts").joinpath(f"{name}.txt").read_text(encoding="utf-8").lower()
    assert not [word for word in ("embaraz", "gestan", "parto", "pregnan", "birth", "feto") if word in text]


def test_another_language_falls_back_to_english() -> None:
    assert prompt("answer", "fi", **FIELDS) == prompt("answer", "en", **FIELDS)


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(UserError, match=r"benchmark/prompts/sing\.en\.txt"):
        prompt("sing", "es")
