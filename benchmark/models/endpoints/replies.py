"""From an endpoint's chat reply to a completion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.domain import Completion
from benchmark.models.endpoints.faults import BadReplyError

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_THOUGHT_END = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL)
_THOUGHT_BEGIN = re.compile(r"\A\s*<(?:think|thinking|reasoning)>")


def without_thoughts(text: str) -> str:
    """The text behind a reasoning model's thoughts; nothing where they never end.

    Some servers put the opening tag into the prompt, so that a reply has the closing one alone.

    >>> without_thoughts("<think>4?</think>\\n4 g"), without_thoughts("Hm.</think> 4 g"), without_thoughts("<think>4")
    ('4 g', '4 g', '')
    >>> without_thoughts("4 g")
    '4 g'
    """
    for pattern in (_THOUGHT, _THOUGHT_END):
        thought = pattern.match(text)
        if thought:
            return text[thought.end() :].strip()
    return "" if _THOUGHT_BEGIN.match(text) else text.strip()


def until_stop(text: str, stop: Sequence[str]) -> str:
    """The text before the first stop text. Not sent to the endpoint: a reasoning model would stop in its thoughts.

    >>> until_stop("4 g.\\nPregunta: ¿y luego?", ["\\n", "Pregunta:"])
    '4 g.'
    """
    ends = [place for place in (text.find(mark) for mark in stop) if place >= 0]
    return text[: min(ends)].rstrip() if ends else text


def completion_of(fields: Mapping[str, Any], seconds: float, money: float | None) -> Completion:
    """What a chat reply says, its thoughts included.

    Raises:
        BadReplyError: there is no text in it.
    """
    choices = fields.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReplyError(f"the reply has no choices: {_told(fields)}")
    message = choices[0].get("message")
    text = message.get("content") if isinstance(message, dict) else None
    reason = choices[0].get("finish_reason")
    if isinstance(text, list):  # parts, as some servers send them
        text = "".join(str(part.get("text") or "") for part in text if isinstance(part, dict))
    if text is None and reason in ("length", "content_filter"):
        text = ""  # all tokens went into thoughts that are kept apart; or the reply was kept back
    if not isinstance(text, str):
        refusal = message.get("refusal") if isinstance(message, dict) else None
        raise BadReplyError(f"the model refused: {refusal}" if refusal else f"the reply has no text: {_told(fields)}")
    usage = fields.get("usage")
    counts: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    details = counts.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Completion(
        text,
        count(counts.get("prompt_tokens")),
        count(counts.get("completion_tokens")),
        seconds,
        finish_reason=None if reason is None else str(reason),
        cached_tokens=count(cached),
        money=money,
    )


def count(value: object) -> int | None:
    """A number of tokens, where it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _told(fields: Mapping[str, Any]) -> str:
    text = str({name: value for name, value in fields.items() if name in ("error", "choices")})
    return text if len(text) <= 200 else f"{text[:200]} ..."
