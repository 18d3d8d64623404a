"""The docs show pictures that are there, and that are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: str(page.name))
def test_every_picture_of_a_page_is_there(page: Path) -> None:
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert [name for name in shown if not (DOCS / name).is_file()] == []


def test_pictures_are_small_and_each_is_shown() -> None:
    pictures = sorted((DOCS / "images").iterdir())
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert [one.name for one in pictures if one.stat().st_size > 150_000 or one.name not in pages] == []
    assert len(pictures) == 7
