"""What a configuration points at outside itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.config import Plan
from benchmark.digest import file_digest
from benchmark.storage.sources import sources


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder with a module and a package."""
    (tmp_path / "my_parts").mkdir()
    for name in ("my_module.py", "my_parts/__init__.py", "my_parts/judge.py", "my_parts/helper.py", "other.py"):
        (tmp_path / name).write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("part", ["generator", "judge", "metrics", "embedder", "reranker", "chunker", "retriever"])
def test_the_code_of_every_part_counts_wherever_it_is_named(mine: Path, part: str) -> None:
    settings = {part: {"deep": [{"_target_": "my_module.length"}]}}
    before = sources(settings)
    (mine / "my_module.py").write_text("x = 2\n")
    after = sources(settings)
    assert list(before) == list(after) == ["my_module"]
    assert before != after


def test_of_a_users_package_all_modules_count_and_what_lies_beside_does_not(mine: Path) -> None:
    found = sources({"judge": {"_target_": "my_parts.judge.Judge"}})
    assert set(found) == {"my_parts/__init__.py", "my_parts/judge.py", "my_parts/helper.py"}


def test_the_packages_own_code_and_what_cannot_be_found_are_left_out() -> None:
    assert sources({"a": {"_target_": "benchmark.metrics.ragas.mean"}, "b": {"_target_": "nobody.knows.It"}}) == {}


def test_an_architecture_counts_by_its_own_file() -> None:
    assert list(sources({"architecture": {"_target_": "architectures.bm25.Bm25"}})) == ["architectures.bm25"]


def test_an_installed_part_counts_by_its_module_alone() -> None:
    target = "langchain_text_splitters.character.CharacterTextSplitter"
    assert list(sources({"chunker": {"_target_": target}})) == ["langchain_text_splitters.character"]


def test_files_count_by_what_they_hold(mine: Path) -> None:
    (mine / "model.gguf").write_bytes(b"weights")
    (mine / "es").write_text("no setting means this file")
    found = sources({"generator": {"weights": {"file": "model.gguf"}, "language": "es", "name": "none.gguf"}})
    assert found == {"model.gguf": hashlib.sha256(b"weights").hexdigest()}


def test_a_ledger_that_grows_does_not_count(mine: Path) -> None:
    (mine / "ledger.sqlite").write_bytes(b"kept")
    assert sources({"generator": {"memory": {"path": "ledger.sqlite"}}, "memory": {"path": "ledger.sqlite"}}) == {}


def test_a_file_is_read_again_only_when_it_has_changed(mine: Path) -> None:
    file = mine / "model.gguf"
    file.write_bytes(b"one")
    os.utime(file, ns=(1, 1))
    first = file_digest(file)
    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert file_digest(file) == first  # same size, same time: taken to be the same
    os.utime(file, ns=(2, 2))
    assert file_digest(file) == hashlib.sha256(b"two").hexdigest()


def test_a_run_with_another_metric_of_the_users_is_another_run(
    planned: Callable[..., Plan], house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(house)
    metric = house / "my_metric.py"
    marks = []
    for value in ("1.0", "2.0", "1.0"):
        metric.write_text(f"def length(outcome, rulings): return {value}\n")
        marks.append(planned("+metrics.mine.length={_target_: my_metric.length, _partial_: true}").fingerprint)
    assert marks[0] == marks[2] != marks[1]
