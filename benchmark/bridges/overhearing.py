"""Model calls made inside another library's pipeline, heard so that they stand in the answer's steps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from benchmark.domain import Completion, Prompt, Writer


@dataclass(frozen=True)
class Heard:
    """The completions of one question, in their order."""

    writer: list[Completion] = field(default_factory=list)
    generator: list[Completion] = field(default_factory=list)


_listening: ContextVar[Heard | None] = ContextVar("listening", default=None)


@contextmanager
def listening() -> Iterator[Heard]:
    """Hear every call of an ``Overheard`` model in this block, also from threads that libraries give its context."""
    heard = Heard()
    token = _listening.set(heard)
    try:
        yield heard
    finally:
        _listening.reset(token)


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
        heard = _listening.get()
        if heard is not None:
            getattr(heard, self.role).append(completion)
        return completion
