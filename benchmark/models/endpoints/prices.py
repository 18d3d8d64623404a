"""What calls cost, by a table with a date and a source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmark.domain import UserError

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Per million tokens, ``cached`` of those that the endpoint has in its own cache; ``call``: of each call."""

    input: float
    output: float
    cached: float
    call: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """
        >>> Price(2.0, 8.0, 0.5).of(1_000_000, 250_000, cached_tokens=500_000)
        3.25
        """
        fresh = prompt_tokens - cached_tokens
        tokens = fresh * self.input + cached_tokens * self.cached + completion_tokens * self.output
        return self.call + tokens / _MILLION

    @property
    def whatever_the_tokens(self) -> float | None:
        """The price of a call that does not say its tokens; ``None`` where it hangs on them."""
        return None if self.input or self.output or self.cached else self.call


@dataclass(frozen=True, kw_only=True)
class Prices:
    """``models``: input, output and where there is one the cached price, per million tokens and by model.

    ``call`` beside them, or in place of them, is the price of one call, as rerank APIs have it.
    """

    date: str = ""
    source: str = ""
    currency: str = "USD"
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.models and not (self.date and self.source):
            raise UserError("prices without date and source say nothing: give both in the table of conf/prices")
        for model, row in self.models.items():
            named = set(row)
            whole = {"input", "output"} <= named <= {"input", "output", "cached", "call"} or named == {"call"}
            if not whole or min(row.values()) < 0:
                raise UserError(
                    f"the price of {model} is {dict(row)}: wanted are input and output, and cached if there is one, in "
                    f"{self.currency} per million tokens, or call, the price of one call"
                )

    def of(self, model: str) -> Price | None:
        """``None`` where the price is not known; a dated snapshot costs what its model does.

        >>> table = Prices(date="2026-01-01", source="mine", models={"m": {"input": 2.0, "output": 8.0}})
        >>> table.of("m-2026-01-01"), table.of("n")
        (Price(input=2.0, output=8.0, cached=2.0, call=0.0), None)
        """
        row = self.models.get(model) or self.models.get(_SNAPSHOT.sub("", model))
        if row is None:
            return None
        fresh = row.get("input", 0.0)
        return Price(fresh, row.get("output", 0.0), row.get("cached", fresh), row.get("call", 0.0))
