"""Threads that wait for each other leave the cores to others."""

from __future__ import annotations

import os

import pytest

from benchmark.models.openmp import SPINS, share_cores


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_threads_wait_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    share_cores()
    assert os.environ["GOMP_SPINCOUNT"] == str(SPINS)
    monkeypatch.delenv("GOMP_SPINCOUNT")


def test_what_the_user_set_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    share_cores()
    assert os.environ["GOMP_SPINCOUNT"] == "7"


def test_a_policy_of_the_users_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    share_cores()
    assert "GOMP_SPINCOUNT" not in os.environ
