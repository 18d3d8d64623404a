"""Who drafts: a chat model at an endpoint by structured replies, or any writer by example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, create_model

from benchmark.domain import Chunk, Prompt, Writer
from benchmark.drafting.kinds import Kind
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.fencing import Texts, asked_of, key_of, numbered
from benchmark.models.judges.llm import Told
from benchmark.prompts import prompt, version

_MOST_TOKENS = 256
"""Of a completion: quotes, a question and an answer."""


class UnusableError(Exception):
    """A reply that is no question: asking again would bring the same."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote: ``told`` is the answer, with a quote from each passage that it was drafted from.

    An unanswerable question has no quotes, and ``told`` is what its passage lacks.
    """

    question: str
    told: str
    quotes: tuple[str, ...] = ()


class Author(Protocol):
    @property
    def name(self) -> str: ...

    def task(self, kind: Kind) -> str:
        """The name of the prompt that asks for a kind."""

    def write(self, kind: Kind, passages: Sequence[Chunk]) -> Written:
        """One question.

        Raises:
            UnusableError: the reply has not its form.
        """


def author_of(model: Writer, language: str) -> Author:
    """The author that a model can be: by structured replies where it has them."""
    return ChatAuthor(model, language) if isinstance(model, ChatModel) else WriterAuthor(model, language)


def prompt_digest(author: Author, kind: Kind, language: str) -> str:
    """The version of the prompt that an author asks a kind with."""
    return version(author.task(kind), language)


@dataclass(frozen=True)
class ChatAuthor:
    """One structured reply for each draft; passages are fenced, so that none of them can ask for something else."""

    llm: ChatModel
    language: str

    @property
    def name(self) -> str:
        return self.llm.name

    def task(self, kind: Kind) -> str:
        return f"chat_draft_{kind.name}"

    def write(self, kind: Kind, passages: Sequence[Chunk]) -> Written:
        texts: Texts = {"passages": numbered("passage", [passage.text for passage in passages])}
        asked = asked_of(self.task(kind), self.language, texts, count=len(passages))
        reply = self.llm.ask(asked, _reply_of(len(passages) if kind.answerable else 0)).model_dump()
        quotes = tuple(str(reply[name]) for name in reply if name.startswith("quote"))
        return Written(str(reply["question"]), str(reply["answer" if kind.answerable else "lacks"]), quotes)


@cache
def _reply_of(quotes: int) -> type[BaseModel]:
    """The quotes stand first: a model that has copied them asks about what they say."""
    fields: dict[str, Any] = {key_of("quote", place): (Told, ...) for place in range(quotes)}
    fields |= (
        {"question": (Told, ...), "answer": (Told, ...)} if quotes else {"lacks": (Told, ...), "question": (Told, ...)}
    )
    return create_model("DraftedQuestion", __config__=ConfigDict(extra="forbid"), **fields)


@dataclass(frozen=True)
class WriterAuthor:
    """One completion for each draft, line by line as the prompt's examples have it; base models can do that much."""

    writer: Writer
    language: str

    @property
    def name(self) -> str:
        return self.writer.name

    def task(self, kind: Kind) -> str:
        return f"draft_{kind.name}"

    def write(self, kind: Kind, passages: Sequence[Chunk]) -> Written:
        texts = [" ".join(passage.text.split()) for passage in passages]
        shown = texts[0] if len(texts) == 1 else "\n".join(f"[{n}] {text}" for n, text in enumerate(texts, start=1))
        asked = prompt(self.task(kind), self.language, max_tokens=_MOST_TOKENS, passages=shown)
        completion = self.writer.complete(asked)
        lines = completion.text.splitlines()
        wanted = 2 + (len(passages) if kind.answerable else 0)
        if len(lines) <= wanted and completion.finish_reason == "length":
            raise UnusableError(f"it does not end within {_MOST_TOKENS} tokens")
        labels = _labels(asked)[1 - wanted :]
        parts = [lines[0].strip() if lines else ""]
        for label, line in zip(labels, lines[1:], strict=False):  # a base model goes on with further drafts
            said, _, text = line.partition(":")
            parts.append(text.strip() if said.strip() == label else "")
        if len(parts) < wanted or not all(parts):
            raise UnusableError(f"it has not the {wanted} lines of its form")
        written = Written(parts[-2], parts[-1], tuple(parts[:-2]))
        if written.question in asked.user:
            raise UnusableError("it repeats an example of its prompt")
        return written


def _labels(asked: Prompt) -> list[str]:
    """What stands before the colon in each line of the prompt's first example."""
    return [line.partition(":")[0] for line in asked.user.split("\n\n")[0].splitlines()]
