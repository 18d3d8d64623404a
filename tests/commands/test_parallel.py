"""A sweep whose jobs run at a time, each in a process of its own."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmark.config import jobs_at_once
from benchmark.storage.ledger import Ledger
from benchmark.storage.ledger_entries import call_of
from benchmark.storage.records import same
from tests.conftest import FAKES, REPOSITORY, Called
from tests.endpoint import serving

Ragsweep = Callable[..., Called]
INSTALLED = find_spec("hydra_plugins.hydra_joblib_launcher") is not None if find_spec("hydra_plugins") else False
SWEEP = ("-m", *FAKES[:-1], "judge=none", "architecture=bm25,dense", "limit=2")


def call(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "benchmark", *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="the extra `parallel` is not installed")
def test_a_parallel_sweep_leaves_the_same_as_one_job_after_another(house: Path) -> None:
    ours = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "results=parallel")
    one, two = call(house, *SWEEP, "results=serial"), call(house, *SWEEP, *ours)
    assert (one.returncode, two.returncode) == (0, 0), two.stderr
    assert "Warning" not in two.stderr
    assert one.stdout.count("dense") == two.stdout.count("dense") > 0
    serial = sorted((house / "serial" / "runs").rglob("records.jsonl"))
    parallel = sorted((house / "parallel" / "runs").rglob("records.jsonl"))
    assert [file.relative_to(house / "serial") for file in serial] == [
        file.relative_to(house / "parallel") for file in parallel
    ]
    assert len(serial) == 2
    assert all(same(a, b) for a, b in zip(serial, parallel, strict=True))


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="the extra `parallel` is not installed")
def test_jobs_in_processes_of_their_own_stand_below_one_parent(house: Path) -> None:
    ended = call(house, *SWEEP, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
    assert ended.returncode == 0, ended.stderr
    store = sqlite3.connect(house / "results" / "mlflow.db")
    parents = store.execute("select value from tags where key = 'mlflow.parentRunId'").fetchall()
    assert (len(parents), len(set(parents))) == (2, 1)


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="the extra `parallel` is not installed")
def test_jobs_in_processes_of_their_own_spend_one_budget(house: Path) -> None:
    with serving(latency=0.02) as endpoint:
        at = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.api_key_env=null")
        parts = ("corpus=tiny", "embedder=hash", "writer=echo", "judge=none", "tracking=none", *at)
        sweep = ("-m", *parts, "generator.model=one,other", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
        expected = call(house, *sweep, "dry_run=true")
        assert [line.split()[1] for line in expected.stdout.splitlines() if line.split()[:1] == ["all"]] == ["8"]
        ended = call(house, *sweep, "budget.calls=5")
        assert len(endpoint.bodies) == 5
    assert ended.returncode == 1
    assert "budget.calls=5 does not allow the next call" in ended.stderr
    assert [line.split()[1] for line in ended.stdout.splitlines() if line.split()[:1] == ["all"]] == ["5"]


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="the extra `parallel` is not installed")
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows has no process groups of this kind")
def test_ctrl_c_in_the_terminal_lets_all_jobs_keep_what_is_in_flight(house: Path) -> None:
    with serving(latency=0.3) as endpoint:
        at = ("generator=openai", f"generator.base_url={endpoint.url}", "generator.api_key_env=null")
        parts = ("corpus=tiny", "embedder=hash", "writer=echo", "judge=none", "tracking=none", *at)
        sweep = ("-m", *parts, "generator.model=one,other", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
        command = [sys.executable, "-m", "benchmark", *sweep]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])}
        run = subprocess.Popen(
            command, cwd=house, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        deadline = time.monotonic() + 60
        while len(endpoint.bodies) < 5:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        stopped = time.monotonic()
        os.killpg(run.pid, signal.SIGINT)
        run.communicate(timeout=60)
        assert time.monotonic() - stopped < 2.0
        assert run.returncode == 130
        calls = [call_of(entry) for entry in Ledger(house / "results" / "ledger.sqlite").entries()]
        assert len([call for call in calls if call is not None]) == len(endpoint.bodies) >= 5


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="the extra `parallel` is not installed")
def test_what_is_wrong_is_told_once_by_all_jobs(house: Path) -> None:
    ended = call(house, *SWEEP, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "k=0")
    assert ended.returncode == 2
    assert ended.stderr.count("k is 0") == 1
    assert sorted(file.name for file in house.iterdir()) == ["conf", "corpora"]


@pytest.mark.skipif(INSTALLED, reason="the extra `parallel` is installed")
def test_without_the_extra_the_message_names_it(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep(*SWEEP, "hydra/launcher=joblib")
    assert (called.exit_code, "ragsweep[parallel]" in called.err) == (2, True)
    assert sorted(file.name for file in house.iterdir()) == ["conf", "corpora"]


def test_jobs_and_their_threads_do_not_exceed_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(8)), raising=False)
    assert [jobs_at_once(threads) for threads in (1, 2, 3, 8, 16)] == [8, 4, 2, 1, 1]
