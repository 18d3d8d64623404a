"""An installed package adds an architecture and a corpus, found by its entry point."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import HOUSE, REPOSITORY
from tests.test_house import NEW_ARCHITECTURE

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "rag-of-theirs"
version = "1.0"

[project.entry-points.ragsweep]
theirs = "rag_of_theirs"
"""
ARCHITECTURE = """\
# ragsweep architecture=first_of_theirs
_target_: rag_of_theirs.first.First
chunker: ${chunker}
reading: ${reading}
"""
CORPUS = """\
# ragsweep corpus=theirs_tiny
_target_: benchmark.storage.corpora.load
name: theirs_tiny
path: theirs_tiny
documents_language: es
language: es
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built from its sources and installed into a folder of its own."""
    folder = tmp_path_factory.mktemp("theirs")
    package = folder / "rag_of_theirs"
    for file, text in {
        folder / "pyproject.toml": PROJECT,
        package / "__init__.py": "",
        package / "first.py": NEW_ARCHITECTURE.lstrip(),
        package / "conf/architecture/first_of_theirs.yaml": ARCHITECTURE,
        package / "conf/architecture/bm25.yaml": ARCHITECTURE,
        package / "conf/corpus/theirs_tiny.yaml": CORPUS,
    }.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    shutil.copytree(HOUSE / "corpora" / "tiny", package / "corpora" / "theirs_tiny")
    target = folder / "installed"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps", "--no-index"]
    options = ["--no-build-isolation", "--target", str(target), str(folder)]
    subprocess.run([*pip, *options], check=True, capture_output=True, text=True)
    return target


def ragsweep(folder: Path, *arguments: str, installed: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(REPOSITORY), str(installed), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "benchmark", *arguments]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_list_shows_what_it_brings_and_from_where(installed: Path, tmp_path: Path) -> None:
    told = ragsweep(tmp_path, "list", installed=installed)
    assert told.returncode == 0, told.stderr
    rows = [line.split(maxsplit=2) for line in told.stdout.splitlines() if line.startswith("  ")]
    assert ["first_of_theirs", "theirs", "ragsweep architecture=first_of_theirs"] in rows
    assert ["theirs_tiny", "theirs", "ragsweep corpus=theirs_tiny"] in rows
    assert [origin for name, origin, *_ in rows if name == "bm25"] == ["bundled", "bundled"]  # it hides none of ours


def test_its_architecture_answers_its_corpus(installed: Path, tmp_path: Path) -> None:
    parts = ["corpus=theirs_tiny", "architecture=first_of_theirs", "generator=extractive_words", "judge=none"]
    ran = ragsweep(tmp_path, *parts, "tracking=none", installed=installed)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "results" / "runs" / "theirs_tiny" / "first_of_theirs").is_dir()


def test_a_package_that_names_what_is_not_there_is_told(tmp_path: Path) -> None:
    record = tmp_path / "installed" / "broken-1.0.dist-info"
    record.mkdir(parents=True)
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    (record / "entry_points.txt").write_text("[ragsweep]\nbroken = no_such_package_of_theirs\n", encoding="utf-8")
    told = ragsweep(tmp_path, "list", installed=tmp_path / "installed")
    assert told.returncode == 2
    assert "pip uninstall broken" in told.stderr
    assert "Traceback" not in told.stderr
