"""What many tests stand on: a small house of a user's, and the command line inside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from benchmark.config import Plan, introduce, plan
from benchmark.storage import tracking
from benchmark.storage.places import bundled

if TYPE_CHECKING:
    from mlflow import MlflowClient

REPOSITORY = Path(__file__).parent.parent
HOUSE = Path(__file__).parent / "house"
FAKES = ("corpus=tiny", "embedder=hash", "generator=echo", "writer=echo", "tracking=none")


@dataclass(frozen=True)
class Called:
    """How a call of the command line ended."""

    exit_code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def _no_power_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written need not wait for the disk: a process that is killed loses nothing by it, and no test unplugs."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(autouse=True)
def _migrated_once(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A fresh database of MLflow is a copy of one that it made: its migrations take more than a second each time.

    Calls in a process of their own still make theirs.
    """
    opened = tracking._client

    def client(uri: str) -> MlflowClient:
        place = Path(uri.removeprefix("sqlite:///"))
        if uri.startswith("sqlite:///") and place.parent.is_dir() and not place.exists():
            made = tmp_path_factory.getbasetemp() / "migrated.db"
            if not made.exists():
                opened(f"sqlite:///{made}").search_experiments()
                with closing(sqlite3.connect(made)) as database:
                    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what its log still holds
            shutil.copyfile(made, place)
        return opened(uri)

    monkeypatch.setattr(tracking, "_client", client)


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
