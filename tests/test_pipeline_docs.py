"""``docs/pipeline.md`` works as it stands: its commands, its workflow and its tests, but for what needs a network."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from benchmark.storage.policies import read_policy
from tests.conftest import REPOSITORY, Called

PAGE = (REPOSITORY / "docs" / "pipeline.md").read_text(encoding="utf-8")


def block(mark: str, language: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, mark
    return found[1]


WORKFLOW = yaml.safe_load(block("workflow", "yaml"))
[JOB] = WORKFLOW["jobs"].values()
OFFLINE = [step["run"] for step in JOB["steps"] if "run" in step and "pip install" not in step["run"]]


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A shell in an empty folder that knows ``ragsweep``, as a step of the workflow has it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ragsweep"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m benchmark "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    folder = tmp_path / "checkout"
    folder.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        **JOB["env"],
    }

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_the_workflow_asks_gates_and_keeps_its_baseline(
    shell: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    assert len(OFFLINE) == 3
    for _ in range(2):  # the second time there is a baseline
        for step in OFFLINE:
            ended = shell("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step)  # as GitHub calls it
            assert ended.returncode == 0, (step, ended.stdout, ended.stderr)
    suite = ElementTree.parse(tmp_path / "checkout" / "gate.xml").getroot()[0]
    assert suite.get("failures") == "0"
    assert "baseline: retrieval/recall_5" in {case.get("name") for case in suite}
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("## READY: bm25 on obstetrics")


@pytest.mark.slow
def test_the_example_of_pytest_passes_for_a_ready_run_and_fails_for_another(
    shell: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    assert shell("bash", "-ec", OFFLINE[0]).returncode == 0
    (checkout / "test_gate.py").write_text(block("pytest", "python"), encoding="utf-8")
    pytest_here = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_gate.py")
    ready = shell(*pytest_here)
    assert ready.returncode == 0, ready.stdout
    (checkout / "conf" / "gate").mkdir(parents=True)
    strict = "questions: 20\nthresholds:\n  retrieval/recall_5: {at_least: 1.0}\n"
    (checkout / "conf" / "gate" / "smoke.yaml").write_text(strict, encoding="utf-8")
    stopped = shell(*pytest_here)
    assert stopped.returncode == 1
    assert "mend the retrieval" in stopped.stdout


@pytest.mark.slow
def test_its_commands_run(ragsweep: Callable[..., Called]) -> None:
    commands = [shlex.split(line, comments=True)[1:] for line in block("tested", "bash").splitlines()]
    assert len(commands) == 5
    for command in commands:
        called = ragsweep(*command)
        assert called.exit_code == 0, (command, called.out, called.err)


def test_its_example_of_a_policy_can_be_read(house: Path) -> None:
    example = re.search(r"```yaml\n(questions: .*?)```", PAGE, re.DOTALL)
    assert example is not None
    (house / "conf" / "gate").mkdir(parents=True)
    (house / "conf" / "gate" / "mine.yaml").write_text(example[1], encoding="utf-8")
    assert read_policy("mine").safety == ("refusal", "isolation")
