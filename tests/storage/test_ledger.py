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
from benchmark.storage.ledger import Ledger, Rehearsed, open_ledger
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


def test_what_is_held_in_the_process_follows_what_is_put_and_removed(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.put("key", b"old")
    ledger.put("key", b"new")
    ledger.put("other", b"kept")
    ledger.remove(["other"])
    assert (ledger.get("key"), ledger.get("other")) == (b"new", None)


def test_more_than_the_process_holds_is_read_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmark.storage.ledger._NEAR", 2)
    monkeypatch.setattr("benchmark.storage.ledger._SMALL", 3)
    ledger = Ledger(tmp_path / "l.sqlite")
    values = {"a": b"1", "b": b"long", "c": b"3", "d": b"4"}
    for key, value in values.items():
        ledger.put(key, value)
    assert {key: ledger.get(key) for key in values} == values
    assert len(ledger._near) == 2


def test_reading_where_nothing_is_kept_makes_no_file_and_sees_what_is_put_later(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "l.sqlite"
    ledger = Ledger(file)
    assert ledger.get("key") is None
    assert not list(tmp_path.iterdir())
    Ledger(file).put("key", b"another process's")
    assert ledger.get("key") == b"another process's"


def test_a_key_is_claimed_before_there_is_a_ledger(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "l.sqlite"
    assert Ledger(file).claim("key")
    claiming = (
        "import sys; from benchmark.storage.ledger import Ledger, Path; print(Ledger(Path(sys.argv[1])).claim('key'))"
    )
    other = subprocess.run([sys.executable, "-c", claiming, str(file)], capture_output=True, text=True, check=True)
    assert other.stdout == "False\n"


def test_a_rehearsal_remembers_what_it_made_and_leaves_nothing(tmp_path: Path) -> None:
    rehearsed = Rehearsed(Ledger(tmp_path / "l.sqlite"))
    rehearsed.put("key", b"value")
    assert (rehearsed.get("key"), rehearsed.get("other"), list(tmp_path.iterdir())) == (b"value", None, [])


def test_a_rehearsal_over_a_ledger_that_is_there_reads_and_keeps_as_a_run_does(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.put("kept", b"1")
    rehearsed = Rehearsed(ledger)
    rehearsed.put("made", b"2")
    assert (rehearsed.get("kept"), ledger.get("made")) == (b"1", b"2")


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
