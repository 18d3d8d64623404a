"""Who is let through to an endpoint, and when."""

from __future__ import annotations

import threading
import time

from benchmark.models.endpoints.pacing import Gate


def test_those_who_wait_are_let_in_one_for_one_and_in_their_order() -> None:
    gate, entered = Gate(), []
    gate._enter(1)

    def enter(name: int) -> None:
        with gate.slot(1):
            entered.append(name)

    threads = []
    for name in range(5):
        threads.append(threading.Thread(target=enter, args=(name,)))
        threads[-1].start()
        while len(gate._queue) <= name:
            time.sleep(0.001)
    gate._leave()
    for thread in threads:
        thread.join(5)
    assert (entered, gate._flying, len(gate._queue)) == ([0, 1, 2, 3, 4], 0, 0)


def test_who_brings_a_wider_bound_does_not_wait_for_a_narrow_one() -> None:
    gate, wide = Gate(), threading.Event()

    def narrow() -> None:
        with gate.slot(1):
            pass

    def broad() -> None:
        with gate.slot(2):
            wide.set()

    gate._enter(2)
    gate._enter(2)
    threads = [threading.Thread(target=narrow, daemon=True), threading.Thread(target=broad, daemon=True)]
    threads[0].start()
    while not gate._queue:
        time.sleep(0.001)
    threads[1].start()
    while len(gate._queue) < 2:
        time.sleep(0.001)
    gate._leave()
    assert wide.wait(5)
    gate._leave()
    for thread in threads:
        thread.join(5)
    assert gate._flying == 0
