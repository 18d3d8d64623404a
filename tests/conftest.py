"""What many tests stand on: a small house of a user's, and the command line inside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from benchmark.config import Plan, introduce, plan
from benchmark.storage.places import bundled

REPOSITORY = Path(__file__).parent.parent
HOUSE = Path(__file__).parent / "house"
FAKES = ("corpus=tiny", "embedder=hash", "generator=echo", "writer=echo", "tracking=none")


@dataclass(frozen=True)
class Called:
    """How a call of the command line ended."""

    exit_code: int
    out: str
    err: str


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a user with a corpus and fakes of their own."""
    folder = tmp_path / "house"
    shutil.copytree(HOUSE, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def planned(house: Path) -> Callable[..., Plan]:
    """A plan by overrides, over the tiny corpus and the fakes."""

    def planned(*overrides: str, fakes: Sequence[str] = FAKES) -> Plan:
        introduce()
        GlobalHydra.instance().clear()
        with initialize_config_dir(str(bundled("conf")), version_base="1.3"):
            config = compose("config", [*fakes, *overrides])
        named = dict(override.split("=", 1) for override in (*fakes, *overrides))
        return plan(config, {"architecture": "bm25", "generator": "echo", **named})

    return planned


@pytest.fixture
def ragsweep(house: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Called]:
    """The command line in this process, in the user's folder."""
    from benchmark.__main__ import main

    def call(*arguments: str) -> Called:
        GlobalHydra.instance().clear()
        for ours in ("RAGSWEEP_PARENT_RUN", "RAGSWEEP_REFUSED", "RAGSWEEP_SCRATCH", "HYDRA_FULL_ERROR"):
            monkeypatch.setenv(ours, "")  # so that it is taken back after the test
            monkeypatch.delenv(ours)
        monkeypatch.setattr("sys.argv", ["ragsweep", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return Called(int(ended.value.code or 0), out, err)

    return call
