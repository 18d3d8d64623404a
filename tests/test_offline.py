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


@pytest.mark.slow
def test_two_architectures_and_two_generators_run_offline(tmp_path: Path) -> None:
    sweep = ("-m", "architecture=bm25,dense", "generator=extractive,gemma_270m", "limit=3")
    ended = blocked(tmp_path, *sweep)
    assert ended.returncode == 0, ended.stderr
    assert records_in(tmp_path) == 12
    assert {file.name for file in tmp_path.iterdir()} == {"results"}


@pytest.mark.slow
def test_every_architecture_runs_offline_with_the_default_parts(tmp_path: Path) -> None:
    ended = blocked(tmp_path, "experiment=quickstart")
    assert ended.returncode == 0, ended.stderr
    assert records_in(tmp_path) == 10 * 30
    rows = rows_of(tmp_path, "quickstart")
    recall = {name: row["retrieval/recall_k"] for name, row in rows.items() if name != "closed_book"}
    assert max(recall, key=lambda name: recall[name]) == "oracle"
    assert (rows["closed_book"]["answers/abstaining"], rows["closed_book"]["ragas/context_recall"]) == (1.0, None)
    assert all(row["ragas/faithfulness"] is not None for name, row in rows.items() if name != "closed_book")


@pytest.mark.slow
def test_the_exam_has_a_report_in_every_form(tmp_path: Path) -> None:
    architectures = "architecture=bm25,random_passages,oracle"
    ended = blocked(tmp_path, "-m", "experiment=obstetrics", architectures, "sample=20")
    assert ended.returncode == 0, ended.stderr
    for language in ("en", "es"):
        forms = ("--to", "html,md,tex,csv,png,svg,pdf", "--language", language, "--out", language)
        assert blocked(tmp_path, "report", "obstetrics", *forms).returncode == 0
    for name in ("report.html", "report.md"):
        told = (tmp_path / "en" / name).read_text(encoding="utf-8")
        assert "judge and gold evidence agree on " in told
        assert "Headroom recovered" in told
        assert "no random passages and no gold evidence" not in told
        assert "Margen recuperado" in (tmp_path / "es" / name).read_text(encoding="utf-8")
    drawn = {file.name for file in (tmp_path / "en" / "figures").iterdir()}
    assert {f"{name}.{form}" for name in ("matched", "causes", "heatmap") for form in ("png", "svg", "pdf")} <= drawn


@pytest.mark.slow
def test_the_exam_tells_ways_of_searching_apart_and_is_not_saturated(tmp_path: Path) -> None:
    parts = ("judge=none", "generator=extractive_words", "tracking=none")
    arms = "architecture=closed_book,random_passages,bm25,dense,hybrid"
    assert blocked(tmp_path, "-m", arms, *parts, "name=arms").returncode == 0
    plain = ("architecture=bm25", "architecture.retriever.stemming=false", "name=plain")
    assert blocked(tmp_path, *plain, *parts).returncode == 0
    # Some questions have more than five pieces of evidence, which no list of five holds.
    assert blocked(tmp_path, "architecture=oracle", "k=20", "name=gold", *parts).returncode == 0
    assert rows_of(tmp_path, "gold")["oracle"]["retrieval/recall_k"] == 1.0
    rows = rows_of(tmp_path, "arms")
    found = {name: rows[name]["retrieval/ndcg_k"] for name in ("bm25", "dense", "hybrid")}
    found["bm25 without stems"] = rows_of(tmp_path, "plain")["bm25"]["retrieval/ndcg_k"]
    assert records_in(tmp_path) == 7 * 160
    assert rows["closed_book"]["answers/abstaining"] == 1.0
    assert rows["random_passages"]["retrieval/ndcg_k"] < 0.1 < min(found.values()), found
    assert max(found.values()) - min(found.values()) >= 0.10, found
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
