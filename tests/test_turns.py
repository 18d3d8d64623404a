from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest

from benchmark import turns
from benchmark.domain import Embedded
from benchmark.stopwatch import credit, stopwatch
from benchmark.turns import as_finished, outlasting, resting, together, turn, waiting


def test_local_work_is_done_by_one_thread_at_a_time() -> None:
    within = most = 0

    def work(_: int) -> None:
        nonlocal within, most
        within += 1
        most = max(most, within)
        time.sleep(0.01)
        within -= 1

    list(as_finished(range(8), work, at_once=8))
    assert most == 1


def test_waiting_goes_on_side_by_side() -> None:
    meeting = threading.Barrier(8, timeout=5)

    def work(_: int) -> int:
        with waiting():
            return meeting.wait()

    assert sorted(as_finished(range(8), work, at_once=8)) == list(range(8))


def test_calls_of_many_items_go_on_side_by_side_in_few_threads() -> None:
    lock = threading.Lock()
    within = most = 0

    def call(number: int) -> int:
        nonlocal within, most
        with waiting():
            with lock:
                within += 1
                most = max(most, within)
            time.sleep(0.02)
            with lock:
                within -= 1
        return number

    def work(item: int) -> list[int]:
        parts = [lambda: call(0), lambda: sum(together([partial(call, item), partial(call, 1)], at_once=6))]
        return together(parts, at_once=6)

    before = threading.active_count()
    assert sorted(as_finished(range(12), work, at_once=6)) == [[0, item + 1] for item in range(12)]
    assert most >= 6
    assert threading.active_count() <= before + 12


def test_the_last_item_has_help_from_those_that_are_through() -> None:
    meeting = threading.Barrier(4, timeout=5)

    def call() -> int:
        with waiting():
            return meeting.wait()

    def work(_: int) -> list[int]:
        return together([call] * 4, at_once=4)

    assert [sorted(found) for found in as_finished([1], work, at_once=4)] == [[0, 1, 2, 3]]


def test_who_waits_for_another_thread_does_not_keep_its_place() -> None:
    come = threading.Event()

    def waits() -> bool:
        with resting():
            return come.wait(5)

    def calls() -> bool:
        come.set()
        return True

    def work(_: int) -> list[bool]:
        return together([waits, waits, calls], at_once=2)

    assert list(as_finished([1], work, at_once=2)) == [[True, True, True]]


def test_the_first_error_in_order_goes_up_after_the_others_are_made() -> None:
    made: list[int] = []

    def call(number: int) -> None:
        made.append(number)
        if number:
            raise ValueError(str(number))

    for at_once in (2, 8):
        made.clear()
        with pytest.raises(ValueError, match="1"):
            list(as_finished([0], lambda _: together([partial(call, n) for n in range(4)], at_once=8), at_once=at_once))
        assert sorted(made) == [0, 1, 2, 3]


def test_a_stop_keeps_the_calls_in_flight_and_begins_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def call(number: int) -> None:
        with waiting():
            time.sleep(0.2)
            made.append(number)

    def interrupted(*_: object) -> bool:
        monkeypatch.undo()
        time.sleep(0.05)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Event, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        together([partial(call, number) for number in range(9)], at_once=3)
    time.sleep(0.3)
    assert sorted(made) == [0, 1, 2]


def test_results_come_as_they_are_finished_and_together_keeps_the_order() -> None:
    def slow(seconds: float) -> float:
        with waiting():
            time.sleep(seconds)
        return seconds

    assert list(as_finished([0.2, 0.0], slow, at_once=2)) == [0.0, 0.2]
    assert together([lambda: slow(0.2), lambda: slow(0.0)], at_once=2) == [0.2, 0.0]


def test_an_error_ends_the_work_after_what_is_in_flight() -> None:
    begun: list[int] = []

    def work(item: int) -> int:
        begun.append(item)
        if item == 0:
            raise ValueError("no")
        with waiting():
            time.sleep(0.1)
        return item

    with pytest.raises(ValueError, match="no"):
        list(as_finished(range(100), work, at_once=3))
    assert len(begun) < 10


def test_what_is_in_flight_at_a_stop_still_comes() -> None:
    begun = threading.Barrier(3, timeout=5)

    def asked() -> Iterator[int]:
        yield from (0, 1)
        begun.wait()
        raise KeyboardInterrupt

    def work(item: int) -> int:
        with waiting():
            begun.wait()
            time.sleep(0.05)
        return item

    came = as_finished(asked(), work, at_once=4)
    assert {next(came), next(came)} == {0, 1}
    with pytest.raises(KeyboardInterrupt):
        next(came)


def test_who_is_stopped_while_it_reads_the_results_loses_no_call_and_begins_no_other() -> None:
    """Ctrl-C while a record is written: the error is raised outside the work, which hears of it by being closed."""
    begun: list[int] = []
    made: list[int] = []

    def work(item: int) -> int:
        for call in range(3):
            with waiting():
                begun.append(10 * item + call)
                time.sleep(0.0 if item == 0 else 0.2)
                made.append(10 * item + call)
        return item

    def read() -> None:
        with closing(as_finished(range(100), work, at_once=4)) as came:
            next(came)
            time.sleep(0.05)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read()
    in_flight = [call for call in begun if call >= 10]
    assert in_flight
    assert set(in_flight) <= set(made)
    time.sleep(0.3)
    assert sorted(begun) == sorted(made)
    assert len(in_flight) <= 4


def test_what_is_left_behind_at_a_stop_asks_for_nothing_more_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "GRACE", 0.05)
    begun, late, over = threading.Event(), threading.Event(), threading.Event()
    asked_for: list[int] = []

    def items() -> Iterator[int]:
        yield 0
        begun.wait(5)
        raise KeyboardInterrupt

    def work(item: int) -> int:
        try:
            begun.set()
            with waiting():
                late.wait(5)
            with waiting():
                asked_for.append(item)
        finally:
            over.set()
        return item

    with pytest.raises(KeyboardInterrupt):
        list(as_finished(items(), work, at_once=2))
    late.set()
    assert over.wait(5)
    assert not asked_for


def test_a_call_of_the_main_thread_outlasts_a_stop_within_the_grace() -> None:
    made: list[int] = []

    def call() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
        made.append(1)

    with pytest.raises(KeyboardInterrupt):
        outlasting(call)
    assert made == [1]


def test_an_error_of_a_call_that_outlasts_stops_goes_up() -> None:
    with pytest.raises(ZeroDivisionError):
        outlasting(lambda: 1 / 0)
    assert outlasting(lambda: 3) == 3


def test_a_stop_does_not_wait_for_what_hangs() -> None:
    def asked() -> Iterator[int]:
        yield 0
        raise KeyboardInterrupt

    def work(_: int) -> None:
        with waiting():
            time.sleep(5)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(as_finished(asked(), work, at_once=2))
    assert time.monotonic() - began < 2


def test_a_turn_is_got_back_after_waiting() -> None:
    with turn(), waiting(), turn():
        pass


def test_nothing_more_is_asked_for_once_the_work_is_stopped() -> None:
    asked_for: list[int] = []
    under_way = threading.Barrier(3, timeout=5)

    def items() -> Iterator[int]:
        yield from (0, 1)
        under_way.wait()
        raise KeyboardInterrupt

    def work(item: int) -> int:
        with waiting():
            under_way.wait()
            time.sleep(0.1)
        for number in range(100):
            with waiting():
                asked_for.append(number)
                time.sleep(0.01)
        return item

    with pytest.raises(KeyboardInterrupt):
        list(as_finished(items(), work, at_once=2))
    assert not asked_for


def test_a_thread_of_another_library_does_not_wait_for_the_turn_of_who_waits_for_it() -> None:
    got: list[list[int]] = []

    def work(_: int) -> bool:
        branch = threading.Thread(target=lambda: got.append(together([lambda: 1, lambda: 2], at_once=2)), daemon=True)
        branch.start()
        branch.join(timeout=5)  # as a chain does that runs its branches in threads; the turn is not given away
        return branch.is_alive()

    assert list(as_finished([0], work, at_once=1)) == [False]
    assert got == [[1, 2]]


@pytest.mark.parametrize("at_once", [1, 4])
def test_what_calls_at_once_embed_is_told_to_who_waits_for_them(at_once: int) -> None:
    parts = [Embedded(1, place, 0.25 * place) for place in range(4)]
    with stopwatch() as watch:
        together([partial(credit, 0.0, embedded=[part]) for part in parts], at_once=at_once)
    assert watch.embedded == parts
