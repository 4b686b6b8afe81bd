"""Runs of graphs: each is a flow of its own, but for a graph that is itself a node, which is that node's inside.

`invoke` and `ainvoke` go through `stream` and `astream`, whose generators are what really runs.  While one of them
runs, `here` says which run of which graph this is.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from langgraph.pregel.main import Pregel
from langgraph.types import Command

from outtake_probe.calls import Call, current
from outtake_probe.codec import describe_error, encode
from outtake_probe.gate.enter import before
from outtake_probe.gate.exit import abrupt, after, served_output
from outtake_probe.gate.invoke import NewInput, acall, call
from outtake_probe.gate.pass_state import Passage
from outtake_probe.records import Json
from outtake_probe.session import Session, Stopped
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langgraph.adapter_state import AdapterState
from outtake_probe.targets.langgraph.causality import GraphRun, here, name_of
from outtake_probe.targets.langgraph.node_capture import Visit, visit
from outtake_probe.targets.toolkit.context_variables import aiterate_with, assigned, iterate_with
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path
from outtake_probe.waits import adrive, drive

Method = Callable[..., Any]
Wrap = Callable[[Method], Method]
_ID = re.compile("[0-9a-f]{32}")
_expected: ContextVar[GraphRun | None] = ContextVar("outtake_langgraph_expected", default=None)
"""The run that the next `stream` of its graph is."""


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap the ways to run a graph."""
    wraps = {
        "invoke": _invoke(adapter_state),
        "ainvoke": _ainvoke(adapter_state),
        "stream": _stream(adapter_state),
        "astream": _astream(adapter_state),
    }
    lost = [name for name, wrap in wraps.items() if not patches.wrap(Pregel, name, wrap)]
    return [f"runs of graphs are not shown: Pregel.{name} is not there" for name in lost]


def expecting(place: GraphRun) -> AbstractContextManager[None]:
    """The next run of the place's graph is this one."""
    return assigned(_expected, place)


def _is_expected(graph: Any) -> bool:
    place = _expected.get()
    return place is not None and place.graph is graph


def _path(graph: Any) -> str:
    """Where a graph runs; one that runs inside itself keeps its path."""
    place = here.get()
    while place is not None:
        if place.graph is graph:
            return place.path
        place = place.outer
    return child_path(name_of(graph))


def _modes(kwargs: Mapping[str, Any], default: Any) -> frozenset[str]:
    """What the caller of a run gets to see of it."""
    modes = [kwargs.get("stream_mode") or default or (), kwargs.get("print_mode") or ()]
    found = [mode for each in modes for mode in ([each] if isinstance(each, str) else each)]
    return frozenset([*found, *(["subgraphs"] if kwargs.get("subgraphs") else [])])


# -- invoke ----------------------------------------------------------------------------------------------------------


def _invoke(adapter_state: AdapterState) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def invoke(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
            if _is_expected(self) or _as_node(self) is not None:
                return method(self, input, config, **kwargs)
            place = adapter_state.place(self, _path(self), _modes(kwargs, "values"))
            what = _flow(adapter_state, place, input)

            def run(new: NewInput | None) -> Any:
                with expecting(place):
                    return method(self, _given(input, new), config, **kwargs)

            return call(adapter_state.session, what, run)

        return invoke

    return wrap


def _ainvoke(adapter_state: AdapterState) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def ainvoke(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
            if _is_expected(self) or _as_node(self) is not None:
                return await method(self, input, config, **kwargs)
            place = adapter_state.place(self, _path(self), _modes(kwargs, "values"))
            what = _flow(adapter_state, place, input)

            async def run(new: NewInput | None) -> Any:
                with expecting(place):
                    return await method(self, _given(input, new), config, **kwargs)

            return await acall(adapter_state.session, what, run)

        return ainvoke

    return wrap


def _flow(adapter_state: AdapterState, place: GraphRun, input: Any) -> Call:
    """One run of a graph as an invocation."""
    _lose(place.graph)
    said = {"input": messages.body(input)}
    return Call("flow", place.path, said, _without_ids(input), decode_input=lambda value: value["input"])


def _without_ids(input: Any) -> Json:
    """What names a run that is resumed: answers by the ids of questions, which are new in each run, without these."""
    answers = input.resume if isinstance(input, Command) else None
    if not isinstance(answers, dict) or not all(isinstance(name, str) and _ID.fullmatch(name) for name in answers):
        return None
    return {"input": messages.body(dataclasses.replace(input, resume=list(answers.values())))}


def _given(input: Any, new: NewInput | None) -> Any:
    return input if new is None else messages_from(new.value)


def messages_from(value: Json) -> Any:
    """An input that a person wrote."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return {**value, "messages": messages.coerced(value["messages"])}
    return value


def _as_node(graph: Any) -> Visit | None:
    """The visit of the node that this graph is, if it has not begun to run yet."""
    now = visit.get()
    return now if now is not None and now.node is graph and not now.entered else None


def _lose(graph: Any) -> None:
    """A graph with a checkpointer of its own keeps something from one visit to the next."""
    now = visit.get()
    if now is not None and graph.checkpointer not in (None, False):
        now.lose("a graph inside the node keeps a state of its own")
    if now is not None and "subgraphs" in now.place.streams:
        now.lose("what happens inside the node is streamed to the program as it comes")


# -- stream ----------------------------------------------------------------------------------------------------------


def _stream(adapter_state: AdapterState) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def stream(self: Any, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
            place = _begun(adapter_state, self, kwargs)
            if place is not None:
                return iterate_with(here, place, method(self, input, config, **kwargs))
            place = adapter_state.place(self, _path(self), _modes(kwargs, self.stream_mode))
            what = _flow(adapter_state, place, input)
            return _flowing(
                adapter_state.session, what, place, lambda new: method(self, _given(input, new), config, **kwargs)
            )

        return stream

    return wrap


def _astream(adapter_state: AdapterState) -> Wrap:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def astream(self: Any, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
            place = _begun(adapter_state, self, kwargs)
            if place is not None:
                return aiterate_with(here, place, method(self, input, config, **kwargs))
            place = adapter_state.place(self, _path(self), _modes(kwargs, self.stream_mode))
            what = _flow(adapter_state, place, input)
            return _aflowing(
                adapter_state.session, what, place, lambda new: method(self, _given(input, new), config, **kwargs)
            )

        return astream

    return wrap


def _begun(adapter_state: AdapterState, graph: Any, kwargs: Mapping[str, Any]) -> GraphRun | None:
    """The run that this stream is, where its invocation is there already."""
    expected = _expected.get()
    if expected is not None and expected.graph is graph:
        _expected.set(None)
        return expected
    now = _as_node(graph)
    if now is None:
        return None
    now.entered = True
    _lose(graph)
    return adapter_state.place(graph, now.path, _modes(kwargs, ()))


def _flowing(
    session: Session, what: Call, place: GraphRun, run: Callable[[NewInput | None], Iterator[Any]]
) -> Iterator[Any]:
    """A run whose events are the program's to read: what is recorded is its outcome."""
    passage = drive(before(session, what))
    if passage.verb != "proceed":
        output = drive(served_output(session, passage))
        drive(after(session, passage, output, passage.failed))
        yield what.decode(output)
        return
    source = iterate_with(current, passage.frame, iterate_with(here, place, run(_new(passage))))
    try:
        yield from source
    except GeneratorExit:
        source.close()
        drive(after(session, passage, _outcome(place)))
        raise
    except Exception as error:
        drive(after(session, passage, describe_error(error), failed=True))
        raise
    except BaseException as error:
        _end(session, passage, error)
        raise
    drive(after(session, passage, _outcome(place)))


async def _aflowing(
    session: Session, what: Call, place: GraphRun, run: Callable[[NewInput | None], AsyncIterator[Any]]
) -> AsyncIterator[Any]:
    passage = await adrive(before(session, what))
    if passage.verb != "proceed":
        output = await adrive(served_output(session, passage))
        await adrive(after(session, passage, output, passage.failed))
        yield what.decode(output)
        return
    source = aiterate_with(current, passage.frame, aiterate_with(here, place, run(_new(passage))))
    try:
        async for item in source:
            yield item
    except GeneratorExit:
        await source.aclose()
        for _ in after(session, passage, _outcome(place)):
            continue
        raise
    except Exception as error:
        await adrive(after(session, passage, describe_error(error), failed=True))
        raise
    except BaseException as error:
        _end(session, passage, error)
        raise
    finally:
        del source  # see `outtake_probe.gate.invoke.astream`
    await adrive(after(session, passage, _outcome(place)))


def _new(passage: Passage) -> NewInput | None:
    return NewInput(passage.call.decode_input(passage.input)) if passage.edited else None


def _end(session: Session, passage: Passage, error: BaseException) -> None:
    if not isinstance(error, Stopped):
        abrupt(session, passage, describe_error(error))


def _outcome(place: GraphRun) -> Json:
    """The values that a graph's caller would get, as they are now."""
    names, channels = place.graph.output_channels, place.channels
    found = {
        name: channels[name].get()
        for name in ([names] if isinstance(names, str) else names)
        if name in channels and channels[name].is_available()
    }
    return encode(found.get(names) if isinstance(names, str) else found)
