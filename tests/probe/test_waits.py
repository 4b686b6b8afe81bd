"""Waiting: whoever waits is told once, whichever of the threads is first."""

from __future__ import annotations

import threading
from collections import Counter

from outtake_probe.waits import Wait

BOUND = 30.0


def test_whoever_waits_is_told_once_whichever_thread_is_first() -> None:
    for _ in range(200):
        wait, told, start = Wait(), Counter[int](), threading.Barrier(6)

        def ask(who: int, wait: Wait = wait, told: Counter[int] = told, start: threading.Barrier = start) -> None:
            start.wait(BOUND)
            for at in range(5):
                wait.then(lambda at=at: told.update([10 * who + at]))  # type: ignore[misc]

        def answer(wait: Wait = wait, start: threading.Barrier = start) -> None:
            start.wait(BOUND)
            wait.set()

        threads = [threading.Thread(target=ask, args=[who]) for who in range(4)]
        threads += [threading.Thread(target=answer) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(BOUND)
        assert told == {10 * who + at: 1 for who in range(4) for at in range(5)}


def test_a_thread_waits_until_it_is_set() -> None:
    wait, passed = Wait(), threading.Event()

    def go() -> None:
        wait.block()
        passed.set()

    thread = threading.Thread(target=go)
    thread.start()
    assert not passed.is_set()
    wait.set()
    assert passed.wait(BOUND)
    thread.join(BOUND)
    wait.block()  # now, as it is set already
    wait.set()
