"""What the README says works as it stands there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Called

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
TESTED = re.search(r"<!-- tested -->\n```bash\n(.*?)```", README, re.DOTALL)
COMMANDS = [shlex.split(line, comments=True)[1:] for line in TESTED[1].splitlines()] if TESTED else []
SOURCES = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md"), REPOSITORY / "corpora" / "obstetrics" / "card.md"]


@pytest.mark.slow
def test_the_commands_of_the_readme_run(ragsweep: Callable[..., Called]) -> None:
    assert len(COMMANDS) >= 6
    for command in COMMANDS:
        called = ragsweep(*command)
        assert called.exit_code == 0, (command, called.err)


def test_its_set_up_is_two_command_lines() -> None:
    lines = re.findall(r"<!-- command line \d -->\n```bash\n(.*?)```", README, re.DOTALL)
    assert [len(line.splitlines()) for line in lines] == [1, 1]
    assert all("-c constraints.txt" in line for line in lines)


@pytest.mark.parametrize(("name", "runs"), [("obstetrics", 10), ("generators", 8)])
def test_its_tables_are_whole(name: str, runs: int) -> None:
    begin = f"<!-- table: ragsweep compare {name} --markdown -->"
    table = README.partition(begin)[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 * (runs + 1)
    assert "not measured" in table


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_its_links_lead_somewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert all((file.parent / link).exists() for link in links)
