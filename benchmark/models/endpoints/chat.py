"""A model at an OpenAI-compatible endpoint: generator, writer, and what judges stand on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import cast

from benchmark.digest import digest
from benchmark.domain import Completion, Hit, Memory, Prompt, Query, UserError
from benchmark.models.endpoints.dialect import Dialect, dialect_of
from benchmark.models.endpoints.faults import BadReplyError, RejectedError, ReplyCutError
from benchmark.models.endpoints.kept import once
from benchmark.models.endpoints.replies import completion_of, until_stop, without_thoughts
from benchmark.models.endpoints.structured import (
    FORMS,
    Answer,
    Form,
    instruction,
    made_up,
    mending,
    read,
    response_format,
)
from benchmark.models.endpoints.transport import Endpoint, Size, Transport
from benchmark.prompts import prompt as prompt_of
from benchmark.stopwatch import credit
from benchmark.text import abstention
from benchmark.turns import together

Messages = list[dict[str, str]]

_MADE_UP = "No se ha preguntado nada: not asked."  # how a dry run's reply begins


@dataclass(frozen=True, kw_only=True)
class ChatModel:
    """One model with one set of parameters. Every reply is kept in ``memory`` with what it cost, and made once.

    ``temperature`` and ``seed`` are of the first sample; those after it are drawn at ``sample_temperature`` with the
    next seeds. ``None`` leaves a parameter out. ``max_tokens`` bounds a reply where the prompt does not;
    ``reasoning_tokens`` are added to every bound, for models that think before they write. ``parameters``: more fields
    of the request, such as ``reasoning_effort``. ``structured``: the form of structured replies; ``None`` takes the
    strictest that the endpoint has.
    """

    name: str
    base_url: str
    model: str
    memory: Memory
    language: str = "en"
    api_key_env: str | None = None
    temperature: float | None = 0.0
    sample_temperature: float = 0.7
    seed: int | None = None
    max_tokens: int = 1024
    reasoning_tokens: int = 0
    parameters: Mapping[str, object] = field(default_factory=dict)
    structured: Form | None = None
    transport: Transport = field(default_factory=Transport)
    endpoint: Endpoint = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.max_tokens <= 0:
            raise UserError(f"max_tokens is {self.max_tokens}: a reply has at least one token, for instance 1024")
        if self.structured not in (None, *FORMS):
            raise UserError(f"structured is {self.structured!r}: it is null or one of {', '.join(FORMS)}")
        endpoint = Endpoint(base_url=self.base_url, api_key_env=self.api_key_env, transport=self.transport)
        object.__setattr__(self, "endpoint", endpoint)

    @property
    def in_flight(self) -> int:
        """How many calls at once are worth having."""
        return self.transport.at_once

    # ------------------------------------------------------------------------------------------ generator and writer

    def answer(self, query: Query, context: Sequence[Hit]) -> Completion:
        """A reply from the passages alone, with their numbers; without passages an abstention, which asks nobody."""
        if not context:
            return Completion(abstention(self.language), 0, 0, finish_reason="stop", money=0.0)
        passages = "\n".join(
            f"[{number}] {' '.join(hit.chunk.text.split())}" for number, hit in enumerate(context, start=1)
        )
        return self._answer(query, prompt_of("chat_answer", self.language, passages=passages, question=query.text))

    def answer_closed_book(self, query: Query) -> Completion:
        """A reply from the model's own memory, to a prompt that speaks of no passages."""
        return self._answer(query, prompt_of("chat_answer_closed_book", self.language, question=query.text))

    def _answer(self, query: Query, asked: Prompt) -> Completion:
        if not query.text.strip():
            return Completion("", 0, 0, finish_reason="stop", money=0.0)
        completion = self.complete(asked)
        if not completion.text:
            raise BadReplyError(f"{self.model} replied with an empty text, which is no answer and no abstention")
        return completion

    def complete(self, prompt: Prompt) -> Completion:
        """The model's text for a prompt, kept or made now; thoughts and what follows a stop text are taken off.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: this one did not; a ``ReplyCutError`` where ``max_tokens`` was too little.
        """
        completion = self._completed(self._call(_messages(prompt), prompt))
        whole = without_thoughts(completion.text)
        text = until_stop(whole, prompt.stop)
        if completion.finish_reason == "length":
            if text != whole:
                return replace(completion, text=text, finish_reason="stop")
            if prompt.max_tokens is None or not text:
                raise self._cut(prompt.max_tokens)
        return replace(completion, text=text)

    def many(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """``complete`` for all of them at once, within the endpoint's bounds; the completions in the prompts' order."""
        return together([partial(self.complete, prompt) for prompt in prompts], at_once=self.in_flight)

    # -------------------------------------------------------------------------------------------- structured replies

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        """The model's reply as an object of ``schema``, a pydantic model; one that does not fit is sent back once.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: this one did not; a ``BadReplyError`` where the mended reply does not fit either.
        """
        form, call = self._first(prompt, schema)
        while True:
            try:
                return self._ask(call, prompt, schema)
            except RejectedError as refusal:
                weaker = None if self.structured else self._dialect.weaken(refusal, form)
                if weaker is None:
                    raise
                form, call = weaker, self._structured(prompt, schema, weaker)

    def _first(self, prompt: Prompt, schema: type[Answer]) -> tuple[Form, _Call]:
        """In the form in which the reply is kept, else in the strictest that the endpoint is not known to lack."""
        if self.structured is not None:
            return self.structured, self._structured(prompt, schema, self.structured)
        calls = {}
        for form in FORMS:
            calls[form] = self._structured(prompt, schema, form)
            if self.memory.get(calls[form].key) is not None:
                return form, calls[form]
        return self._dialect.form, calls[self._dialect.form]

    def _structured(self, prompt: Prompt, schema: type[Answer], form: Form) -> _Call:
        asking = replace(prompt, user=prompt.user.strip() + instruction(schema, form))
        return self._call(_messages(asking), prompt, response_format(schema, form))

    def _ask(self, call: _Call, prompt: Prompt, schema: type[Answer]) -> Answer:
        text = self._object(call, prompt)
        if self.has_made_up(text):
            return made_up(schema, text)
        try:
            return read(text, schema)
        except BadReplyError as error:
            sent_back = [
                {"role": "assistant", "content": text},
                {"role": "user", "content": mending(schema, str(error))},
            ]
        again = self._call([*call.messages, *sent_back], prompt, call.asked.get("response_format"))
        mended = self._object(again, prompt)
        try:
            return read(mended, schema)
        except BadReplyError as error:
            raise BadReplyError(f"{self.model} replied twice with no {schema.__name__}: {error}") from None

    def _object(self, call: _Call, prompt: Prompt) -> str:
        completion = self._completed(call)
        if completion.finish_reason == "length":
            raise self._cut(prompt.max_tokens)
        return without_thoughts(completion.text)

    def _cut(self, asked: int | None) -> ReplyCutError:
        limit = (asked or self.max_tokens) + self.reasoning_tokens
        cure = "max_tokens of what asked" if asked else "max_tokens"
        return ReplyCutError(
            f"the reply of {self.model} was cut at {limit} tokens. Raise {cure}, or for a model that thinks before it "
            "writes reasoning_tokens (for instance 4096)"
        )

    # ------------------------------------------------------------------------------------------------------ one call

    @property
    def _is_dry(self) -> bool:
        return self.transport.network == "dry"

    def has_made_up(self, text: str) -> bool:
        """Whether a reply is a dry run's, which nobody gave and no parser can read."""
        return self._is_dry and text.startswith(_MADE_UP)

    @property
    def _dialect(self) -> Dialect:
        return dialect_of(self.endpoint.where, self.model)

    def _call(self, messages: Messages, prompt: Prompt, response_format: object = None) -> _Call:
        """These messages, asked with the bounds of a prompt."""
        temperature = self.temperature
        if prompt.sample and temperature is not None:
            temperature = self.sample_temperature
        fields: dict[str, object] = {
            "model": self.model,
            "messages": messages,
            "max_tokens": (prompt.max_tokens or self.max_tokens) + self.reasoning_tokens,
            "temperature": temperature,
            "seed": None if self.seed is None else self.seed + prompt.sample,
            "response_format": response_format,
            **self.parameters,
        }
        asked = {name: value for name, value in fields.items() if value is not None}
        return _Call(asked, prompt.sample, digest("chat", self.endpoint.where, asked, prompt.sample))

    def _completed(self, call: _Call) -> Completion:
        """The endpoint's completion as it came, kept or made now."""
        began = perf_counter()
        if self._is_dry and self.memory.get(call.key) is None:
            self.endpoint.expect(call.key, self.model, call.size)
            # Another for every prompt, as real ones would be: what is asked of equal answers is asked once.
            return Completion(f"{_MADE_UP} {call.key[:12]}", finish_reason="stop")
        value, kept = once(self.memory, call.key, partial(self._make, call))
        completion = replace(Completion(**json.loads(value.split(b"\n", 1)[0])), cached=kept)
        # A stage costs what the request took, not how long it stood in the queue or was tried before.
        credit(completion.seconds - (perf_counter() - began), cached=kept, completions=[completion])
        if completion.finish_reason == "content_filter":
            raise BadReplyError(f"the content filter of {self.endpoint.where} kept back the reply of {self.model}")
        return completion

    def _make(self, call: _Call) -> bytes:
        """The completion on a line of its own, so that reading it does not read the request behind it."""
        dialect = self._dialect
        while True:
            body = dialect.spoken(call.asked)
            try:
                reply = self.endpoint.post("chat/completions", body, call.size)
                break
            except RejectedError as refusal:
                if not dialect.learn(refusal, call.asked, body):
                    raise
        completion = completion_of(reply.fields, reply.seconds, reply.money)
        request = {"endpoint": self.endpoint.where, "sample": call.sample, "request": call.asked}
        lines = (asdict(completion), request)
        return b"\n".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") for line in lines)


@dataclass(frozen=True, slots=True)
class _Call:
    """A request in the house's words, however the endpoint wants it said, and the key of what is kept of it."""

    asked: Mapping[str, object]
    sample: int
    key: str

    @property
    def messages(self) -> Messages:
        return cast(Messages, self.asked["messages"])

    @property
    def size(self) -> Size:
        told = json.dumps([self.asked["messages"], self.asked.get("response_format")], ensure_ascii=False)
        return Size(len(told.encode("utf-8", "surrogatepass")), int(str(self.asked["max_tokens"])))


def _messages(prompt: Prompt) -> Messages:
    system = [{"role": "system", "content": prompt.system.strip()}] if prompt.system.strip() else []
    return [*system, {"role": "user", "content": prompt.user.strip("\n")}]
