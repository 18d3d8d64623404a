"""What goes wrong at an endpoint, and what follows: try again, lose the question, or stop the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from benchmark.domain import UserError


class CallFailedError(Exception):
    """A call that gave nothing, and will not: the failure of its question."""


class CallTimeoutError(CallFailedError):
    """The limit of a call, retries included, is used up."""


class ReplyCutError(CallFailedError):
    """The reply reached its limit of tokens: half an answer is none."""


class BadReplyError(CallFailedError):
    """The reply is not what was asked for."""


class NotKeptError(CallFailedError):
    """Nothing may be sent, and the ledger does not keep this call."""


class RejectedError(CallFailedError):
    """The endpoint refuses the request as it is; ``told`` is its message, without keys."""

    def __init__(self, message: str, told: str) -> None:
        super().__init__(message)
        self.told = told


@dataclass(frozen=True, slots=True)
class Again:
    """A fault that may pass. ``after``: seconds that the endpoint asks for; ``charged``: it may have cost something.

    ``unreached``: no connection came about, so that nobody was asked.
    """

    message: str
    after: float | None = None
    charged: bool = False
    unreached: bool = False


_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|hf|xai)[-_][\w*.-]{6,}|(?<=Bearer )\S+")
_SHOWN = 400


def without_keys(text: str, key: str | None) -> str:
    """The text without the key, and without what looks like one.

    >>> without_keys("Incorrect API key provided: sk-proj-abc***xyz.", None), without_keys("no 12345 here", "12345")
    ('Incorrect API key provided: [key]', 'no [key] here')
    """
    if key:
        text = text.replace(key, "[key]")
    text = _KEY_LIKE.sub("[key]", text)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait by the headers ``retry-after-ms`` and ``Retry-After``, which is a number or a date.

    >>> retry_after({"retry-after": "2"}, datetime(2026, 1, 1)), retry_after({"retry-after-ms": "250"}, datetime.min)
    (2.0, 0.25)
    """
    milliseconds, told = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        if told is None:
            return None
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(told or "")
    except ValueError:
        return None
    zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (zoned - now).total_seconds())


def of_status(
    status: int, code: str, told: str, *, where: str, model: str, key_from: str | None, after: float | None
) -> Again:
    """What follows from an HTTP status that is an error; ``told`` is the endpoint's message, without keys.

    Raises:
        UserError: no call to this endpoint can succeed before the user changes something.
        RejectedError: this request cannot succeed.
    """
    if status == 402 or code == "insufficient_quota" or "insufficient_quota" in told:
        raise UserError(
            f"the account behind {where} has no quota left: {told}\n"
            "    to do:  add credit or raise its limit there, then the same command goes on; or choose another endpoint"
        )
    if status in (401, 403):
        key = "no key (api_key_env is null)" if key_from is None else f"the key in the variable {key_from}"
        raise UserError(
            f"{where} refuses {key} ({status}): {told}\n"
            "    wanted: a key that may use this model\n"
            f"    to do:  export {key_from or 'NAME'}=... with such a key, or name another variable: api_key_env=NAME"
        )
    if status == 404:
        raise UserError(
            f"{where} knows no model {model!r}, or no chat and embeddings below that address (404): {told}\n"
            "    wanted: a model that it serves, and a base_url that ends before /chat/completions, mostly in /v1\n"
            "    to do:  correct model=... or base_url=..."
        )
    message = f"{where} answered {status}: {told}"
    if status == 429 or status >= 500 or status in (408, 409):
        return Again(message, after)
    raise RejectedError(message, told)
