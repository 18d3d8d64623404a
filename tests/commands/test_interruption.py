"""A kill or Ctrl-C at any moment loses no finished question."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.storage.records import same
from tests.conftest import FAKES, REPOSITORY

ARGUMENTS = (*FAKES, "judge=none", "generator.sleep=0.3")


def start(house: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "benchmark", *arguments]
    return subprocess.Popen(
        command, cwd=house, env=environment, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )


def wait_for_records(house: Path, results: str, lines: int) -> Path:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for file in (house / results).rglob("records.jsonl"):
            if file.read_bytes().count(b"\n") >= lines:
                return file
        time.sleep(0.02)
    raise AssertionError("the run wrote no records within 60 s")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "Ctrl-C"])
def test_the_same_command_goes_on_from_where_it_was_stopped(house: Path, how: signal.Signals) -> None:
    whole = start(house, *ARGUMENTS, "results=whole")
    stopped = start(house, *ARGUMENTS, "results=stopped")
    records = wait_for_records(house, "stopped", 2)
    stopped.send_signal(how)
    _, told = stopped.communicate(timeout=60)
    kept = records.read_bytes()
    assert 2 <= kept.count(b"\n") < 5
    if how == signal.SIGINT:
        assert stopped.returncode == 130
        assert "goes on from there" in told
        assert "Traceback" not in told
    assert start(house, *ARGUMENTS, "results=stopped").wait(timeout=60) == 0
    assert records.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert whole.wait(timeout=60) == 0
    assert same(records, next((house / "whole").rglob("records.jsonl")))
