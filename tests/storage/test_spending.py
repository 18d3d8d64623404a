"""What processes of one sweep spend together."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from benchmark.storage.spending import Amounts, SharedBook
from tests.conftest import REPOSITORY

ONE = (1, 10, 5, 0.25, 0)


def test_users_of_one_book_never_hold_more_than_is_allowed_together(tmp_path: Path) -> None:
    books = [SharedBook(tmp_path / "book.sqlite") for _ in range(2)]  # each with a connection of its own, as processes
    held: list[int] = []

    def spend(book: SharedBook) -> None:
        while True:
            number, in_flight = book.hold("m", ONE, lambda sums: sums[0] + 1 <= 20)
            if number is None and not in_flight:
                return
            if number is not None:
                held.append(number)
                book.settle(number, (1, 8, 2, 0.125, 0))

    threads = [threading.Thread(target=spend, args=(book,)) for book in books for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(held) == 20
    assert books[0].by_model(expected=False) == {"m": (20.0, 160.0, 40.0, 2.5, 0.0)}


def test_what_is_in_flight_counts_at_its_most(tmp_path: Path) -> None:
    book = SharedBook(tmp_path / "book.sqlite")
    seen: list[Amounts] = []

    def allows(sums: Amounts) -> bool:
        seen.append(sums)
        return len(seen) < 2

    number, _ = book.hold("m", ONE, allows)
    assert book.hold("m", ONE, allows) == (None, True)
    assert number is not None
    book.settle(number, (1, 8, 2, 0.125, 0))
    assert book.hold("m", ONE, allows) == (None, False)
    assert seen == [(0, 0, 0, 0, 0), ONE, (1, 8, 2, 0.125, 0)]


def test_what_a_process_that_died_had_in_flight_is_spent(tmp_path: Path) -> None:
    path = tmp_path / "book.sqlite"
    code = (
        "from pathlib import Path\nfrom benchmark.storage.spending import SharedBook\n"
        f"SharedBook(Path({str(path)!r})).hold('m', {ONE}, lambda _: True)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=True)
    assert SharedBook(path).hold("m", ONE, lambda sums: sums[0] < 1) == (None, False)
    assert SharedBook(path).by_model(expected=False) == {"m": ONE}


def test_a_call_is_expected_once_whoever_expects_it(tmp_path: Path) -> None:
    for key in ("a", "b", "a"):
        SharedBook(tmp_path / "book.sqlite").expect("m", key, ONE)
    assert SharedBook(tmp_path / "book.sqlite").by_model(expected=True) == {"m": (2.0, 20.0, 10.0, 0.5, 0.0)}
