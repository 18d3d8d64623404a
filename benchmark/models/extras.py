"""Clear words where a part needs a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from benchmark.domain import UserError

_LOCAL = (
    "The extra `local` is not installed; it exists for Linux (x86_64, aarch64) and macOS (arm64). Without it these "
    "still work: architecture=bm25, random_passages, oracle and closed_book, with generator=extractive_words and "
    "judge=none."
)


EXTRAS = {"langchain_classic": "langchain", "llama_index.retrievers": "llama_index"}
"""The extras that bring modules which users' own code imports too."""


def require(module: str, what: str, extra: str = "local") -> None:
    """Raise an error that ends with the line to type, where a module of an extra is missing."""
    if find_spec(module) is None:
        raise UserError(f"{what} needs the package {module!r}. {_cure(extra)}")


@contextmanager
def needs_local(what: str) -> Iterator[None]:
    """The same for an import that fails although the module is there, such as for want of a system library."""
    with needs("local", what):
        yield


@contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """The same for an import that fails, whether its package is missing or does not load."""
    try:
        yield
    except ImportError as error:
        raise UserError(f"{what} cannot be loaded: {error}. {_cure(extra)}") from None


def to_install(module: str) -> str:
    """What to type for a module that is missing: the extra that brings it, if one does.

    >>> to_install("langchain_classic.retrievers"), to_install("chromadb")
    ("pip install 'ragsweep[langchain]'", 'pip install what brings the module chromadb')
    """
    for known, extra in EXTRAS.items():
        if module == known or module.startswith(f"{known}."):
            return f"pip install 'ragsweep[{extra}]'"
    return f"pip install what brings the module {module}"


def _cure(extra: str) -> str:
    said = _LOCAL if extra == "local" else f"The extra `{extra}` brings it."
    return f"{said}\n    pip install 'ragsweep[{extra}]'"
