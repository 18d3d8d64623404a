from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmark.storage.ledger import Ledger
from tests.conftest import Called
from tests.endpoint import Endpoint, serving

Ragsweep = Callable[..., Called]
PARTS = ("corpus=tiny", "embedder=hash", "writer=echo", "judge=none", "tracking=none", "generator=ollama")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as endpoint:
        yield endpoint


@pytest.fixture
def swept(ragsweep: Ragsweep, house: Path, endpoint: Endpoint) -> Ragsweep:
    """The command line, after a sweep of two architectures over the endpoint."""
    model = ("generator.model=tiny", f"generator.base_url={endpoint.url}")
    called = ragsweep("-m", *PARTS, *model, "architecture=bm25,dense", "limit=2")
    assert called.exit_code == 0, called.err
    return ragsweep


def test_a_finished_sweep_replays_without_a_network_to_equal_records(swept: Ragsweep, endpoint: Endpoint) -> None:
    sent = len(endpoint.bodies)
    endpoint.shutdown()
    called = swept("replay")
    assert called.exit_code == 0, called.out
    assert called.out.count("2 questions") == called.out.count(": equal") == 2
    assert len(endpoint.bodies) == sent


def test_a_replay_tells_what_is_not_kept(swept: Ragsweep, house: Path) -> None:
    swept("ledger", "prune", "--model", "tiny", "--yes")
    called = swept("replay")
    assert called.exit_code == 1
    assert "DIFFER" in called.out
    assert "not in the ledger" in called.out


def test_no_network_fails_what_is_not_kept_and_nothing_else(swept: Ragsweep, endpoint: Endpoint) -> None:
    model = ("generator.model=tiny", f"generator.base_url={endpoint.url}", "architecture=bm25", "network=never")
    sent = len(endpoint.bodies)
    called = swept(*PARTS, *model, "limit=3", "seed=7")
    assert called.exit_code == 1
    assert "network=never" in called.out
    assert len(endpoint.bodies) == sent


def test_stats_say_calls_and_tokens_by_model(swept: Ragsweep, endpoint: Endpoint) -> None:
    called = swept("ledger", "stats")
    [row] = [line.split() for line in called.out.splitlines() if line.split()[:1] == ["tiny"]]
    assert row[1:3] == [endpoint.url, str(len(endpoint.bodies))]
    assert "unknown" in row


def test_export_has_the_whole_call(swept: Ragsweep, endpoint: Endpoint) -> None:
    lines = [json.loads(line) for line in swept("ledger", "export").out.splitlines()]
    assert len(lines) == len(endpoint.bodies)
    assert {line["request"]["model"] for line in lines} == {"tiny"}
    assert all(line["completion"]["text"] and line["endpoint"] == endpoint.url for line in lines)


def test_prune_says_what_would_go_before_it_goes(swept: Ragsweep, house: Path) -> None:
    assert "would go" in swept("ledger", "prune", "--before", "2999-01-01").out
    assert swept("ledger", "export").out
    assert swept("ledger", "prune", "--before", "2001-01-01", "--yes").out.startswith("0 entries")
    assert "are gone" in swept("ledger", "prune", "--before", "2999-01-01", "--yes").out
    assert not swept("ledger", "export").out


def test_a_prune_of_nothing_in_particular_is_refused(swept: Ragsweep) -> None:
    assert "--before" in swept("ledger", "prune", "--yes").err
    assert "2026-01-31" in swept("ledger", "prune", "--before", "soon").err


def test_there_is_nothing_to_say_of_no_ledger(ragsweep: Ragsweep, house: Path) -> None:
    called = ragsweep("ledger", "stats")
    assert (called.exit_code, "nothing was kept" in called.err) == (2, True)


def test_what_an_older_version_kept_is_read_and_written(tmp_path: Path) -> None:
    import sqlite3

    file = tmp_path / "l.sqlite"
    old = sqlite3.connect(file)
    old.execute("CREATE TABLE kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
    old.execute("INSERT INTO kept VALUES ('a', x'6f6e65')")
    old.commit()
    old.close()
    ledger = Ledger(file)
    ledger.put("b", b"two")
    made = {entry.key: entry.made for entry in ledger.entries()}
    assert ledger.get("a") == b"one"
    assert made["a"] is None
    assert made["b"] == pytest.approx(time.time(), abs=60)


@pytest.mark.parametrize("broken", ["no database", "cut in the middle"])
def test_a_ledger_that_is_damaged_is_told_and_nothing_is_sent(
    swept: Ragsweep, house: Path, endpoint: Endpoint, broken: str
) -> None:
    content = (house / "results" / "ledger.sqlite").read_bytes()
    damaged = house / "damaged" / "ledger.sqlite"
    damaged.parent.mkdir()
    damaged.write_bytes(b"garbage " * 500 if broken == "no database" else content[:100] + b"\xff" * len(content[100:]))
    sent = len(endpoint.bodies)
    for command in (("stats",), ("export",), ("prune", "--model", "a", "--yes")):
        called = swept("ledger", *command, "--results", "damaged")
        assert called.exit_code == 2
        assert "cannot be used" in called.err
        assert "put a copy in its place" in called.err
    assert len(endpoint.bodies) == sent


def test_a_run_does_not_begin_over_a_ledger_that_is_damaged(
    ragsweep: Ragsweep, house: Path, endpoint: Endpoint
) -> None:
    broken = house / "broken"
    broken.mkdir()
    (broken / "ledger.sqlite").write_bytes(b"garbage " * 500)
    model = ("generator.model=tiny", f"generator.base_url={endpoint.url}")
    called = ragsweep(*PARTS, *model, "architecture=bm25", "results=broken")
    assert called.exit_code == 2
    assert "cannot be used: file is not a database" in called.err
    assert not endpoint.bodies
