"""The recipes of docs/build-an-exam.md work as they stand there."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.drafting.kinds import KINDS
from benchmark.drafting.wording import MOST_SHARE, MOST_WORDS
from tests.authoring.examiner import Examiner
from tests.conftest import REPOSITORY, Called
from tests.endpoint import serving

PAGE = (REPOSITORY / "docs" / "build-an-exam.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", PAGE, re.DOTALL)
RECIPES = dict(re.findall(r"<!-- tested: (\w+) -->\n```bash\n(.*?)```", PAGE, re.DOTALL))
FILTERS = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)


@pytest.fixture
def run(ragsweep: Callable[..., Called], house: Path) -> Callable[..., str]:
    """Run a recipe over the files that the page shows, with fakes in the place of the models; what it printed."""
    for name, text in FILES:
        (house / name).parent.mkdir(parents=True, exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")

    def run(recipe: str, *fakes: str) -> str:
        said = ""
        for line in RECIPES[recipe].splitlines():
            called = ragsweep(*shlex.split(line)[1:], *fakes, "embedder=hash")
            assert called.exit_code == 0, (line, called.out, called.err)
            said += called.out
        return said

    return run


def test_the_recipe_with_an_endpoint_runs(run: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    with serving(Examiner()) as endpoint:
        said = run("endpoint", f"generator.base_url={endpoint.url}")
    assert "would be sent to" in said
    assert re.search(r"(\d+) drafts, of which \1 passed every filter", said)
    drafts = [json.loads(line) for line in Path("drafts/drafts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {name for draft in drafts for name in draft["filters"]} == set(FILTERS)


def test_the_offline_recipe_runs(run: Callable[..., str]) -> None:
    assert "babble runs on this machine" in run("offline", "generator=echo", "writer=babble")


def test_the_page_has_every_kind_and_the_bounds() -> None:
    assert f"--kinds {','.join(KINDS)}" in PAGE
    assert f"more than {MOST_WORDS} of its words in a row, or more than {MOST_SHARE} of it" in PAGE
