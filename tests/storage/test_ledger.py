from __future__ import annotations

import threading
from pathlib import Path

import pytest

from benchmark.storage.ledger import Ledger, open_ledger


def test_what_was_put_is_got_by_another_reader(tmp_path: Path) -> None:
    Ledger(tmp_path / "l.sqlite").put("key", b"value")
    assert Ledger(tmp_path / "l.sqlite").get("key") == b"value"


def test_what_was_not_put_is_none(tmp_path: Path) -> None:
    assert Ledger(tmp_path / "l.sqlite").get("key") is None


def test_nothing_is_on_disk_before_the_first_use(tmp_path: Path) -> None:
    Ledger(tmp_path / "deep" / "l.sqlite")
    assert not list(tmp_path.iterdir())


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    threads = [threading.Thread(target=ledger.put, args=(str(i), bytes([i]))) for i in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [ledger.get(str(i)) for i in range(40)] == [bytes([i]) for i in range(40)]


def test_one_relative_path_in_two_folders_is_two_ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    for name in ("a", "b", "a"):
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        opened.append(open_ledger("results/ledger.sqlite"))
    assert [ledger.path.parent.parent.name for ledger in opened] == ["a", "b", "a"]
    assert opened[0] is opened[2]
