"""What an endpoint calls things and does without, learnt from what it refuses."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmark.models.endpoints.faults import RejectedError
from benchmark.models.endpoints.structured import FORMS, Form

_DISPENSABLE = ("temperature", "seed", "top_p", "presence_penalty", "frequency_penalty")
_UNSUPPORTED = re.compile(r"support|not permitted|not allowed|unrecognized|unknown|extra inputs|invalid", re.IGNORECASE)
_FORMATS = re.compile(r"response_format|json_schema|json_object|structured output|grammar", re.IGNORECASE)


@dataclass(slots=True)
class Dialect:
    """Of one model at one endpoint. Reasoning models want ``max_completion_tokens``, and take no temperature."""

    tokens: str = "max_tokens"
    dropped: set[str] = field(default_factory=set)
    form: Form = FORMS[0]

    def spoken(self, asked: Mapping[str, object]) -> dict[str, object]:
        """The request as this endpoint takes it."""
        body = {name: value for name, value in asked.items() if name not in self.dropped}
        if "max_tokens" in body:
            body[self.tokens] = body.pop("max_tokens")
        return body

    def learn(self, refusal: RejectedError, asked: Mapping[str, object], body: Mapping[str, object]) -> bool:
        """Whether there is another way to say the same; ``body`` is what was refused."""
        if self.spoken(asked) != body:  # another thread has learnt it meanwhile
            return True
        if "max_tokens" in body and "max_completion_tokens" in refusal.told:
            self.tokens = "max_completion_tokens"
            return True
        named = [name for name in _DISPENSABLE if name in body and re.search(rf"\b{name}\b", refusal.told)]
        if named and _UNSUPPORTED.search(refusal.told):
            self.dropped.update(named)
            return True
        return False

    def weaken(self, refusal: RejectedError, form: Form) -> Form | None:
        """The next form of structured reply to try, where the refusal is about the form."""
        if not _FORMATS.search(refusal.told) or form == FORMS[-1]:
            return None
        self.form = max(self.form, FORMS[FORMS.index(form) + 1], key=FORMS.index)
        return FORMS[FORMS.index(form) + 1]


_dialects: dict[tuple[str, str], Dialect] = {}
_lock = threading.Lock()


def dialect_of(base_url: str, model: str) -> Dialect:
    """What is known of a model at an endpoint, shared by the process."""
    with _lock:
        return _dialects.setdefault((base_url, model), Dialect())
