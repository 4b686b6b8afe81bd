"""Generated programs: loops, fan-out, nesting, tools, errors, streams; every answer is a hash of what was asked.

A program is a tree of instructions.  What it computes depends on every answer and on the order in which parallel parts
finish, so an error in a replay changes its outcome.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from hypothesis import strategies as st

from outtake_probe.decorators import agent, model, step, tool

Op = Literal["ask", "look", "write", "stream", "fail", "agent", "loop", "fan", "threads", "nest"]


@dataclass(frozen=True)
class Node:
    """One instruction, with the instructions inside it."""

    op: Op
    number: int = 0
    inside: tuple[Node, ...] = ()


leaf = st.builds(Node, st.sampled_from(("ask", "look", "write", "stream", "fail", "nest")), st.integers(0, 2))
tree = st.recursive(
    leaf,
    lambda inner: st.builds(
        Node,
        st.sampled_from(("agent", "loop", "fan")),
        st.integers(1, 3),
        st.lists(inner, min_size=1, max_size=3).map(tuple),
    ),
    max_leaves=8,
)
programs = st.lists(tree, min_size=1, max_size=3).map(tuple)


def answer(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class ToolBroke(Exception):
    """What a tool of these programs raises."""


@dataclass
class World:
    """The outside: counts what is really called."""

    calls: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def happened(self, what: str) -> None:
        with self.lock:
            self.calls[what] += 1


world = World()


@model
async def ask(prompt: str) -> str:
    world.happened("ask")
    await asyncio.sleep(int(answer(prompt), 16) % 3 / 2000)
    return answer(prompt)


@model
async def stream(prompt: str) -> AsyncIterator[str]:
    world.happened("stream")
    for i in range(3):
        await asyncio.sleep(0)
        yield answer(prompt + str(i))[:3]


@tool(effects="read")
async def look(what: str) -> dict[str, str]:
    world.happened("look")
    await asyncio.sleep(0)
    return {"found": answer("look" + what)}


@tool(effects="write")
async def write(what: str) -> str:
    world.happened("write")
    return answer("write" + what)


@tool(effects="pure")
async def nest(what: str) -> str:
    world.happened("nest")
    return await ask("inside " + what)


@tool(effects="read")
async def fail(what: str) -> str:
    world.happened("fail")
    raise ToolBroke(answer("fail" + what))


@agent
async def part(state: str, nodes: tuple[Node, ...]) -> str:
    return await run_all(state, nodes)


@step
async def branch(state: str, node: Node) -> str:
    return await run_one(state, node)


async def run_one(state: str, node: Node) -> str:
    """The state after an instruction."""
    if node.op == "loop":
        for _ in range(node.number):
            state = await run_all(state, node.inside)
        return state
    if node.op == "agent":
        return await part(state, node.inside)
    if node.op == "fan":
        return await _fan(state, node)
    return await _leaf(state, node)


async def run_all(state: str, nodes: tuple[Node, ...]) -> str:
    for node in nodes:
        state = await run_one(state, node)
    return state


async def _fan(state: str, node: Node) -> str:
    """Branches at once, joined in the order in which they finish."""
    finished: list[str] = []

    async def one(i: int, inner: Node) -> None:
        finished.append(await branch(f"{state}/{i}", inner))

    await asyncio.gather(*(one(i, inner) for i, inner in enumerate(node.inside)))
    return answer(" ".join(finished))


async def _leaf(state: str, node: Node) -> str:
    text = f"{state}:{node.number}"
    if node.op == "stream":
        return "".join([piece async for piece in stream(text)])
    if node.op == "fail":
        try:
            return await fail(text)
        except ToolBroke as error:
            return f"{state}!{error}"
    if node.op == "look":
        return str((await look(text))["found"])
    tools = {"ask": ask, "write": write, "nest": nest}
    return await tools[node.op](text)


def run(nodes: tuple[Node, ...]) -> str:
    return asyncio.run(run_all("start", nodes))


# -- the same with threads -------------------------------------------------------------------------------------------


@model
def ask_in_thread(prompt: str) -> str:
    world.happened("ask")
    return answer(prompt)


@tool(effects="read")
def look_in_thread(what: str) -> Iterator[str]:
    world.happened("look")
    yield answer("look" + what)
    yield answer("more" + what)


@step
def threaded(state: str) -> str:
    first = ask_in_thread(state)
    return "".join(look_in_thread(first)) + ask_in_thread(first)


def run_threads(width: int) -> list[str]:
    """Branches in threads of a pool, joined in the order in which they were given."""
    with ThreadPoolExecutor(width) as pool:
        futures = [pool.submit(threaded, f"thread {i}") for i in range(width)]
        results = [future.result() for future in futures]
    return [*results, ask_in_thread(" ".join(results))]
