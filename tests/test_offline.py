"""The default runs with every socket but loopback blocked, and with real parts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark.storage.runs import run_folders

BLOCKED = """
import sys
import pytest_socket
pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
from benchmark.__main__ import main
main()
"""


def blocked(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCKED, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def records_in(folder: Path) -> int:
    return sum(run.records.read_bytes().count(b"\n") for run in run_folders(folder))


def test_two_architectures_and_two_generators_run_offline(tmp_path: Path) -> None:
    sweep = ("-m", "architecture=bm25,dense", "generator=extractive,gemma_270m", "limit=3")
    ended = blocked(tmp_path, *sweep)
    assert ended.returncode == 0, ended.stderr
    assert records_in(tmp_path) == 12
    assert {file.name for file in tmp_path.iterdir()} == {"results"}


@pytest.mark.slow
def test_the_whole_default_sweep_runs_offline_and_the_exam_tells_its_runs_apart(tmp_path: Path) -> None:
    ended = blocked(tmp_path, "experiment=obstetrics")
    assert ended.returncode == 0, ended.stderr
    assert records_in(tmp_path) == 10 * 160
    rows = rows_of(tmp_path, "obstetrics")
    assert rows["oracle"]["retrieval/recall_k"] == 1.0
    assert (rows["closed_book"]["answers/abstaining"], rows["closed_book"]["ragas/context_recall"]) == (1.0, None)
    plain = ("architecture.retriever.stemming=false", "judge=none", "name=plain", "tracking=none")
    assert blocked(tmp_path, "architecture=bm25", *plain).returncode == 0
    found = {name: row["retrieval/ndcg_k"] for name, row in rows.items() if not row["yardstick"]}
    found["bm25 without stems"] = rows_of(tmp_path, "plain")["bm25"]["retrieval/ndcg_k"]
    basic = [found[name] for name in ("bm25", "bm25 without stems", "dense", "hybrid")]
    assert rows["random_passages"]["retrieval/ndcg_k"] < 0.1 < min(basic), found
    assert max(basic) - min(basic) >= 0.10, found
    assert max(found.values()) <= 0.97, found


def rows_of(folder: Path, sweep: str) -> dict[str, dict[str, Any]]:
    return {row["run"]: row for row in json.loads(blocked(folder, "compare", sweep, "--json").stdout)}


@pytest.mark.slow
def test_two_generators_get_the_same_context_from_one_architecture(tmp_path: Path) -> None:
    ended = blocked(tmp_path, "-m", "architecture=hyde", "generator=extractive,gemma_270m", "limit=4")
    assert ended.returncode == 0, ended.stderr
    contexts = [
        [json.loads(line)["response"]["context"] for line in run.records.read_text(encoding="utf-8").splitlines()]
        for run in run_folders(tmp_path)
    ]
    assert contexts[0] == contexts[1] != []
