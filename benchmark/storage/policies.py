"""The policies of the gate: ``gate/NAME.yaml`` of the user's ``./conf``, then of the bundled one."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import cast

import yaml

from benchmark.domain import UserError
from benchmark.gate.policy import Policy, Threshold, is_metric
from benchmark.metrics import keys
from benchmark.safety import CHECKS
from benchmark.storage.fields import Fields, Place, read_text, shown
from benchmark.storage.places import bundled
from benchmark.suggestions import meant

_FIELDS = ("questions", "thresholds", "safety", "seconds", "errors", "money")
_QUANTILES = ("p50", "p90", "p95", "p99")


def read_policy(name: str, own_metrics: frozenset[str] = frozenset()) -> Policy:
    """The policy of that name. ``own_metrics``: keys of the records that the house does not know.

    Raises:
        UserError: there is none, or it names what does not exist.
    """
    shelves = (Path("conf") / "gate", bundled("conf") / "gate")
    file = next((shelf / f"{name}.yaml" for shelf in shelves if (shelf / f"{name}.yaml").is_file()), None)
    if file is None:
        names = sorted({one.stem for shelf in shelves for one in shelf.glob("*.yaml")})
        raise UserError(
            f"there is no policy {name!r}.{meant(name, names)}\n    wanted: one of {', '.join(names)}\n"
            f"    to do:  choose one with --policy NAME, or write {shelves[0] / f'{name}.yaml'}"
        )
    place = Place(file)
    try:
        told = yaml.safe_load(read_text(file))
    except yaml.YAMLError as error:
        raise place.wrong("this is not YAML", "a mapping", f"mend the file ({str(error).splitlines()[0]})") from None
    fields = Fields.of(told, place, "the policy", known=_FIELDS)
    safety = fields.texts("safety")
    for check in safety:
        if check not in CHECKS:
            raise _unknown(place, "check", check, list(CHECKS))
    thresholds = fields.mapping("thresholds")
    if not thresholds and not safety:
        raise place.wrong("the policy asks for nothing", "thresholds or safety checks", "add some: all would pass it")
    return Policy(
        name=name,
        questions=_count(fields, "questions"),
        thresholds=tuple(_threshold(place, str(key), value, own_metrics) for key, value in thresholds.items()),
        safety=safety,
        seconds=_seconds(fields, place),
        errors=_limit(fields, "errors", most=1.0),
        money=_limit(fields, "money"),
    )


def _threshold(place: Place, key: str, value: object, own_metrics: frozenset[str]) -> Threshold:
    if not is_metric(key) and key not in own_metrics:
        raise _unknown(place, "metric", key, [*(one.name for one in keys(5)), *sorted(own_metrics)])
    fields = Fields.of(value, place, f"the threshold of {key}", known=("at_least", "at_most", "by"))
    least, most = _limit(fields, "at_least"), _limit(fields, "at_most")
    if (least is None) == (most is None):
        raise place.wrong(f"the threshold of {key} is {shown(value)}", "at_least or at_most", "give one of the two")
    by = fields.values.get("by", "mean")
    if by not in ("mean", "interval"):
        raise fields.wrong("by", "mean or interval")
    return Threshold(key, least, most, "interval" if by == "interval" else "mean")


def _unknown(place: Place, kind: str, name: str, known: list[str]) -> UserError:
    listed = ", ".join(known)
    return place.wrong(
        f"the policy names the {kind} {name!r}, which there is not.{meant(name, known)}",
        f"one of {listed}",
        "correct the name",
    )


def _count(fields: Fields, name: str) -> int:
    value = fields.values.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise fields.wrong(name, "a number of questions, at least 1")
    return value


def _limit(fields: Fields, name: str, *, most: float | None = None) -> float | None:
    value = fields.values.get(name)
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value >= 0
    if not number or (most is not None and float(cast(float, value)) > most):
        raise fields.wrong(name, "a number from 0" + (f" to {most:g}" if most is not None else ""))
    return float(cast(float, value))


def _seconds(fields: Fields, place: Place) -> Mapping[str, float]:
    inner = Fields.of(fields.mapping("seconds"), place, "seconds", known=_QUANTILES)
    return {name: limit for name in inner.values if (limit := _limit(inner, name)) is not None}
