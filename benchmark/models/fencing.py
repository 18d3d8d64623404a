"""Texts of others in a prompt, between marks that none of them can hold, so that none can end its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.digest import digest
from benchmark.domain import Prompt
from benchmark.prompts import prompt

Texts = Mapping[str, str | Mapping[str, str]]


def asked_of(task: str, language: str, texts: Texts, *, count: int = 1) -> Prompt:
    """The prompt of a task with each text fenced; ``$mark`` and ``$count`` are its other fields."""
    mark = _mark(texts)
    fenced: dict[str, Any] = {name: _fenced(name, text, mark) for name, text in texts.items()}
    return prompt(task, language, mark=mark, count=count, **fenced)


def numbered(what: str, texts: Sequence[str]) -> dict[str, str]:
    """Several texts of one kind by their names.

    >>> numbered("passage", ["a", "b"])
    {'passage_1': 'a', 'passage_2': 'b'}
    """
    return {key_of(what, place): text for place, text in enumerate(texts)}


def key_of(what: str, place: int) -> str:
    """The name of the text at a place, counted from 0; also that of the field of a reply about it."""
    return f"{what}_{place + 1}"


def _mark(texts: Texts) -> str:
    """By the texts alone: equal questions to the model are equal requests."""
    whole = [text if isinstance(text, str) else list(text.values()) for text in texts.values()]
    rounds = 0
    while (mark := digest("mark", rounds, whole)[:8]) in str(whole):
        rounds += 1
    return mark


def _fenced(name: str, text: str | Mapping[str, str], mark: str) -> str:
    if not isinstance(text, str):
        return "\n\n".join(_fenced(part, inner, mark) for part, inner in text.items())
    return f"<{name} {mark}>\n{text.strip()}\n</{name} {mark}>"
