"""Rerankers behind endpoints: a rerank API as Cohere's, and a chat model that grades passages or orders them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from benchmark.digest import digest
from benchmark.domain import Completion, Hit, Memory, Prompt, Query, UserError
from benchmark.models.endpoints.chat import ChatModel
from benchmark.models.endpoints.faults import BadReplyError
from benchmark.models.endpoints.kept import once
from benchmark.models.endpoints.service import Service
from benchmark.models.endpoints.structured import instruction, mending, read
from benchmark.models.endpoints.transport import Size, Transport, Usage
from benchmark.models.rerankers import in_order
from benchmark.prompts import prompt
from benchmark.stopwatch import credit

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class RerankEndpoint:
    """A rerank API as Cohere's, which Jina, vLLM and llama-server have too; ``base_url``: its whole address.

    ``{"model", "query", "documents", "top_n"}`` goes out, ``{"results": [{"index", "relevance_score"}]}`` comes back
    and is kept in ``memory``, with its tokens, if it has ``usage``, and its money.
    """

    base_url: str
    model: str
    memory: Memory
    api_key_env: str | None = None
    transport: Transport = field(default_factory=Transport)
    service: Service = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        service = Service(base_url=self.base_url, api_key_env=self.api_key_env, transport=self.transport)
        object.__setattr__(self, "service", service)

    def rerank(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[Hit, ...]:
        return self.reranked(query, hits, k)[0]

    def reranked(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[tuple[Hit, ...], tuple[Completion, ...]]:
        """The best ``k`` with the endpoint's scores, and the call as a completion without text.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: this one did not; a ``BadReplyError`` where a passage has no score.
        """
        if not query.text.strip() or not hits:
            return tuple(hits[:k]), ()
        texts = [hit.chunk.text for hit in hits]
        body = {"model": self.model, "query": query.text, "documents": texts, "top_n": len(texts)}
        key = digest("rerank", self.service.where, body)
        size = Size(sum(len(text.encode("utf-8", "surrogatepass")) for text in [query.text, *texts]), 0)
        if self.transport.network == "dry" and self.memory.get(key) is None:
            self.service.expect(key, self.model, size)
            return tuple(hits[:k]), ()

        def make() -> bytes:
            reply = self.service.ask(body, model=self.model, size=size)
            usage, scores = Usage.of(reply.fields), _scores(reply.fields.get("results"), len(texts))
            return json.dumps([reply.seconds, scores, usage.prompt if usage else None, reply.money]).encode()

        began = perf_counter()
        value, kept = once(self.memory, key, make)
        seconds, scores, *cost = json.loads(value)
        tokens, money = cost or (None, None)  # what was kept before costs were does not say
        credit(seconds - (perf_counter() - began), cached=kept)
        return _ordered(hits, scores, k), (Completion("", tokens, 0, seconds, kept, money=money),)


def _scores(results: object, wanted: int) -> list[float]:
    """The scores in the passages' order."""
    found: dict[int, float] = {}
    for item in results if isinstance(results, list) else ():
        index, score = (item.get("index"), item.get("relevance_score")) if isinstance(item, dict) else (None, None)
        if isinstance(index, int) and isinstance(score, int | float) and np.isfinite(score):
            found[index] = float(score)
    missing = [number for number in range(wanted) if number not in found]
    if missing:
        raise BadReplyError(
            f'the reply has no score for {len(missing)} of {wanted} passages: wanted is "results" with "index" and '
            '"relevance_score" for each'
        )
    return [found[number] for number in range(wanted)]


class Relevance(BaseModel):
    """How far a passage answers a question: 0 not at all, 10 in full."""

    model_config = ConfigDict(extra="forbid", strict=True)
    relevance: int = Field(ge=0, le=10)


class Order(BaseModel):
    """Numbers of passages, the most useful first; those that are left out follow as they came."""

    model_config = ConfigDict(extra="forbid", strict=True)
    order: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class ModelReranker:
    """A chat model asked of each passage how far it answers (``pointwise``), or of all for their order (``listwise``).

    Pointwise: one call a passage, graded 0 to 10; equal grades keep the order they came in. Listwise: one call, the
    order as the model gives it (Sun et al. 2023, "Is ChatGPT Good at Search?", without its sliding window); a hit's
    score is the reciprocal of its place. A reply that is no object as asked is sent back once.
    """

    llm: ChatModel
    language: str
    way: Literal["pointwise", "listwise"] = "pointwise"

    def __post_init__(self) -> None:
        if not isinstance(self.llm, ChatModel):
            name = getattr(self.llm, "name", type(self.llm).__name__)
            raise UserError(
                f"reranker=llm asks a chat model at an endpoint, and the writer is {name}.\n"
                "    to do:  choose one, such as writer=openai or writer=ollama"
            )
        if self.way not in ("pointwise", "listwise"):
            raise UserError(f"reranker.way is {self.way!r}; it may be pointwise or listwise")

    def rerank(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[Hit, ...]:
        return self.reranked(query, hits, k)[0]

    def reranked(self, query: Query, hits: Sequence[Hit], k: int) -> tuple[tuple[Hit, ...], tuple[Completion, ...]]:
        """The best ``k``, and the calls that it took.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: one of them did not; a ``BadReplyError`` where the mended reply is no use either.
        """
        if not query.text.strip() or not hits:
            return tuple(hits[:k]), ()
        if self.way == "pointwise":
            prompts = [self._prompt("chat_rerank_pointwise", Relevance, query, _told(hit)) for hit in hits]
            graded, completions = self._ask(prompts, Relevance)
            return _ordered(hits, [float(grade.relevance) for grade in graded], k), completions
        passages = "\n\n".join(f"[{number}] {_told(hit)}" for number, hit in enumerate(hits, start=1))
        [listed], completions = self._ask([self._prompt("chat_rerank_listwise", Order, query, passages)], Order)
        places = [number - 1 for number in dict.fromkeys(listed.order) if 1 <= number <= len(hits)]
        if not places and not self._is_dry:
            raise BadReplyError(f"{self.llm.model} gave an order with none of the passages 1 to {len(hits)}")
        order = [*places, *(place for place in range(len(hits)) if place not in places)]
        return tuple(replace(hits[place], score=1 / rank) for rank, place in enumerate(order[:k], start=1)), completions

    @property
    def _is_dry(self) -> bool:
        return self.llm.transport.network == "dry"

    def _prompt(self, task: str, schema: type[BaseModel], query: Query, passages: str) -> Prompt:
        asked = prompt(task, self.language, question=query.text, passages=passages)
        return replace(asked, user=asked.user.strip() + instruction(schema, "text"))

    def _ask(self, prompts: Sequence[Prompt], schema: type[Answer]) -> tuple[list[Answer], tuple[Completion, ...]]:
        completions = self.llm.many(prompts)
        answers: list[Answer] = []
        for asked, completion in zip(prompts, tuple(completions), strict=True):
            if self._is_dry:
                answers.append(schema.model_validate({"relevance": 0} if schema is Relevance else {"order": ()}))
                continue
            try:
                answers.append(read(completion.text, schema))
            except BadReplyError as error:
                sent_back = f"{asked.user}\n\n{completion.text}\n\n{mending(schema, str(error))}"
                mended = self.llm.complete(replace(asked, user=sent_back))
                completions.append(mended)
                answers.append(read(mended.text, schema))
        return answers, tuple(completions)


def _told(hit: Hit) -> str:
    return " ".join(hit.chunk.text.split())


def _ordered(hits: Sequence[Hit], scores: Sequence[float], k: int) -> tuple[Hit, ...]:
    return tuple(replace(hits[place], score=scores[place]) for place in in_order(np.array(scores))[:k])
