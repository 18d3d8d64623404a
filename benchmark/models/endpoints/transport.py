"""Requests to one endpoint: sent with limits, rates and retries; the key never leaves this file."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic, perf_counter, sleep
from typing import Any, Literal
from urllib.parse import urlsplit

from benchmark.domain import UserError
from benchmark.models.endpoints.budget import Account, Budget, Spent, account_of
from benchmark.models.endpoints.clients import Path, client_of, found_nobody, import_client, opened
from benchmark.models.endpoints.contact import contact_of
from benchmark.models.endpoints.faults import (
    Again,
    BadReplyError,
    CallFailedError,
    CallTimeoutError,
    NotKeptError,
    of_status,
    retry_after,
    without_keys,
)
from benchmark.models.endpoints.keys import refuse_open_keys, without_key
from benchmark.models.endpoints.pacing import gate_of
from benchmark.models.endpoints.prices import Prices
from benchmark.models.endpoints.replies import count
from benchmark.turns import waiting

Network = Literal["allowed", "never", "dry"]

_LONGEST_PAUSE = 30.0
_BYTES_PER_TOKEN = 4  # of the tokenisers in use, on Spanish and English prose
_TEMPLATE_TOKENS = 256  # what a server's chat template may add
_NO_KEY = "none"  # the openai package wants one; local servers do not look at it


@dataclass(frozen=True, kw_only=True)
class Transport:
    """How calls are made: nothing here changes what is asked or answered, so none of it is in a fingerprint.

    ``timeout``: seconds that a call may take with all its retries and pauses; its time in the queue is not counted.
    ``in_flight``: calls at once, counted over all users of the endpoint in this process. ``backoff``: seconds before
    the first retry, doubled before each further one, with jitter. ``network="never"``: what is not kept is an error;
    ``"dry"``: it is counted and made up. ``budget`` is shared by all transports that have an equal one.
    """

    timeout: float = 120.0
    in_flight: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    retries: int = 6
    backoff: float = 0.5
    network: Network = "allowed"
    prices: Prices = field(default_factory=Prices)
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if self.network not in ("allowed", "never", "dry"):
            raise UserError(f"network is {self.network!r}: it is allowed or never")
        for name in ("timeout", "in_flight", "requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise UserError(f"transport.{name} is {value}: it is a number above 0")

    @property
    def at_once(self) -> int:
        """How many calls at once are worth having: where nothing is sent, threads would only cost time."""
        return self.in_flight if self.network == "allowed" else 1


@dataclass(frozen=True, slots=True)
class Reply:
    """The JSON object that came, and the seconds that the request took which brought it."""

    fields: Mapping[str, Any]
    seconds: float
    money: float | None


@dataclass(frozen=True, slots=True)
class Size:
    """How many tokens a call may take: the prompt at most as many as it has bytes, since no token has less than one."""

    prompt_bytes: int
    completion_tokens: int

    @property
    def most_prompt_tokens(self) -> int:
        return self.prompt_bytes + _TEMPLATE_TOKENS

    @property
    def expected_prompt_tokens(self) -> int:
        return self.prompt_bytes // _BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a reply says it took."""

    prompt: int
    completion: int
    cached: int

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Usage | None:
        """``None`` where the reply does not say; an embedding has no completion, and rerankers tell the total alone."""
        usage = fields.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        details = counts.get("prompt_tokens_details")
        cached = count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
        total = counts.get("total_tokens") if "results" in fields else None
        prompt, completion = count(counts.get("prompt_tokens", total)), count(counts.get("completion_tokens", 0))
        return None if prompt is None or completion is None else cls(prompt, completion, min(cached or 0, prompt))


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One address and the variable that holds its key."""

    base_url: str
    api_key_env: str | None
    transport: Transport

    def __post_init__(self) -> None:
        refuse_open_keys(self.base_url, self.api_key_env)
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UserError(f"base_url is {self.base_url!r}: it is an address such as http://localhost:11434/v1")
        if self.transport.network == "allowed":
            self._key()

    @property
    def where(self) -> str:
        return self.base_url.rstrip("/")

    def _key(self) -> str:
        if self.api_key_env is None:
            return _NO_KEY
        key = os.environ.get(self.api_key_env, "").strip()
        if not key:
            raise UserError(
                f"the environment variable {self.api_key_env} is not set, and {self.where} wants a key.\n"
                f"    to do:  export {self.api_key_env}=...; for a server without keys api_key_env=null; to go by what "
                "is kept alone network=never"
            )
        return key

    def expect(self, key: str, model: str, size: Size) -> None:
        """Count a call that would be made, at the most that its reply may have."""
        price = self.transport.prices.of(model)
        tokens = size.expected_prompt_tokens, size.completion_tokens
        self._account.expect(model, key, Spent(1, *tokens, price.of(*tokens) if price else 0.0, price is None))

    @property
    def _account(self) -> Account:
        return account_of(self.transport.budget)

    def post(self, path: Path, body: Mapping[str, object], size: Size) -> Reply:
        """The endpoint's reply.

        Raises:
            UserError: no call to this endpoint can succeed before the user changes something.
            CallFailedError: this one did not, within its limit.
        """
        transport = self.transport
        if transport.network != "allowed":
            raise NotKeptError(
                f"this call to {self.where} is not in the ledger, and network=never: it was never made, or something "
                "of it has changed (model, parameters, prompt, passages)"
            )
        import_client()
        gate = gate_of(self.where)
        model = str(body["model"])
        price = transport.prices.of(model)
        at_most = size.most_prompt_tokens, size.completion_tokens
        most = Spent(1, *at_most, price.of(*at_most) if price else 0.0, price is None)
        with waiting(), gate.slot(transport.in_flight):
            until: float | None = None
            attempt = 0
            while True:
                entry = gate.admit(
                    size.expected_prompt_tokens + size.completion_tokens,
                    requests_per_minute=transport.requests_per_minute,
                    tokens_per_minute=transport.tokens_per_minute,
                )
                until = until or monotonic() + transport.timeout
                with self._account.holding(model, most) as held:
                    began = perf_counter()
                    came = self._noted(path, body, until)
                    seconds = perf_counter() - began
                    if not isinstance(came, Again):
                        usage = Usage.of(came)
                        if usage is None:
                            return Reply(came, seconds, price.whatever_the_tokens if price else None)
                        money = price.of(usage.prompt, usage.completion, usage.cached) if price else None
                        held.spent = Spent(1, usage.prompt, usage.completion, money or 0.0, price is None)
                        gate.correct(entry, held.spent.tokens)
                        return Reply(came, seconds, money)
                    if not came.charged:
                        held.spent = Spent(calls=1, unpriced=most.unpriced)
                self._pause(came, attempt, until)
                attempt += 1

    def _pause(self, fault: Again, attempt: int, until: float) -> None:
        """Wait before the next attempt; raises where there is none."""
        transport = self.transport
        pause = fault.after
        if pause is None:
            pause = min(_LONGEST_PAUSE, transport.backoff * 2.0**attempt) * random.uniform(0.5, 1.0)
        is_late = monotonic() + pause >= until
        contact = contact_of(self.where)
        if fault.unreached and (is_late or attempt >= transport.retries or contact.is_given_up):
            contact.must_be_likely(fault.message)
        if attempt >= transport.retries:
            raise CallFailedError(f"{fault.message} (after {attempt + 1} attempts)")
        if is_late:
            raise CallTimeoutError(
                f"{fault.message} (after {attempt + 1} attempts; the next one would be in {pause:.1f} s, past the "
                f"limit of the call of {transport.timeout:g} s: transport.timeout)"
            )
        sleep(pause)

    def _noted(self, path: Path, body: Mapping[str, object], until: float) -> Mapping[str, Any] | Again:
        """One request, and whether it found anybody written down."""
        contact = contact_of(self.where)
        try:
            came = self._attempt(path, body, until)
        except CallFailedError:  # refused, broken off or too slow, and so reached
            contact.made()
            raise
        if isinstance(came, Again) and came.unreached:
            contact.missed()
        else:
            contact.made()
        return came

    def _attempt(self, path: Path, body: Mapping[str, object], until: float) -> Mapping[str, Any] | Again:
        """One request, ended at the limit also where the reply trickles in."""
        import openai

        key = self._key()
        left = until - monotonic()
        if left <= 0:
            raise CallTimeoutError(f"{self.where} was not reached within {self.transport.timeout:g} s")
        content = b""
        try:
            with client_of(self.where, key) as client, opened(client, path, body, left) as response:
                for piece in response.iter_bytes():
                    content += piece
                    if monotonic() > until:
                        raise self._late()
        except openai.APIStatusError as error:
            return self._refused(error, str(body.get("model")), key)
        except openai.APIConnectionError as error:
            cause = error.__cause__
            told = without_keys(str(cause or error) or type(cause).__name__, key)
            if found_nobody(cause):
                return Again(f"no connection to {self.where}: {told}", unreached=True)
            if not isinstance(error, openai.APITimeoutError):
                return Again(f"no connection to {self.where}: {told}")
            if monotonic() >= until - 0.01:
                raise self._late() from None
            return Again(f"{self.where} did not answer in time", charged=True)
        except CallFailedError:
            raise
        except Exception as error:  # noqa: BLE001  # the HTTP library's own, which differs between versions of openai
            if monotonic() >= until - 0.01:
                raise self._late() from None
            reason = without_keys(f"{type(error).__name__}: {error}", key)
            return Again(f"{self.where} broke off its reply: {reason}", charged=True)
        content = without_key(content, key)
        try:
            fields = json.loads(content)
        except ValueError:
            return Again(f"{self.where} sent no whole JSON: {without_keys(repr(content[-60:]), key)}", charged=True)
        if not isinstance(fields, dict):
            raise BadReplyError(f"{self.where} sent JSON that is no object")
        return fields

    def _late(self) -> CallTimeoutError:
        return CallTimeoutError(
            f"{self.where} did not answer within {self.transport.timeout:g} s, the limit of a call: raise "
            "transport.timeout, or lower transport.in_flight if the server is overloaded"
        )

    def _refused(self, error: Any, model: str, key: str) -> Again:
        body = error.body if isinstance(error.body, dict) else {}
        told = without_keys(str(body.get("message") or error.message), key)
        after = retry_after(error.response.headers, datetime.now(UTC))
        code = str(body.get("code") or body.get("type") or "")
        return of_status(
            error.status_code,
            code,
            told,
            where=self.where,
            model=model,
            key_from=self.api_key_env,
            after=after,
        )
