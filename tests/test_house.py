"""What guards the whole house: floors, the configuration tree, the wheel, and that a newcomer can add to it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from benchmark.commands.listing import choices
from benchmark.config import introduce
from benchmark.storage.runs import run_folders
from tests.conftest import FAKES, REPOSITORY, Called

Ragsweep = Callable[..., Called]
CONFIGURED = sorted((REPOSITORY / "conf").rglob("*.yaml"))
COMPOSED = [file for file in CONFIGURED if file.parent.name != "gate"]  # a policy is no part of a run
CODE = [file for folder in ("architectures", "benchmark") for file in sorted((REPOSITORY / folder).rglob("*.py"))]


def command_of(file: Path) -> str:
    """The command that a configuration file's first lines give."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines()[:3] if line.startswith("# ragsweep")]
    assert lines, f"{file.name} does not open with the command that uses it"
    return lines[0].removeprefix("# ragsweep").split("  ")[0].strip()


@pytest.mark.parametrize("file", COMPOSED, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_every_configuration_composes_by_the_command_it_opens_with(file: Path) -> None:
    introduce()
    GlobalHydra.instance().clear()
    overrides = [override.strip("'") for override in command_of(file).split()]
    with initialize_config_dir(str(REPOSITORY / "conf"), version_base="1.3"):
        compose("config", overrides)


def test_imports_only_point_down() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([linter], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("file", CODE, ids=lambda file: str(file.relative_to(REPOSITORY)))
def test_a_file_says_one_thing_and_its_first_line_says_it(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith('"""')
    assert len(lines) <= 400


def test_help_loads_nothing_heavy() -> None:
    asked = "import sys; sys.argv = ['ragsweep', '--help']\nfrom benchmark.__main__ import main\n"
    code = asked + "try: main()\nexcept SystemExit: pass\n"
    heavy = "print([m for m in ('hydra', 'numpy', 'mlflow', 'faiss', 'pandas', 'bm25s') if m in sys.modules])"
    ended = subprocess.run(
        [sys.executable, "-c", code + heavy], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


NEW_ARCHITECTURE = '''
"""The first passages of the corpus, whatever was asked."""

from dataclasses import dataclass

from benchmark.domain import Chunker, Hit
from benchmark.pipelines import Reading, RetrieveThenRead, chunked


@dataclass(frozen=True, kw_only=True)
class First:
    chunker: Chunker
    reading: Reading

    def build(self, documents, generator):
        return RetrieveThenRead(InOrder(chunked(documents, self.chunker)), generator, self.reading)


@dataclass(frozen=True)
class InOrder:
    chunks: list

    def search(self, query, k):
        return tuple(Hit(chunk, 0.0) for chunk in self.chunks if chunk.tenant in (None, query.tenant))[:k]
'''
NEW_YAML = """\
# ragsweep architecture=first
_target_: architectures.first.First
chunker: ${chunker}
reading: ${reading}
"""


def test_one_file_and_one_yaml_add_an_architecture(ragsweep: Ragsweep, house: Path) -> None:
    (house / "architectures").mkdir()
    (house / "architectures" / "first.py").write_text(NEW_ARCHITECTURE, encoding="utf-8")
    (house / "conf" / "architecture").mkdir()
    (house / "conf" / "architecture" / "first.yaml").write_text(NEW_YAML, encoding="utf-8")
    called = ragsweep("-m", *FAKES, "judge=none", "architecture=bm25,first")
    assert called.exit_code == 0, called.err
    assert re.search(r"^ *first ", called.out, re.MULTILINE)
    assert choices()["architecture"]["first"] == ("yours", "ragsweep architecture=first")


def test_contributing_shows_that_architecture_as_it_is_tested() -> None:
    told = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert NEW_ARCHITECTURE.strip() in told
    assert NEW_YAML.strip() in told


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree and installed apart from it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(REPOSITORY)]
    subprocess.run([*pip, *build], check=True, capture_output=True, text=True)
    [wheel] = folder.glob("ragsweep-*.whl")
    target = folder / "installed"
    install = ["install", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run([*pip, *install], check=True, capture_output=True, text=True)
    return target


def test_the_wheel_runs_a_sweep_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    sweep = ["-m", "architecture=bm25,random_passages", "generator=extractive_words", "judge=none", "limit=3"]
    command = [sys.executable, "-m", "benchmark", *sweep]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "bm25" in ended.stdout
    assert len(run_folders(tmp_path)) == 2
    assert {file.name for file in tmp_path.iterdir()} == {"results"}


def test_the_wheel_carries_the_configuration_and_the_corpora(installed: Path) -> None:
    inside = {file.relative_to(REPOSITORY / "conf") for file in CONFIGURED}
    assert inside == {
        file.relative_to(installed / "benchmark/conf") for file in (installed / "benchmark/conf").rglob("*.yaml")
    }
    assert (installed / "benchmark" / "corpora" / "obstetrics" / "questions.jsonl").is_file()
