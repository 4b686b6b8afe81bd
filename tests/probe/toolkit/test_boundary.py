"""Boundaries: a wrapped method passes the gate in each flavour; an edit reaches its arguments, a record replaces it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from outtake_probe.attached import active
from outtake_probe.calls import Call, nested
from outtake_probe.edits import Edit
from outtake_probe.records import InvocationStarted
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from tests.probe.inprocess import Log, execute

happened: list[str] = []


def _work(text: str, times: int) -> str:
    happened.append(f"{text} {times}")
    return text * times


class Tool:
    name = "look"

    def call(self, text: str, *, times: int = 1) -> str:
        return _work(text, times)

    async def acall(self, text: str, *, times: int = 1) -> str:
        return _work(text, times)

    def stream(self, text: str, *, times: int = 1) -> Iterator[str]:
        yield from _work(text, times)

    async def astream(self, text: str, *, times: int = 1) -> AsyncIterator[str]:
        for letter in _work(text, times):
            yield letter


def describe(_method: Method, tool: Tool, text: str, *, times: int = 1) -> Bound | None:
    if text == "inner":
        return None
    call = Call("tool", nested(tool.name), {"text": text, "times": times}, effects="read")
    return Bound(call, lambda new: ((tool, new["text"]), {"times": new["times"]}), lambda: happened.append("replaced"))


@contextmanager
def around() -> Iterator[None]:
    happened.append("in")
    yield
    happened.append("out")


async def _gather(pieces: AsyncIterator[str]) -> str:
    return "".join([piece async for piece in pieces])


FLAVOURS: dict[str, Callable[..., str]] = {
    "call": lambda *args, **kwargs: Tool().call(*args, **kwargs),
    "acall": lambda *args, **kwargs: asyncio.run(Tool().acall(*args, **kwargs)),
    "stream": lambda *args, **kwargs: "".join(Tool().stream(*args, **kwargs)),
    "astream": lambda *args, **kwargs: asyncio.run(_gather(Tool().astream(*args, **kwargs))),
}


def go(flavour: str, text: str = "ab", **options: Any) -> Log:
    """One call of the wrapped method, with what happened in `happened`."""
    happened.clear()

    def hooked() -> str:
        session, patches = active(), Patches()
        assert session is not None
        boundary = Boundary(lambda: session, describe, around)
        assert patches.wrap(Tool, flavour, getattr(boundary, flavour))
        try:
            return FLAVOURS[flavour](text, times=2)
        finally:
            patches.undo()

    return execute(hooked, **options)


@pytest.fixture(params=FLAVOURS)
def flavour(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def _tool(log: Log) -> InvocationStarted:
    (found,) = (r for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool")
    return found


def test_a_call_is_an_invocation(flavour: str) -> None:
    log = go(flavour)
    assert (log.status, log.output, happened) == ("completed", "abab", ["in", "ab 2", "out"])
    assert (_tool(log).component, log.body(_tool(log).body)) == ("main/look", {"text": "ab", "times": 2})


def test_a_recorded_result_replaces_the_call(flavour: str) -> None:
    parent = go(flavour)
    fork = go(flavour, parent=parent, cut=len(parent.records))
    assert (fork.output, happened) == ("abab", ["in", "out", "replaced"])


def test_an_edited_input_becomes_its_arguments(flavour: str) -> None:
    parent = go(flavour)
    at = _tool(parent).seq
    edit = Edit(op="replace_input", seq=at, component="main/look", call="tool", value={"text": "c", "times": 3})
    fork = go(flavour, parent=parent, cut=at, edits=[edit])
    assert (fork.output, happened) == ("ccc", ["in", "c 3", "out"])


def test_a_call_that_is_no_invocation_passes(flavour: str) -> None:
    log = go(flavour, "inner")
    assert (log.output, happened) == ("innerinner", ["inner 2"])
    assert not [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "tool"]
