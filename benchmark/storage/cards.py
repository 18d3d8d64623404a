"""The card of a corpus, a source's text and lists of fixed terms on disk."""

from __future__ import annotations

from pathlib import Path

from benchmark.proofreading.card import with_counts
from benchmark.storage.fields import Place, read_text


def card_of(folder: Path) -> Path:
    return folder / "card.md"


def write_counts(folder: Path, counted: str) -> Path:
    """Write the counts into the card, whose prose stays; makes the card where there is none."""
    file = card_of(folder)
    card = read_text(file) if file.is_file() else f"# Corpus card: {folder.resolve().name}\n"
    file.write_text(with_counts(card, counted), encoding="utf-8", newline="\n")
    return file


def text_of(file: Path, what: str) -> str:
    """The text of a file that the user named.

    Raises:
        UserError: there is no such file, or it is not text.
    """
    if not file.is_file():
        raise Place(file).wrong(f"there is no such file for {what}", "the path of a text file", "correct the path")
    return read_text(file)
