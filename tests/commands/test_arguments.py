"""A word that is near to one that there is, is answered with that one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.storage.sweeps import SweptRun, write_sweep
from tests.conftest import Called

Ragsweep = Callable[..., Called]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("corpus accpet", "accept"),
        ("corpus chek", "check"),
        ("judge smaple", "sample"),
        ("ledger stat", "stats"),
        ("ledger exprot", "export"),
        ("corpus import x --to corpora/y --repeated hihgest", "highest"),
    ],
)
def test_a_subcommand_or_choice_that_is_near_is_suggested(ragsweep: Ragsweep, typed: str, wanted: str) -> None:
    called = ragsweep(*typed.split())
    assert called.exit_code == 2
    assert f"Did you mean {wanted}?" in called.err


def test_where_none_is_near_the_choices_are_told(ragsweep: Ragsweep) -> None:
    called = ragsweep("ledger", "zebra")
    assert (called.exit_code, "Did you mean" in called.err) == (2, False)
    assert "there is no 'zebra'. It is one of stats, prune, export" in called.err


@pytest.mark.parametrize("command", ["compare", "report", "safety", "replay"])
@pytest.mark.parametrize(("typed", "wanted"), [("lastest", "latest"), ("first-swep", "first-sweep")])
def test_a_sweep_whose_name_is_near_is_suggested(
    ragsweep: Ragsweep, house: Path, command: str, typed: str, wanted: str
) -> None:
    write_sweep(house / "results", "first-sweep", [SweptRun("runs/x", ())])
    called = ragsweep(command, typed)
    assert called.exit_code == 2
    assert f"Did you mean {wanted}?" in called.err
