"""What holds the jobs of a sweep together."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, cast

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from omegaconf import DictConfig, OmegaConf

from benchmark.sweep import ComposedOnce
from tests.conftest import FAKES, Called


class Loader:
    """Composes a configuration that says how many were made before it."""

    def __init__(self) -> None:
        self.made = 0

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        self.made += 1
        return OmegaConf.create({"number": self.made, "overrides": sweep_overrides})


def test_a_job_of_a_sweep_is_composed_once(ragsweep: Callable[..., Called], monkeypatch: pytest.MonkeyPatch) -> None:
    composed: list[Any] = []
    compose = ConfigLoaderImpl.load_sweep_config

    def counting(self: ConfigLoaderImpl, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        composed.append(sweep_overrides)
        return compose(self, master_config, sweep_overrides)

    monkeypatch.setattr(ConfigLoaderImpl, "load_sweep_config", counting)
    called = ragsweep("-m", *FAKES, "judge=none", "limit=1", "k=1,2")
    assert called.exit_code == 0, called.err
    assert [overrides[-1] for overrides in composed] == ["k=1", "k=2"]


def test_no_two_jobs_are_given_the_same_configuration() -> None:
    loader = ComposedOnce(cast(Any, Loader()))
    master = OmegaConf.create({})
    checked = [loader.load_sweep_config(master, ["k=1"]) for _ in range(2)]
    started = [loader.load_sweep_config(master, ["k=1"]) for _ in range(2)]
    assert checked[0] is checked[1]
    assert [config.number for config in started] == [2, 3]


def test_a_job_in_another_process_composes_its_own() -> None:
    loader = ComposedOnce(cast(Any, Loader()))
    loader.load_sweep_config(OmegaConf.create({}), ["k=1"])
    there = pickle.loads(pickle.dumps(loader))
    assert there.load_sweep_config(OmegaConf.create({}), ["k=1"]).number == 2
