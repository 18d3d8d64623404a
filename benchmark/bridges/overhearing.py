"""Model calls made inside another library's pipeline, heard so that they stand in the answer's steps."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from benchmark.domain import Completion, Prompt, Writer

Who = Literal["writer", "generator", "own"]
"""``own``: a model that the pipeline brings along."""

_INPUT = ("input_tokens", "prompt_tokens", "prompt_token_count")
_OUTPUT = ("output_tokens", "completion_tokens", "candidates_token_count")


@dataclass(frozen=True)
class Heard:
    """The completions of one question, in their order."""

    writer: list[Completion] = field(default_factory=list)
    generator: list[Completion] = field(default_factory=list)
    own: list[Completion] = field(default_factory=list)


_listening: ContextVar[Heard | None] = ContextVar("listening", default=None)
_open: list[Heard] = []
_lock = threading.Lock()


@contextmanager
def listening() -> Iterator[Heard]:
    """Hear every call of a model in this block, also from threads that libraries give its context."""
    heard = Heard()
    token = _listening.set(heard)
    with _lock:
        _open.append(heard)
    try:
        yield heard
    finally:
        with _lock:
            _open[:] = [one for one in _open if one is not heard]
        _listening.reset(token)


def hear(who: Who, completion: Completion) -> None:
    """Count a completion for the question that it was made for.

    A thread without that question's context can be of any that is being asked: where there are several, each has a call
    of which nothing is known, so that none of them passes for cheaper than it was.
    """
    with _lock:
        mine = _listening.get()
        asked = [mine] if mine is not None else list(_open)
        told = completion if len(asked) == 1 else Completion("", seconds=completion.seconds)
        for heard in asked:
            getattr(heard, who).append(told)


def told_of(reply: str, usage: Mapping[str, object] | None, seconds: float) -> Completion:
    """A call of a pipeline's own model, with the tokens that it tells under one of the libraries' names.

    >>> told_of("4 g", {"input_tokens": 9, "output_tokens": 2}, 0.5).completion_tokens
    2
    """

    def count(names: tuple[str, ...]) -> int | None:
        found = [value for name in names if isinstance(value := (usage or {}).get(name), int)]
        return found[0] if found else None

    return Completion(reply, count(_INPUT), count(_OUTPUT), seconds)


@dataclass(frozen=True)
class Overheard:
    """A writer whose completions are heard in the role that it plays."""

    writer: Writer
    role: Literal["writer", "generator"]

    @property
    def name(self) -> str:
        return self.writer.name

    def complete(self, prompt: Prompt) -> Completion:
        completion = self.writer.complete(prompt)
        hear(self.role, completion)
        return completion
