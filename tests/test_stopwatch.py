"""What a stage costs, whoever came first."""

from __future__ import annotations

import pytest

from benchmark import stopwatch as module
from benchmark.domain import Embedded
from benchmark.stopwatch import credit, off_the_clock, stopwatch


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "perf_counter", clock)
    return clock


def test_a_kept_result_costs_what_it_took_when_it_was_made(clock: Clock) -> None:
    with stopwatch() as watch:
        clock.now += 1
        credit(5)
    assert (watch.seconds, watch.cached) == (6, True)


def test_every_stage_that_runs_learns_what_was_embedded_in_it() -> None:
    first, second = Embedded(1, 3, 0.5), Embedded(1, None, None)
    with stopwatch() as outer:
        credit(0, embedded=[first])
        with stopwatch() as inner:
            credit(0, embedded=[second])
    assert (outer.embedded, inner.embedded) == ([first, second], [second])


def test_what_is_done_once_in_a_process_counts_for_no_stage(clock: Clock) -> None:
    with stopwatch() as outer, stopwatch() as inner:
        clock.now += 1
        with off_the_clock():
            clock.now += 30
            with off_the_clock():
                clock.now += 3
            credit(7)
        clock.now += 2
    assert (outer.seconds, inner.seconds, outer.cached) == (3, 3, False)


def test_an_error_off_the_clock_leaves_the_clock_right(clock: Clock) -> None:
    def load() -> None:
        clock.now += 30
        raise OSError("no file")

    with stopwatch() as watch, pytest.raises(OSError, match="no file"), off_the_clock():
        load()
    assert watch.seconds == 0
