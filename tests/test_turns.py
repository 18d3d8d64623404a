from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from benchmark.turns import as_finished, lend, together, turn, waiting, working


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


def test_what_is_made_while_waiting_is_made_in_turn_up_to_when_it_goes_out() -> None:
    meeting = threading.Barrier(8, timeout=5)
    making = most = 0

    def work(_: int) -> int:
        nonlocal making, most
        with waiting(), working():
            making += 1
            most = max(most, making)
            time.sleep(0.005)
            making -= 1
            lend()
            return meeting.wait()

    assert sorted(as_finished(range(8), work, at_once=8)) == list(range(8))
    assert most == 1


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
    def asked() -> Iterator[int]:
        yield from (0, 1)
        raise KeyboardInterrupt

    def work(item: int) -> int:
        with waiting():
            time.sleep(0.05)
        return item

    came = as_finished(asked(), work, at_once=4)
    assert {next(came), next(came)} == {0, 1}
    with pytest.raises(KeyboardInterrupt):
        next(came)


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
