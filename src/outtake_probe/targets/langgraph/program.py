"""How a graph that a factory made is run: to its end, through the questions that it asks a person."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from langgraph.types import Command

from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.base import Program
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langgraph import execution_mode, graphs, outputs
from outtake_probe.targets.langgraph.adapter_state import CONF, AdapterState
from outtake_probe.targets.langgraph.causality import name_of
from outtake_probe.targets.langgraph.memory_saver import Keeper
from outtake_probe.targets.langgraph.target import GraphTarget
from outtake_probe.targets.langgraph.waiting import UPDATE, Reply, question

_NO_MODES: frozenset[str] = frozenset()
_nothing: tuple[int, ...] = ()


def make_program(made: Any, adapter_state: AdapterState, target: GraphTarget) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    graph = made.compile() if is_builder(made) else made
    kept = graph.checkpointer is None
    if kept:
        graph = graph.copy({"checkpointer": Keeper()})
    name = name_of(graph)
    target.adopt(name, graph)
    run = _Run(adapter_state, target, graph, name, kept)
    return Program(run.run, target, name)


def is_builder(made: object) -> bool:
    """Whether this is a state graph that is not compiled yet; its module may still be being imported."""
    return any((cls.__module__, cls.__name__) == ("langgraph.graph.state", "StateGraph") for cls in type(made).__mro__)


class _Run:
    """One graph, on one thread of its checkpointer: what is sent to it afterwards goes on there."""

    def __init__(self, adapter_state: AdapterState, target: GraphTarget, graph: Any, name: str, kept: bool) -> None:
        self._adapter_state = adapter_state
        self._target = target
        self._graph = graph
        self._name = name
        # an id that a fork does not share: a checkpointer on disk holds what its parent left there
        self._config = {CONF: {"thread_id": f"outtake-{secrets.token_hex(8)}"}}
        self._options = {"durability": "exit"} if kept else {}
        self._is_sync = execution_mode.wanted(graph)

    async def run(self, given: Json) -> Json:
        """Run it to its end; while it waits for a person, so does this."""
        todo, cause = input_from(self._graph, given), _nothing
        while True:
            result = await self._go(todo, cause)
            asked = await self._asked()
            if asked is None:
                return encode(_without_questions(result))
            said = await self._target.answer_queue.next(self._name, asked)
            while said.type == UPDATE:
                await self._update(said)
                said = await self._target.answer_queue.next(self._name, asked)
            todo = None if asked == _STOPPED and said.value is None else Command(resume=decode(said.value))
            cause = (said.number,)

    async def _go(self, todo: Any, cause: tuple[int, ...]) -> Any:
        place = self._adapter_state.place(self._graph, self._name, _NO_MODES, cause)
        with graphs.expecting(place):
            if self._is_sync:
                return await asyncio.to_thread(self._graph.invoke, todo, self._config, **self._options)
            return await self._graph.ainvoke(todo, self._config, **self._options)

    async def _asked(self) -> Json:
        """What the graph waits for: questions, or to be let go on; None where it came to its end."""
        state = await self._call("get_state", self._config)
        asked = [interrupt for task in state.tasks for interrupt in task.interrupts]
        if asked:
            return encode(question(asked))
        return _STOPPED if state.next else None

    async def _update(self, said: Reply) -> None:
        values, node = said.value["values"], said.value.get("as_node")
        await self._call("update_state", self._config, decode(values), node)

    async def _call(self, name: str, *args: Any) -> Any:
        if self._is_sync:
            return await asyncio.to_thread(getattr(self._graph, name), *args)
        return await getattr(self._graph, f"a{name}")(*args)


_STOPPED = "stopped before its next step, as it was compiled or asked to; an answer of null lets it go on"


def _without_questions(result: Any) -> Any:
    if isinstance(result, dict):
        return {name: value for name, value in result.items() if name != "__interrupt__"}
    return result


def input_from(graph: Any, given: Json) -> Any:
    """A graph's input of a person's: an object, or the text of the only thing that it takes.  Raises `BadValue`."""
    builder = getattr(graph, "builder", None)
    if builder is None:
        return decode(given)
    names = [name for name in builder.schemas[builder.input_schema] if name != "__root__"]
    if not names:
        return decode(given)
    if given is None:
        return {}
    if not isinstance(given, dict):
        if "messages" in names:
            given = {"messages": [given]}
        elif len(names) == 1:
            given = {names[0]: given}
        else:
            raise BadValue(f"the input has {', '.join(names)}: give an object", graph.get_input_jsonschema())
    unknown = [name for name in given if name not in names]
    if unknown:
        known = ", ".join(names)
        raise BadValue(f"the graph takes no {unknown[0]!r}; it takes {known}", outputs.state_schema(graph))
    return {name: _value(name, value) for name, value in given.items()}


def _value(name: str, value: Json) -> Any:
    return messages.coerced(value) if name == "messages" else decode(value)
