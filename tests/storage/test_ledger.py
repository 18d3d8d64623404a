from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from benchmark.domain import UserError
from benchmark.storage.ledger import Ledger, open_ledger
from tests.endpoint import hangs, serving


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


ASKING = """
import sys
from pathlib import Path
from benchmark.domain import Prompt
from benchmark.models.endpoints.chat import ChatModel
from benchmark.storage.ledger import Ledger
model = ChatModel(name="m", model="m", base_url=sys.argv[1], memory=Ledger(Path(sys.argv[2])))
print(model.complete(Prompt("", "Why?")).text)
"""


def asking(url: str, file: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", ASKING, url, str(file)], stdout=subprocess.PIPE, text=True)


def test_processes_that_want_the_same_at_once_send_it_once(tmp_path: Path) -> None:
    with serving(lambda _: "Because.", latency=3.0) as endpoint:
        both = [asking(endpoint.url, tmp_path / "l.sqlite") for _ in range(2)]
        assert [process.communicate(timeout=60)[0] for process in both] == ["Because.\n"] * 2
        assert len(endpoint.bodies) == 1


def test_who_waits_for_a_process_that_is_killed_asks_itself(tmp_path: Path) -> None:
    with serving(lambda _: "Because.") as endpoint:
        endpoint.script.append(hangs(60))
        first = asking(endpoint.url, tmp_path / "l.sqlite")
        while not endpoint.bodies:
            time.sleep(0.02)
        second = asking(endpoint.url, tmp_path / "l.sqlite")
        with pytest.raises(subprocess.TimeoutExpired):
            second.communicate(timeout=3)
        first.kill()
        assert second.communicate(timeout=60)[0] == "Because.\n"
        first.communicate()
        assert len(endpoint.bodies) == 2


def test_a_ledger_in_a_folder_that_is_read_alone_is_read_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger(tmp_path / "ledger.sqlite").put("a", b"1")
    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    monkeypatch.setattr(os, "access", lambda *_: False)  # who is root may write wherever the mode forbids it
    read_only = Ledger(tmp_path / "ledger.sqlite")
    assert read_only.get("a") == b"1"
    assert [entry.key for entry in read_only.entries()] == ["a"]
    with pytest.raises(UserError, match="readonly database"):
        read_only.put("b", b"2")
