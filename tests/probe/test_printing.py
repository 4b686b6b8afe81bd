"""What is printed inside of what a fork serves is printed again, in place; what its own code prints, is not twice."""

from __future__ import annotations

import asyncio
import io
import logging
import random
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import outtake
from outtake_probe import nondeterminism, printing, thread_context
from outtake_probe.attached import active
from outtake_probe.edits import Edit
from outtake_probe.records import STREAMS, Json, Noted
from outtake_probe.replay.scheduler import STALL
from tests.probe.inprocess import Log, execute


def run(program: Callable[[], Json], **options: Any) -> tuple[Log, str, str]:
    """Execute a program, and give what it wrote to standard output and error."""
    out, err = io.StringIO(), io.StringIO()
    real = sys.stdout, sys.stderr

    def seen() -> Json:
        session = active()
        assert session is not None
        take_out = printing.install(session)
        thread_context.install()
        try:
            return program()
        finally:
            thread_context.remove()
            take_out()

    sys.stdout, sys.stderr = out, err
    try:
        log = execute(seen, **options)
    finally:
        sys.stdout, sys.stderr = real
    return log, out.getvalue(), err.getvalue()


def printed(log: Log) -> str:
    """What the record says that was printed."""
    return "".join(log.body(r.body) for r in log.records if isinstance(r, Noted) and r.type in STREAMS)


@outtake.model
def ask(prompt: str) -> str:
    print("asking", end=" ")
    sys.stdout.write(f"{prompt}\n")
    return prompt.upper()


@outtake.tool
def look(what: str) -> str:
    print(f"looking at {what}")
    logging.getLogger("look").warning("careful with %s", what)
    answer = ask(what)
    print(f"found {answer}")
    return answer


@outtake.step(effects="pure")
def gather(what: str) -> str:
    sys.stdout.writelines(["gather\n", "look\n"])
    found = look(what)
    print("gathered", found, file=sys.stderr)
    return found


@outtake.agent
def writer(what: str) -> str:
    print("writer begins")
    answer = ask(gather(what))
    print("writer ends")
    return answer


def plain() -> Json:
    print("main")
    return [writer("birds"), writer("bees")]


def in_pieces() -> Json:
    @outtake.model
    def tell(prompt: str) -> Iterator[str]:
        print("begin")
        for word in prompt.split():
            print(f"[{word}]")
            yield word
        print("end")

    got = []
    for word in tell("one two three"):
        print("got", word)
        got.append(word)
    return got


def in_async_pieces() -> Json:
    @outtake.model
    async def tell(prompt: str) -> AsyncIterator[str]:
        print("begin")
        for word in prompt.split():
            print(f"[{word}]")
            yield word
        print("end")

    async def run() -> Json:
        got = []
        async for word in tell("one two three"):
            print("got", word)
            got.append(word)
        return got

    return asyncio.run(run())


def at_once() -> Json:
    """Parallel calls whose lines are mixed."""
    order = random.Random(7)

    @outtake.tool
    async def count(name: str) -> str:
        for number in range(4):
            print(name, number)
            for _ in range(order.randrange(3)):
                await asyncio.sleep(0)
            await tick(f"{name}{number}")
        return name

    @outtake.tool(effects="read")
    async def tick(what: str) -> str:
        print("tick", what)
        await asyncio.sleep(0)
        return what

    async def run() -> Json:
        return await asyncio.gather(*(count(name) for name in "abc"))

    return asyncio.run(run())


def in_threads() -> Json:
    first, second = threading.Event(), threading.Event()

    @outtake.tool
    def left() -> str:
        print("left 1")
        first.set()
        assert second.wait(10)
        print("left 2")
        return "left"

    @outtake.tool
    def right() -> str:
        assert first.wait(10)
        thread = threading.Thread(target=lambda: print("right 1"))
        thread.start()
        thread.join()
        ask("turn")
        second.set()
        return "right"

    with ThreadPoolExecutor(2) as pool:
        return [each.result() for each in (pool.submit(left), pool.submit(right))]


def in_steps() -> Json:
    """Parallel steps that are executed again where the cut lies inside them."""

    @outtake.step(effects="read")
    async def count(name: str) -> str:
        for number in range(3):
            print(name, number)
            await asyncio.sleep(0)
            await tick(f"{name}{number}")
        print("end of", name)
        return name

    @outtake.model
    async def tick(what: str) -> str:
        await asyncio.sleep(0)
        return what

    async def run() -> Json:
        return await asyncio.gather(*(count(name) for name in "abc"))

    return asyncio.run(run())


def beside_a_listener() -> Json:
    """A task prints between the gates while a person in a thread, and a service on the loop, take their time."""
    heard = threading.Event()

    @outtake.tool(effects="read")
    def person() -> str:
        assert heard.wait(10)
        print("yes or no?")
        return "yes"

    @outtake.tool(effects="read")
    async def service() -> str:
        while not heard.is_set():  # noqa: ASYNC110  nothing on the loop tells of it
            await asyncio.sleep(0)
        print("serving")
        return "no"

    async def run() -> Json:
        said: asyncio.Queue[str] = asyncio.Queue()

        async def listen() -> None:
            while True:
                text = await said.get()
                for _ in range(4):
                    await asyncio.sleep(0)
                print("heard", text)
                heard.set()

        async def say(text: str) -> None:
            heard.clear()
            said.put_nowait(text)

        listening = asyncio.create_task(listen())
        answers = []
        for number in range(3):
            await say(f"question {number}")
            answers.append(await asyncio.to_thread(person))
            await say(f"request {number}")
            answers.append(await service())
        listening.cancel()
        return [*answers]

    return asyncio.run(run())


def of_what_prints_otherwise() -> Json:
    """What it prints is longer or shorter each time, or not there."""
    TIMES.append(1)

    @outtake.step(effects="read")
    async def count(name: str) -> str:
        print(name, "x" * (len(TIMES) * 7 % 11))
        await tick(name)
        if len(TIMES) % 2:
            print("sometimes")
        return name

    @outtake.model
    async def tick(what: str) -> str:
        print("-" * len(TIMES))
        return what

    async def run() -> Json:
        return await asyncio.gather(*(count(name) for name in "abc"))

    return asyncio.run(run())


TIMES: list[int] = []
PROGRAMS = [in_steps, plain, in_pieces, in_async_pieces, at_once, in_threads, beside_a_listener]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_unedited_fork_prints_the_same(program: Callable[[], Json]) -> None:
    parent, out, err = run(program)
    assert out
    for cut in range(len(parent.records) + 1):
        fork, *told = run(program, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, *told) == ("completed", parent.output, out, err), cut


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fork_records_what_it_prints_like_its_parent(program: Callable[[], Json]) -> None:
    parent, out, err = run(program)
    for cut in range(0, len(parent.records) + 1, 3):
        fork, *_ = run(program, parent=parent, cut=cut, repeat="serve")
        assert sorted(printed(fork).splitlines()) == sorted(printed(parent).splitlines()), cut
        again, *told = run(program, parent=fork, cut=cut, repeat="serve")
        assert (again.status, *told) == ("completed", out, err), cut


def test_what_prints_otherwise_is_waited_for_by_nobody() -> None:
    parent, *_ = run(of_what_prints_otherwise)
    begin = time.monotonic()
    for cut in range(len(parent.records) + 1):
        fork, *_ = run(of_what_prints_otherwise, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output) == ("completed", parent.output), cut
    assert time.monotonic() - begin < STALL * len(parent.records) / 4


def test_only_what_may_be_served_is_written_down() -> None:
    parent, out, _ = run(plain)
    assert "main" in out
    assert "writer begins" in out
    assert "main" not in printed(parent)
    assert "writer" not in printed(parent)
    assert len([r for r in parent.records if isinstance(r, Noted)]) < 30


def test_a_mocked_call_prints_nothing() -> None:
    parent, out, _ = run(plain)
    first = next(r for r in parent.records if r.component.endswith("look"))
    _, told, _ = run(plain, parent=parent, cut=first.seq, edits=[Edit(op="mock_output", seq=first.seq, value="x")])
    assert "looking at birds" not in told
    assert "looking at bees" in told
    assert told.count("gather\n") == out.count("gather\n")


def test_a_tool_that_is_executed_again_prints_once() -> None:
    def program() -> Json:
        memory: list[str] = []

        @outtake.tool
        def helper(what: str) -> str:
            print("helper", what)
            memory.append(ask(what))
            print("remembers", len(memory))
            return memory[-1]

        return [helper("one"), helper("two")]

    parent, out, _ = run(program)
    for cut in range(len(parent.records) + 1):
        fork, told, _ = run(program, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, told) == ("completed", out), cut


def test_the_prompt_of_a_served_question_is_printed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def program() -> Json:
        session = active()
        assert session is not None
        take_out = nondeterminism.install_input(session, "inherit")
        try:
            return [input("name? "), input("age? ")]
        finally:
            take_out()

    monkeypatch.setattr("sys.stdin", io.StringIO("ann\n7\n"))
    parent, out, _ = run(program)
    assert (parent.output, out) == (["ann", "7"], "name? age? ")
    fork, told, _ = run(program, parent=parent)
    assert (fork.output, told) == (parent.output, out)
