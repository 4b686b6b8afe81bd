"""Programs of any shape: agents with tools that run agents, in every way to run one, alone or in steps of a graph."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, RunContext, UnexpectedModelBehavior
from pydantic_graph import GraphBuilder, reduce_list_append

from tests.targets.pydantic_ai.debugging import CALLS, hashed, model


class Verdict(BaseModel):
    """A structured output."""

    says: str
    number: int


@dataclass(frozen=True)
class Shape:
    """One agent."""

    way: str
    """run, iter, run_stream or events."""
    tools: tuple[str, ...]
    """plain, async, retry, failing or agent, in order."""
    structured: bool
    inner: tuple[Shape, ...] = ()
    """The agents of the tools that run one."""


@dataclass(frozen=True)
class Program:
    """Some agents, one after the other, at once, or in the steps of a graph; each goes on with a conversation."""

    how: str
    agents: tuple[Shape, ...]
    turns: int


_ways = st.sampled_from(["run", "iter", "run_stream", "events"])
_kinds = st.lists(st.sampled_from(["plain", "async", "retry", "failing"]), max_size=3).map(tuple)
_leaf = st.builds(Shape, _ways, _kinds, st.booleans())
_agent = _leaf | st.builds(
    lambda leaf, inner: Shape(leaf.way, (*leaf.tools, "agent"), leaf.structured, (inner,)), _leaf, _leaf
)
programs = st.builds(
    Program,
    st.sampled_from(["in turn", "at once", "graph"]),
    st.lists(_agent, min_size=1, max_size=3).map(tuple),
    st.integers(1, 2),
)


async def run_program(program: Program) -> Any:
    """Run it to its end; the result says all that was said."""
    agents = [make_agent(shape, f"agent{number}") for number, shape in enumerate(program.agents)]
    pairs = list(zip(program.agents, agents, strict=True))
    if program.how == "at once":
        return await asyncio.gather(*(converse(s, a, f"go {n}", program.turns) for n, (s, a) in enumerate(pairs)))
    if program.how == "graph":
        return await _graph(program, pairs)
    said = ["go"]
    for shape, agent in pairs:
        said.append(await converse(shape, agent, said[-1], program.turns))
    return said


async def _graph(program: Program, pairs: list[tuple[Shape, Any]]) -> Any:
    steps: Any = GraphBuilder(output_type=list, name="flow")

    async def numbers(_: Any) -> list[int]:
        return list(range(len(pairs)))

    async def work(ctx: Any) -> str:
        shape, agent = pairs[ctx.inputs]
        return await converse(shape, agent, f"step {ctx.inputs}", program.turns)

    async def finish(ctx: Any) -> list[str]:
        return sorted(ctx.inputs)

    first, middle, last = (steps.step(call=function) for function in (numbers, work, finish))
    join = steps.join(reduce_list_append, initial_factory=list)
    steps.add(
        steps.edge_from(steps.start_node).to(first),
        steps.edge_from(first).map().to(middle),
        steps.edge_from(middle).to(join),
        steps.edge_from(join).to(last),
        steps.edge_from(last).to(steps.end_node),
    )
    return await steps.build().run()


async def converse(shape: Shape, agent: Any, prompt: str, turns: int) -> str:
    """Some turns with one agent."""
    history: list[Any] = []
    for _ in range(turns):
        try:
            prompt, history = await ask(shape, agent, prompt, history)
        except (LookupError, UnexpectedModelBehavior) as error:
            prompt = f"failed with {error}"
    return prompt


async def ask(shape: Shape, agent: Any, prompt: str, history: list[Any]) -> tuple[str, list[Any]]:
    """One turn, in the way of its shape."""
    if shape.way == "run":
        done = await agent.run(prompt, message_history=history)
        return str(done.output), done.all_messages()
    if shape.way == "iter":
        async with agent.iter(prompt, message_history=history) as run:
            async for _ in run:
                continue
        return str(run.result.output), run.result.all_messages()
    if shape.way == "run_stream":
        async with agent.run_stream(prompt, message_history=history) as result:
            pieces = [str(piece) async for piece in result.stream_output(debounce_by=None)]
            output = await result.get_output()
        return f"{output} {len(pieces)}", result.all_messages()
    events: list[Any] = []

    async def listen(_: Any, stream: Any) -> None:
        events.extend([type(event).__name__ async for event in stream])

    done = await agent.run(prompt, message_history=history, event_stream_handler=listen)
    return f"{done.output} {hashed(*events)}", done.all_messages()


def make_agent(shape: Shape, name: str) -> Any:
    """An agent with its tools, and the agents that these run."""
    kind: Any = Verdict if shape.structured else str
    agent: Any = Agent(model, name=name, output_type=kind, instructions=f"You are {name}.", retries=3)
    inner = iter(shape.inner)
    for number, tool in enumerate(shape.tools):
        _add(agent, tool, f"{tool}{number}", next(inner) if tool == "agent" else None)
    if shape.structured and shape.way != "run_stream":  # which knows no retries of an output

        def check(ctx: RunContext[None], value: Verdict) -> Verdict:
            if value.number == 0 and ctx.retry == 0:
                raise ModelRetry("another number")
            return value

        agent.output_validator(check)
    return agent


def _add(agent: Any, kind: str, name: str, inner: Shape | None) -> None:
    def plain(what: str) -> str:
        CALLS.append(f"tool {name} {what}")
        return hashed(name, what)

    async def wait(what: str) -> str:
        CALLS.append(f"tool {name} {what}")
        await asyncio.sleep(0)
        return hashed(name, what)

    def retry(ctx: RunContext[None], what: str) -> str:
        CALLS.append(f"tool {name} {what} {ctx.retry}")
        if ctx.retry == 0:
            raise ModelRetry(f"say more than {what}")
        return hashed(name, what, ctx.retry)

    def failing(what: str) -> str:
        CALLS.append(f"tool {name} {what}")
        if int(hashed(what), 16) % 4 == 0:
            raise LookupError(what)
        return hashed(name, what)

    if inner is not None:
        helper = make_agent(inner, f"helper-of-{agent.name}")
        memory: list[Any] = []

        async def delegate(what: str) -> str:
            told, memory[:] = await ask(inner, helper, what, list(memory))
            return told

        agent.tool_plain(delegate, name=name, sequential=True)
    elif kind == "retry":
        agent.tool(retry, name=name)
    else:
        # of two that fail in threads of their own, chance decides which error comes out
        functions = {"plain": plain, "async": wait, "failing": failing}
        agent.tool_plain(functions[kind], name=name, sequential=kind == "failing")
