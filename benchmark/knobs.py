"""The values of a configuration held against the annotations of what they are given to.

The dataclass that ``_target_`` names is the schema of its yaml, but Python does not look at annotations: a word where a
number is wanted would break somewhere inside, in words that tell the user nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pydoc import locate
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

from benchmark.domain import UserError
from benchmark.suggestions import meant

_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", NoneType: "null"}


def check(node: object, where: str) -> None:
    """Refuse a plain value that the annotation of its knob does not take, anywhere in a part of the configuration.

    Where a ``_target_`` cannot be found or has no annotations, nothing is refused.

    Raises:
        UserError: names the knob, its value, and what is wanted.
    """
    if isinstance(node, list):
        for number, item in enumerate(node):
            check(item, f"{where}[{number}]")
    if not isinstance(node, Mapping):
        return
    hints = _hints(node.get("_target_"))
    for name, value in node.items():
        knob = f"{where}.{name}"
        if name in hints and not isinstance(value, Mapping | list):
            _check_value(knob, value, hints[name])
        check(value, knob)


def _hints(target: object) -> Mapping[str, object]:
    if not isinstance(target, str):
        return {}
    try:
        return _hints_of(locate(target))
    except Exception:  # noqa: BLE001  # what cannot be found is told where it is made; an import may raise anything
        return {}


@cache
def _hints_of(found: object) -> Mapping[str, object]:
    """Of a class or function itself, not of its name: what a name stands for may change while a process lives."""
    return get_type_hints(found)


def _check_value(knob: str, value: object, hint: object) -> None:
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if any(get_origin(kind) is not Literal and kind not in _WORDS for kind in kinds):
        return  # an object, which the configuration can only give by a node of its own
    if not any(_takes(kind, value) for kind in kinds):
        words = [word for kind in kinds for word in _described(kind)]
        near = meant(str(value), [word for kind in kinds for word in _options(kind)])
        raise UserError(f"{knob} is {_shown(value)}: it must be {' or '.join(words)}.{near} Give it as {knob}=...")


def _options(kind: object) -> list[str]:
    return [str(option) for option in get_args(kind)] if get_origin(kind) is Literal else []


def _described(kind: object) -> list[str]:
    return _options(kind) or [_WORDS[kind]]  # type: ignore[index]  # the caller has looked


def _takes(kind: object, value: object) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind


def _shown(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
