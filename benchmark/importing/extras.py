"""Clear words where a format needs a library of the extra ``files`` that is not installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from benchmark.domain import UserError


def library(module: str, what: str) -> ModuleType:
    """The module; raises a ``UserError`` that ends with the line to type where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(
            f"{what} needs the package {module.partition('.')[0]!r} of the extra `files` ({error}).\n"
            "    pip install 'ragsweep[files]'"
        ) from None
