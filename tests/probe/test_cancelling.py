"""Calls that the program takes back, and what it does when some time has passed: the same in every fork."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

import outtake
from outtake_probe.records import InvocationEnded, Json, ValueRead
from outtake_probe.replay.index import ReplayIndex
from tests.probe.inprocess import Log, execute

LONG = 60.0
"""Seconds that nothing here is waited for."""


@outtake.model
async def ask(prompt: str) -> str:
    await asyncio.sleep(0.002)
    return prompt.upper()


@outtake.tool(effects="read")
async def linger(what: str) -> str:
    await asyncio.sleep(LONG)
    return what


@outtake.model
async def tell(prompt: str) -> AsyncGenerator[str, None]:
    for word in prompt.split():
        if word == "wait":
            await asyncio.sleep(LONG)
        await asyncio.sleep(0)
        yield word


@outtake.tool(effects="read")
async def careful(what: str) -> str:
    """Tells how it was left."""
    try:
        return await ask(f"{what} first") + await linger(what)
    except asyncio.CancelledError:
        await ask(f"{what} last")
        raise


@outtake.agent
async def worker(name: str) -> str:
    return await ask(await ask(name))


def timed_out() -> Json:
    async def main() -> Json:
        got = []
        for n in range(3):
            try:
                await asyncio.wait_for(linger(f"look {n}"), 0.02)
            except asyncio.TimeoutError:  # noqa: UP041  this is not the built-in one before Python 3.11
                got.append(await ask(f"timed out {n}"))
        return got

    return asyncio.run(main())


def stream_timed_out() -> Json:
    async def read(into: list[str]) -> None:
        async for word in tell("one two wait three"):
            into.append(word)

    async def main() -> Json:
        got: list[str] = []
        try:
            await asyncio.wait_for(read(got), 0.02)
        except asyncio.TimeoutError:  # noqa: UP041
            got.append(await ask("go on"))
        return got

    return asyncio.run(main())


def stream_left() -> Json:
    async def main() -> Json:
        got = []
        stream = tell("one two three")
        async for word in stream:
            got.append(word)
            break
        await stream.aclose()
        return [*got, await ask("left")]

    return asyncio.run(main())


def first_wins() -> Json:
    async def main() -> Json:
        tasks = {asyncio.create_task(worker("fast")), asyncio.create_task(linger("slow"))}
        done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        return [await ask(task.result()) for task in done]

    return asyncio.run(main())


def cleaned_up() -> Json:
    async def main() -> Json:
        task = asyncio.create_task(careful("here"))
        await worker("other")
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return await ask("after")

    return asyncio.run(main())


def stopped_by_a_timer() -> Json:
    async def main() -> Json:
        stop: list[bool] = []
        asyncio.get_running_loop().call_later(0.05, stop.append, True)
        count = 0
        while not stop:
            await ask(f"round {count}")
            count += 1
        return [count, await ask("the end")]

    return asyncio.run(main())


def stopped_while_looked_after() -> Json:
    async def main() -> Json:
        stop: list[bool] = []

        async def work() -> int:
            count = 0
            while not stop:
                await answered(f"round {count}")
                count += 1
            return count

        asyncio.get_running_loop().call_later(0.05, stop.append, True)
        task, looks = asyncio.create_task(work()), 0
        while not task.done():
            looks += 1
            await asyncio.sleep(0.001)
        return [looks, await ask(f"the end of {task.result()}")]

    @outtake.model
    async def answered(prompt: str) -> str:
        return await asyncio.to_thread(str.upper, prompt)

    return asyncio.run(main())


def stopped_after_a_sleep() -> Json:
    async def main() -> Json:
        going = asyncio.create_task(rounds())
        await asyncio.sleep(0.05)
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        return await ask("the end")

    async def rounds() -> None:
        count = 0
        while True:
            await ask(f"round {count}")
            count += 1

    return asyncio.run(main())


def polled() -> Json:
    async def main() -> Json:
        done: list[str] = []

        async def work() -> None:
            for n in range(5):
                done.append(await worker(f"work {n}"))

        task = asyncio.create_task(work())
        polls = 0
        while len(done) < 3:
            polls += 1
            await asyncio.sleep(0.001)
        seen = await ask(f"seen {len(done)} after {polls}")
        await task
        return [seen, done]

    return asyncio.run(main())


def in_threads() -> Json:
    stop = threading.Event()

    @outtake.model
    def think(prompt: str) -> str:
        time.sleep(0.003)
        return prompt.upper()

    def work() -> None:
        count = 0
        while not stop.is_set():
            think(f"round {count}")
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.05)
    stop.set()
    thread.join()
    return think("the end")


def retried() -> Json:
    async def main() -> Json:
        for n in range(4):
            try:
                return await asyncio.wait_for(careful(f"try {n}") if n < 2 else worker(f"try {n}"), 0.05)
            except asyncio.TimeoutError:  # noqa: UP041
                await asyncio.sleep(0.01 * n)
        return None

    return asyncio.run(main())


def one_in_time() -> Json:
    """Two alike, of which only the second one takes too long."""

    async def limited(what: str) -> str:
        try:
            return await asyncio.wait_for(worker(what) if what == "quick" else linger(what), 0.1)
        except asyncio.TimeoutError:  # noqa: UP041
            return await ask(f"no {what}")

    async def main() -> Json:
        return await asyncio.gather(limited("quick"), limited("slow"))

    return asyncio.run(main())


PROGRAMS = [
    timed_out,
    stream_timed_out,
    stream_left,
    first_wins,
    cleaned_up,
    stopped_by_a_timer,
    stopped_while_looked_after,
    stopped_after_a_sleep,
    polled,
    in_threads,
    retried,
    one_in_time,
]


def outline(log: Log) -> Counter[tuple[Any, ...]]:
    """What happened in a run, without when."""
    return Counter(
        (r.kind, r.component, r.failed, r.interrupted) if isinstance(r, InvocationEnded) else (r.kind, r.component)
        for r in log.records
        if not isinstance(r, ValueRead)
    )


def executed(fork: Log, cut: int) -> list[str]:
    """The models and tools that a fork really called, after its cut."""
    ends = (r for r in fork.records[cut:] if isinstance(r, InvocationEnded) and r.call in ("model", "tool"))
    return [r.component for r in ends if r.how == "executed"]


@pytest.fixture
def given_up(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where replays have gone on without what they waited for."""
    found: list[int] = []
    real = ReplayIndex.give_up

    def give_up(self: ReplayIndex) -> bool:
        found.append(self.pointer)
        return real(self)

    monkeypatch.setattr(ReplayIndex, "give_up", give_up)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_unedited_fork_is_the_same(program: Callable[[], Json], given_up: list[int]) -> None:
    parent = execute(program)
    assert parent.status == "completed"
    step = max(1, len(parent.records) // 12)
    for cut in [*range(0, len(parent.records), step), len(parent.records)]:
        fork = execute(program, parent=parent, cut=cut)
        assert (fork.status, fork.output) == (parent.status, parent.output), f"cut at {cut}"
        assert not executed(fork, cut), f"cut at {cut}"
        assert outline(fork) == outline(parent), f"cut at {cut}"
        assert not given_up, f"cut at {cut} waited for what never came"
