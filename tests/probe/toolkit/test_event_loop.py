"""Commands on the program's event loop: from other threads, from the loop itself, and while the program is busy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.targets.toolkit.event_loop import perform_on

BOUND = 30.0
"""Seconds after which a test that waits for an event has failed."""


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread of its own."""
    made = asyncio.new_event_loop()
    running = threading.Event()
    made.call_soon(running.set)
    thread = threading.Thread(target=made.run_forever)
    thread.start()
    assert running.wait(BOUND)
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join(BOUND)
    made.close()


def test_it_is_called_in_the_thread_of_the_loop(loop: asyncio.AbstractEventLoop) -> None:
    assert perform_on(loop, threading.get_ident) != threading.get_ident()


def test_what_it_raises_is_raised_where_it_was_asked_for(loop: asyncio.AbstractEventLoop) -> None:
    def refuse() -> None:
        raise TimeoutError("of the program's own")

    with pytest.raises(TimeoutError, match="of the program's own"):
        perform_on(loop, refuse)


def test_on_the_loop_itself_it_is_called_at_once(loop: asyncio.AbstractEventLoop) -> None:
    async def command() -> int:
        result: int = perform_on(loop, threading.get_ident, timeout=0)
        return result

    assert asyncio.run_coroutine_threadsafe(command(), loop).result(BOUND) != threading.get_ident()


def test_without_a_running_loop_it_is_called_at_once() -> None:
    assert perform_on(None, threading.get_ident) == threading.get_ident()
    idle = asyncio.new_event_loop()
    assert perform_on(idle, threading.get_ident) == threading.get_ident()
    idle.close()
    assert perform_on(idle, threading.get_ident) == threading.get_ident()


def test_a_busy_program_is_not_changed_later(loop: asyncio.AbstractEventLoop) -> None:
    is_busy, go, calls = threading.Event(), threading.Event(), list[str]()

    def block() -> None:
        is_busy.set()
        go.wait(BOUND)

    loop.call_soon_threadsafe(block)
    assert is_busy.wait(BOUND)
    with pytest.raises(BadValue, match="the program is busy"):
        perform_on(loop, lambda: calls.append("late"), timeout=0)
    go.set()
    perform_on(loop, lambda: calls.append("next"))
    assert calls == ["next"]
