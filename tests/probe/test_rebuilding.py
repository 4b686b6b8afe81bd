"""Tools that keep something of what happens inside them: a fork executes them again, with the calls inside served."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import outtake
from outtake_probe.edits import Edit
from outtake_probe.records import Effects, InvocationEnded, InvocationStarted, Json, Noted
from tests.probe.inprocess import Log, execute

ASKED: list[str] = []
PROMPTS = {"greeting": "hello"}


@outtake.model
def ask(prompt: str) -> str:
    ASKED.append(prompt)
    return f"answer to {len(prompt)}"


def helper() -> Callable[[str], str]:
    """An agent with a memory, as a tool that closes over it."""
    memory: list[str] = []

    @outtake.tool
    def helper(question: str) -> str:
        memory.append(question)
        memory.append(ask(" | ".join(memory)))
        return memory[-1]

    return helper


class Desk:
    """An agent with a memory, as a tool that is a method."""

    def __init__(self) -> None:
        self.memory: list[str] = []

    @outtake.tool
    def helper(self, question: str) -> str:
        self.memory.append(question)
        self.memory.append(ask(" | ".join(self.memory)))
        return self.memory[-1]


class Counting:
    """A memory of one number, beside the tool."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = 0


def counting() -> Callable[[str], str]:
    seen = Counting()

    @outtake.tool
    def helper(question: str) -> str:
        seen.asked += 1
        return ask(f"{question} {seen.asked}")

    return helper


def given() -> Callable[[str], str]:
    """A tool that is given the memory that it fills."""
    memory: list[str] = []

    @outtake.tool
    def helper(question: str, memory: list[str]) -> str:
        memory.append(question)
        memory.append(ask(" | ".join(memory)))
        return memory[-1]

    return lambda question: helper(question, memory)


def in_pieces() -> Callable[[str], str]:
    memory: list[str] = []

    @outtake.tool
    def helper(question: str) -> Iterator[str]:
        memory.append(question)
        memory.append(ask(" | ".join(memory)))
        yield from memory[-1]

    return lambda question: "".join(helper(question))


def thrice(make: Callable[[], Callable[[str], str]]) -> Callable[[], Json]:
    def program() -> Json:
        use = make()
        return [use(question) for question in ("one", "two", "three")]

    return program


def tools(log: Log) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool"]


def ended(log: Log) -> list[InvocationEnded]:
    return [r for r in log.records if isinstance(r, InvocationEnded) and r.call == "tool"]


def executed(fork: Log, cut: int) -> list[str]:
    """The kinds of model and tool calls that a fork executed, in the order of their ends."""
    own = [r for r in fork.records[cut:] if isinstance(r, InvocationEnded) and r.how == "executed"]
    return [r.call for r in own if r.call in ("model", "tool")]


def notes(log: Log, type: str) -> list[str]:
    return [r.component for r in log.records if isinstance(r, Noted) and r.type == type]


def third(parent: Log, **options: Any) -> dict[str, Any]:
    """What makes a fork in which the third use is asked something else."""
    use = tools(parent)[2]
    value = {**parent.body(use.body), "question": "four"}
    return {"parent": parent, "cut": use.seq, "edits": [Edit(op="replace_input", seq=use.seq, value=value)], **options}


@pytest.mark.parametrize("make", [helper, lambda: Desk().helper, counting, given, in_pieces])
def test_the_third_use_finds_what_the_first_two_left(make: Callable[[], Callable[[str], str]]) -> None:
    program = thrice(make)
    parent = execute(program)
    plainly = list(ASKED[-3:])
    assert [r.keeps for r in ended(parent)] == [True] * 3
    ASKED.clear()
    fork = execute(program, **third(parent))
    assert fork.status == "completed"
    assert [prompt.replace("four", "three") for prompt in ASKED] == plainly[2:]
    assert executed(fork, tools(parent)[2].seq) == ["model", "tool"]


@pytest.mark.parametrize("make", [helper, lambda: Desk().helper, counting, given, in_pieces])
def test_unedited_forks_call_no_model(make: Callable[[], Callable[[str], str]]) -> None:
    program = thrice(make)
    parent = execute(program)
    ASKED.clear()
    for cut in range(len(parent.records) + 1):
        fork = execute(program, parent=parent, cut=cut, repeat="serve")
        assert (fork.status, fork.output, ASKED) == ("completed", parent.output, []), cut
        assert not executed(fork, cut), cut


def test_what_keeps_nothing_is_served(tmp_path: Path) -> None:
    file = tmp_path / "sent.txt"

    @outtake.tool
    def send(topic: str) -> str:
        text = ask(PROMPTS["greeting"] + topic)
        with file.open("a") as out:
            out.write(f"{text}\n")
        return text

    program = thrice(lambda: send)
    parent = execute(program)
    assert [r.keeps for r in ended(parent)] == [False] * 3
    sent = file.read_text()
    for cut in range(len(parent.records) + 1):
        assert execute(program, parent=parent, cut=cut, repeat="serve").output == parent.output
    assert file.read_text() == sent


@pytest.mark.parametrize("effects", ["pure", "read", "write", "irreversible"])
def test_what_declares_its_effects_is_served_as_a_whole(effects: Effects) -> None:
    ran: list[str] = []

    def program() -> Json:
        memory: list[str] = []

        @outtake.tool(effects=effects)
        def helper(question: str) -> str:
            ran.append(question)
            memory.append(ask(" ".join([*memory, question])))
            return memory[-1]

        return [helper(question) for question in ("one", "two", "three")]

    parent = execute(program)
    ran.clear()
    fork = execute(program, **third(parent, repeat="run"))
    assert (fork.status, ran) == ("completed", ["four"])
    told = [] if effects in ("pure", "read") else ["main/helper"]
    assert (notes(fork, "not_rebuilt"), notes(fork, "rebuilt")) == (told, [])


def test_a_function_that_is_executed_again_is_told_once(tmp_path: Path) -> None:
    program = thrice(helper)
    parent = execute(program)
    fork = execute(program, **third(parent))
    assert notes(fork, "rebuilt") == ["main/helper"]
    assert not notes(parent, "rebuilt")


def test_before_the_cut_the_recorded_result_counts() -> None:
    ticks = iter(range(1000))

    def program() -> Json:
        memory: list[str] = []

        @outtake.tool
        def helper(question: str) -> str:
            memory.append(ask(question))
            return f"{memory[-1]} at {next(ticks)}"

        return [ask(helper("one")), ask(helper("two"))]

    parent = execute(program)
    fork = execute(program, parent=parent, repeat="serve")
    assert (fork.status, fork.output) == ("completed", parent.output)


def test_what_fails_when_it_is_executed_again_gives_what_is_recorded(tmp_path: Path) -> None:
    def program() -> Json:
        memory: list[str] = []

        @outtake.tool
        def build(question: str) -> str:
            memory.append(ask(question))
            (tmp_path / question).mkdir()
            return memory[-1]

        return [build("one"), build("two")]

    parent = execute(program)
    fork = execute(program, parent=parent, repeat="serve")
    assert (fork.status, fork.output) == ("completed", parent.output)


def test_what_is_around_a_tool_that_keeps_something_is_executed_again() -> None:
    memory: list[str] = []

    @outtake.tool
    def inner(question: str) -> str:
        memory.append(ask(" ".join([*memory, question])))
        return memory[-1]

    @outtake.tool
    def outer(question: str) -> str:
        return inner(question)

    def program() -> Json:
        memory.clear()
        return [outer(question) for question in ("one", "two", "three")]

    parent = execute(program)
    ASKED.clear()
    starts = [r for r in tools(parent) if r.component == "main/outer"]
    edit = Edit(op="replace_input", seq=starts[2].seq, value={"question": "four"})
    execute(program, parent=parent, cut=starts[2].seq, edits=[edit])
    assert len(ASKED) == 1
    assert len(ASKED[0].split()) == 3 * 2 + 1


def test_coroutines_and_threads_rebuild_what_they_keep() -> None:
    lock = threading.Lock()

    def program() -> Json:
        memory: list[str] = []

        @outtake.tool
        async def helper(question: str) -> str:
            with lock:
                memory.append(question)
            memory.append(await asyncio.to_thread(partial(ask, " ".join(memory))))
            return memory[-1]

        @outtake.tool
        async def told(question: str) -> AsyncIterator[str]:
            yield await helper(question)

        async def run() -> Json:
            return [await helper("one"), [piece async for piece in told("two")], await helper("three")]

        return asyncio.run(run())

    parent = execute(program)
    ASKED.clear()
    use = tools(parent)[-1]
    edit = Edit(op="replace_input", seq=use.seq, value={"question": "four"})
    fork = execute(program, parent=parent, cut=use.seq, edits=[edit])
    assert (fork.status, len(ASKED)) == ("completed", 1)
    assert ASKED[0].startswith("one answer to 3 two ")
    for cut in range(len(parent.records) + 1):
        ASKED.clear()
        assert (execute(program, parent=parent, cut=cut).output, ASKED) == (parent.output, []), cut
