"""Clear words where a part needs a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from benchmark.domain import UserError

_CURE = (
    "The extra `local` is not installed; it exists for Linux (x86_64, aarch64) and macOS (arm64). Without it these "
    "still work: architecture=bm25, random_passages, oracle and closed_book, with generator=extractive_words and "
    "judge=none.\n    pip install 'ragsweep[local]'"
)


def require(module: str, what: str) -> None:
    """Raise an error that ends with the line to type, where a module of the extra ``local`` is missing."""
    if find_spec(module) is None:
        raise UserError(f"{what} needs the package {module!r}. {_CURE}")


@contextmanager
def needs_local(what: str) -> Iterator[None]:
    """The same for an import that fails although the module is there, such as for want of a system library."""
    try:
        yield
    except ImportError as error:
        raise UserError(f"{what} cannot be loaded: {error}. {_CURE}") from None
