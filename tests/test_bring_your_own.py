"""The recipes of docs/bring-your-own.md work as they stand there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import FAKES, REPOSITORY, Called

PAGE = (REPOSITORY / "docs" / "bring-your-own.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", PAGE, re.DOTALL)
RECIPES = re.findall(r"^## \d\. (.+?)\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
QUICK = ("judge=none", *(fake for fake in FAKES if not fake.startswith("corpus=")))


@pytest.fixture
def files(house: Path) -> Path:
    """The files that the recipes show."""
    for name, text in FILES:
        (house / name).parent.mkdir(parents=True, exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")
    return house


@pytest.mark.parametrize(("title", "text"), RECIPES, ids=[title for title, _ in RECIPES])
def test_a_recipe_runs(ragsweep: Callable[..., Called], files: Path, title: str, text: str) -> None:
    pytest.importorskip("bs4")
    blocks = re.findall(r"<!-- tested -->\n```bash\n(.*?)```", text, re.DOTALL)
    assert blocks
    for line in "".join(blocks).splitlines():
        command = shlex.split(line)[1:]
        # The models are fakes, so that this takes seconds; commands that ask nothing are as they stand there.
        called = ragsweep(*command, *(() if command[0] in ("corpus", "compare", "show") else QUICK))
        assert called.exit_code == 0, (line, called.out, called.err)


def test_there_are_six_recipes() -> None:
    assert len(RECIPES) == 6
