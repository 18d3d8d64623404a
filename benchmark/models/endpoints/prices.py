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
    """Per million tokens; ``cached`` of those that the endpoint has in its own cache."""

    input: float
    output: float
    cached: float

    def of(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """
        >>> Price(2.0, 8.0, 0.5).of(1_000_000, 250_000, cached_tokens=500_000)
        3.25
        """
        fresh = prompt_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * self.cached + completion_tokens * self.output) / _MILLION


@dataclass(frozen=True, kw_only=True)
class Prices:
    """``models``: input, output and where there is one the cached price, per million tokens and by model."""

    date: str = ""
    source: str = ""
    currency: str = "USD"
    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.models and not (self.date and self.source):
            raise UserError("prices without date and source say nothing: give both in the table of conf/prices")
        for model, row in self.models.items():
            if not {"input", "output"} <= set(row) <= {"input", "output", "cached"} or min(row.values()) < 0:
                raise UserError(
                    f"the price of {model} is {dict(row)}: wanted are input and output, and cached if there is one, in "
                    f"{self.currency} per million tokens"
                )

    def of(self, model: str) -> Price | None:
        """``None`` where the price is not known; a dated snapshot costs what its model does.

        >>> table = Prices(date="2026-01-01", source="mine", models={"m": {"input": 2.0, "output": 8.0}})
        >>> table.of("m-2026-01-01"), table.of("n")
        (Price(input=2.0, output=8.0, cached=2.0), None)
        """
        row = self.models.get(model) or self.models.get(_SNAPSHOT.sub("", model))
        return None if row is None else Price(row["input"], row["output"], row.get("cached", row["input"]))
