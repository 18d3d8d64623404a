"""A kill or Ctrl-C at any moment loses no finished question."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
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


def test_a_sweep_that_was_stopped_is_compared_as_far_as_it_came(house: Path) -> None:
    arguments = ("-m", *FAKES[:-1], "judge=none", "generator.sleep=0.3", "architecture=bm25,dense")
    sweep = start(house, *arguments)
    wait_for_records(house, "results", 2)
    sweep.send_signal(signal.SIGINT)
    sweep.communicate(timeout=60)
    compared = start(house, "compare")
    out, _ = compared.communicate(timeout=60)
    assert (sweep.returncode, compared.returncode) == (130, 0)
    assert "bm25" in out
    [status] = (house / "results").rglob("status.json")
    assert json.loads(status.read_text(encoding="utf-8"))["state"] == "interrupted"
    store = sqlite3.connect(house / "results" / "mlflow.db")
    assert store.execute("select status from runs").fetchall() == [("KILLED",)]


@pytest.mark.slow
def test_two_sweeps_may_begin_together_in_a_fresh_folder(house: Path) -> None:
    both = [start(house, *FAKES[:-1], "judge=none", f"architecture={name}") for name in ("bm25", "dense")]
    told = [one.communicate(timeout=120)[1] for one in both]
    assert [one.returncode for one in both] == [0, 0], told
