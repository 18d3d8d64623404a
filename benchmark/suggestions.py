"""What a user may have meant by a word that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def meant(word: str, known: Iterable[str]) -> str:
    """``" Did you mean ...?"``, or nothing where no known word is near.

    >>> meant("compre", ["run", "compare", "ui"])
    ' Did you mean compare?'
    >>> meant("zebra", ["run", "compare", "ui"])
    ''
    """
    near = get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(near)}?" if near else ""
