"""The recipes of docs/bring-your-own-pipeline.md, run as they stand there."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.bridges.examples import langchain, llama_index
from tests.conftest import FAKES, REPOSITORY, Called
from tests.endpoint import Body, serving

Ragsweep = Callable[..., Called]
PAGE = (REPOSITORY / "docs" / "bring-your-own-pipeline.md").read_text(encoding="utf-8")
SECTIONS = {part.splitlines()[0]: part for part in PAGE.split("\n## ")[1:]}
RECIPES = [title for title, part in SECTIONS.items() if "<!-- run -->" in part]
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
RUN = re.compile(r"<!-- run -->\n```bash\n(.*?)```", re.DOTALL)
SERVICE = re.compile(r"<!-- service -->\n```bash\npython (\S+) (\d+)\n```")


def says(body: Body) -> str:
    return '{"order": [2, 1]}' if "JSON" in str(body["messages"]) else "La dosis es de 4 g [1]."


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def service(house: Path, free_port: int) -> Iterator[Callable[[str], None]]:
    """Starts a service of the user's folder, and ends it after the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(file: str) -> None:
        started.append(subprocess.Popen([sys.executable, file, str(free_port)], cwd=house, stderr=subprocess.DEVNULL))
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", free_port)) == 0:
                    return
            time.sleep(0.02)
        raise TimeoutError(file)

    yield start
    for process in started:
        process.kill()
        process.wait()


def with_fakes(command: list[str], endpoint: str) -> list[str]:
    """The command with the tests' corpus and models where it names none, and its endpoints on loopback."""
    chosen = {part.split("=")[0] for part in command}
    addresses = [f"{role}.base_url={endpoint}" for role in ("generator", "writer") if f"{role}=openai" in command]
    return [*(fake for fake in FAKES if fake.split("=")[0] not in chosen), "judge=none", *command, *addresses]


def test_there_are_six_recipes_and_more() -> None:
    assert len(RECIPES) >= 6


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_as_it_stands(
    title: str,
    ragsweep: Ragsweep,
    house: Path,
    service: Callable[[str], None],
    free_port: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    for name, text in FILE.findall(SECTIONS[title]):
        (house / name).parent.mkdir(parents=True, exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, Path(name).stem, raising=False)  # of another test's folder
    told = SERVICE.search(SECTIONS[title])
    if told:
        service(told[1])
    commands = [line for block in RUN.findall(SECTIONS[title]) for line in block.splitlines()]
    assert commands
    with serving(says) as endpoint:
        for line in commands:
            here = line.replace(f":{told[2]}", f":{free_port}") if told else line
            called = ragsweep(*with_fakes(shlex.split(here)[1:], endpoint.url))
            assert called.exit_code == 0, (line, called.err)
            assert "2 questions, 0 failed" in called.err + called.out
    for record in (house / "results").rglob("records.jsonl"):
        assert '"context": [{' in record.read_text(encoding="utf-8")


def test_the_examples_that_it_names_are_those_that_there_are() -> None:
    told = SECTIONS["Worked examples"]
    for module in (langchain, llama_index):
        names = [name for name, found in vars(module).items() if getattr(found, "__module__", "") == module.__name__]
        public = [name for name in names if not name.startswith("_")]
        assert len(public) == 5
        assert all(f"`{name}`" in told for name in public)


def test_its_entry_point_is_the_one_that_is_tested() -> None:
    from tests.test_plugins import PROJECT

    lines = PROJECT.partition("[project.entry-points.ragsweep]")[1:]
    assert "".join(lines).strip() in PAGE
