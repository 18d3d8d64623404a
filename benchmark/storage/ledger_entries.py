"""What the entries of a ledger are: model calls with their price, and vectors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.storage.ledger import Entry

LOCAL = "local model"
VECTORS = "vectors"


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
    """By endpoint and model, sorted; vectors in one row."""
    found: dict[tuple[str, str], Totals] = {}
    for entry in entries:
        call = call_of(entry)
        name = ("", VECTORS) if call is None else (call.endpoint, call.model)
        row = found.setdefault(name, Totals(*name))
        row.calls += 1
        row.size += len(entry.value)
        if call is not None:
            row.prompt_tokens += call.completion.get("prompt_tokens") or 0
            row.completion_tokens += call.completion.get("completion_tokens") or 0
            money = call.completion.get("money")
            row.unpriced += money is None
            row.money += money or 0.0
    return [found[name] for name in sorted(found)]
