"""What a run must show to be promoted: the schema of ``conf/gate/*.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchmark.metrics import described, keys

By = Literal["mean", "interval"]
"""What a threshold is for: the mean, or the end of its interval that is worse."""

LEAST = 20
"""Questions below which a decision is not one, whatever a policy says: it only informs."""
CONSULT_BELOW = 0.60
"""Mean faithfulness below which a person must look, and no threshold decides."""
TOO_GOOD = 0.95
"""Where every thresholded share is above this, the exam may have leaked: that is looked at first."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least or the most that a metric may be; exactly one of the two is set."""

    key: str
    at_least: float | None = None
    at_most: float | None = None
    by: By = "mean"

    def met_by(self, mean: float, low: float | None, high: float | None) -> bool:
        """Whether a metric passes. On the interval, a metric without one does not: nobody knows how sure it is.

        >>> [Threshold("m", at_least=0.8, by=by).met_by(0.85, 0.7, 0.9) for by in ("mean", "interval")]
        [True, False]
        """
        if self.at_least is not None:
            value = mean if self.by == "mean" else low
            return value is not None and value >= self.at_least
        value = mean if self.by == "mean" else high
        return value is not None and value <= (self.at_most or 0.0)

    def __str__(self) -> str:
        sign, limit = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        where = "" if self.by == "mean" else f" at its {'lower' if self.at_least is not None else 'upper'} end"
        return f"{sign} {limit:.2f}{where}"


@dataclass(frozen=True, slots=True)
class Policy:
    """``questions``: how many must have run. ``seconds``: the most by quantile (``p95``, ``p99``). ``errors``: the
    largest share of questions that failed to run. ``money``: the most that a question may cost, in the mean.
    """

    name: str
    questions: int
    thresholds: tuple[Threshold, ...]
    safety: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    errors: float | None = None
    money: float | None = None


def is_metric(key: str) -> bool:
    """Whether the house knows a final key, at whatever cut-off.

    >>> is_metric("retrieval/recall_7"), is_metric("retrieval/recall"), is_metric("ragas/faithfullness")
    (True, False, False)
    """
    suffix = key.rpartition("_")[2]
    return any(one.name == key for one in keys(int(suffix) if suffix.isdigit() and int(suffix) > 0 else 5))


def is_higher_better(key: str) -> bool:
    """Whether more of a metric is better; of one that the house does not know, too."""
    return described(key).direction != "lower"
