"""A part of a run from its node of the configuration, or the reason why it cannot be made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TypeVar

from hydra.errors import InstantiationException
from hydra.utils import instantiate

from benchmark import knobs
from benchmark.domain import UserError
from benchmark.suggestions import meant

Part = TypeVar("Part")


def make(node: object, where: str, kind: type[Part]) -> Part:
    """The object that a node describes.

    Raises:
        UserError: it cannot be made, or is not of that kind; what Hydra wraps around the reason is taken off.
    """
    knobs.check(node, where)
    plain = {**node, "_convert_": "all"} if isinstance(node, Mapping) else node  # as an argument it costs a merge
    try:
        part = instantiate(plain)
    except InstantiationException as error:
        raise _reason(error, where) from None
    if not isinstance(part, kind):
        wanted = ", ".join(sorted(name for name in vars(kind) if not name.startswith("_"))) or kind.__name__
        raise UserError(f"{where} is a {type(part).__name__}, which is no {kind.__name__}: it needs {wanted}")
    return part


def _reason(error: Exception, where: str) -> UserError:
    """Why a part cannot be made: Hydra puts its own errors around the reason."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__) is not None:
        if isinstance(cause, UserError):
            return cause
        chain.append(cause)
    place = re.search(r"full_key: (\S+)", str(error))
    part = where if place is None or place[1] == where else f"{where}.{place[1].removeprefix(f'{where}.')}"
    for found in chain:
        target = re.match(r"Error loading '(.+)'", str(found))
        if target:
            return UserError(f"{part}._target_ is {target[1]}, which cannot be loaded: {_why(target[1])}")
    return UserError(f"{part} cannot be made: {_first(chain[min(1, len(chain) - 1)])}. {_cure(where)}")


def _why(target: str) -> str:
    """Why a class cannot be loaded, from a second try: Hydra keeps the error of the first in its text alone."""
    module, _, name = target.rpartition(".")
    try:
        names = [known for known in vars(import_module(module)) if not known.startswith("_")]
    except SyntaxError as error:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            file = f"{module.replace('.', '/')}.py"
            return f"there is no module {error.name}. Write {file} in this folder, or correct the name in the yaml"
        return f"{module} imports {error.name}, which is not installed"
    except Exception as error:  # noqa: BLE001  # the module is the user's, and may raise anything
        return f"{module} does not load: {type(error).__name__}: {error}"
    return f"{module} has no {name}.{meant(name, names)} Write it there, or correct the name in the yaml"


def _first(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _cure(where: str) -> str:
    return f"Its knobs: ragsweep --cfg job --package {where}"
