"""What the entries of a ledger are: model calls and vectors, those of endpoints with their price."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmark.kept_vectors import kept_vector, maker_of
from benchmark.storage.ledger import Entry

LOCAL = "local model"
VECTORS = "vectors"
"""Those of which nobody knows who made them: models of this process, and endpoints in older versions."""


@dataclass(frozen=True, slots=True)
class KeptCall:
    """One model call; ``asked`` has endpoint, sample and request, and is empty for models of this process."""

    completion: Mapping[str, Any]
    asked: Mapping[str, Any]

    @property
    def endpoint(self) -> str:
        return str(self.asked.get("endpoint", ""))

    @property
    def model(self) -> str:
        return str(self.asked["request"]["model"]) if self.asked else LOCAL


def call_of(entry: Entry) -> KeptCall | None:
    """``None`` for an entry that is a vector."""
    first, _, rest = entry.value.partition(b"\n")
    try:
        completion = json.loads(first)
        asked = json.loads(rest) if rest else {}
    except ValueError:  # a vector's bytes may be anything
        return None
    is_call = isinstance(completion, dict) and "text" in completion and isinstance(asked, dict)
    return KeptCall(completion, asked) if is_call else None


def model_of(entry: Entry) -> str:
    """The model of an entry, as the rows of ``totals`` name it."""
    return _told(entry)[0][1]


def _told(entry: Entry) -> tuple[tuple[str, str], Sequence[Mapping[str, Any]]]:
    """Who made it, and its completion or its embedding, if it says what that cost."""
    call = call_of(entry)
    if call is not None:
        return (call.endpoint, call.model), [call.completion]
    maker = maker_of(entry.value)
    if maker is None:
        return ("", VECTORS), []
    cost = kept_vector(entry.value).cost
    return (maker.endpoint, maker.model), [{"prompt_tokens": cost.tokens, "money": cost.money}]


@dataclass(slots=True)
class Totals:
    """Of all entries of one model; ``money`` is that of the calls whose price was known."""

    endpoint: str
    model: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    unpriced: int = 0
    size: int = 0


def totals(entries: Iterable[Entry]) -> list[Totals]:
    """By endpoint and model, sorted; vectors of nobody knows whom in one row."""
    found: dict[tuple[str, str], Totals] = {}
    for entry in entries:
        name, costs = _told(entry)
        row = found.setdefault(name, Totals(*name))
        row.calls += 1
        row.size += len(entry.value)
        for cost in costs:
            row.prompt_tokens += cost.get("prompt_tokens") or 0
            row.completion_tokens += cost.get("completion_tokens") or 0
            money = cost.get("money")
            row.unpriced += money is None
            row.money += money or 0.0
    return [found[name] for name in sorted(found)]
