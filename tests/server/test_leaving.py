"""A question whose client hangs up is given up."""

from __future__ import annotations

import asyncio
import threading
import time

from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

from outtake.server.leaving import Leaving
from outtake.store.giving_up import GivenUp, check

BOUND = 20.0


def answered(method: str, *, hangs_up: bool) -> str:
    """What becomes of a request that takes as long as somebody wants it, `BOUND` seconds at most."""
    outcome: list[str] = []
    working = threading.Event()

    def work() -> None:
        until = time.monotonic() + (BOUND if hangs_up and method == "GET" else 0.2)
        working.set()
        try:
            while time.monotonic() < until:
                check()
        except GivenUp:
            outcome.append("given up")
            raise
        outcome.append("done")

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await run_in_threadpool(work)

    async def receive() -> Message:
        await run_in_threadpool(working.wait, BOUND)
        if hangs_up:
            return {"type": "http.disconnect"}
        await asyncio.Event().wait()
        raise AssertionError

    async def send(_message: Message) -> None: ...

    asyncio.run(Leaving(app)({"type": "http", "method": method}, receive, send))
    return outcome[0]


def test_a_question_ends_when_its_client_is_gone() -> None:
    assert answered("GET", hangs_up=True) == "given up"


def test_what_is_still_wanted_is_done() -> None:
    assert answered("GET", hangs_up=False) == "done"


def test_a_command_is_done_to_its_end() -> None:
    assert answered("POST", hangs_up=True) == "done"
