"""Clear words where a part needs a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchmark.domain import UserError

_WITHOUT_LOCAL = (
    "Without it these still work: embedder=hashing, writer=none, generator=first_sentence, judge=none, "
    "and architectures bm25, random_passages, oracle, closed_book"
)


@contextmanager
def needs_local(what: str) -> Iterator[None]:
    """Turn a failing import of the extra ``local`` into an error that ends with the line to type."""
    try:
        yield
    except ImportError as error:
        raise UserError(
            f"{what} needs the package {error.name!r} of the extra `local`, which is not installed "
            f"(it exists for Linux x86_64 and aarch64 and for macOS arm64). {_WITHOUT_LOCAL}.\n"
            "    pip install 'ragsweep[local]'"
        ) from None
