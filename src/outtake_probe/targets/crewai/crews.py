"""Crews: their kickoff is a flow, in it tasks, in these turns of agents, whichever way they are run.

A turn is an agent's work on a task, also on one that a colleague delegates; an agent that tries again after an error is
still in the same turn.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from crewai.agent.core import Agent
from crewai.agents.agent_builder.base_agent import BaseAgent
from crewai.crew import Crew
from crewai.crews.crew_output import CrewOutput
from crewai.task import Task
from crewai.tasks.task_output import TaskOutput

from outtake_probe.calls import Call, current
from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.crewai.adapter_state import AdapterState, agent_name, runnable_name
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path
from outtake_probe.waits import on_loop

expected: ContextVar[Any] = ContextVar("outtake_crewai_expected", default=None)
"""The crew or flow whose run is an invocation already: that of the program."""


def install(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap the ways to run a crew, a task and an agent."""
    kickoffs = Boundary(lambda: shared.session, functools.partial(_kickoff, shared))
    tasks = Boundary(lambda: shared.session, functools.partial(_task, shared))
    turns = Boundary(lambda: shared.session, functools.partial(_turn, shared))
    alone = Boundary(lambda: shared.session, functools.partial(_alone, shared))
    places = {
        "runs of crews": (Crew, {"kickoff": kickoffs.call, "akickoff": kickoffs.acall}),
        "tasks": (Task, {"_execute_core": tasks.call, "_aexecute_core": tasks.acall}),
        "agents without a crew": (Agent, {"kickoff": alone.call, "kickoff_async": alone.acall}),
    }
    lost = []
    for what, (cls, wraps) in places.items():
        lost += [
            f"{what} are not seen: {cls.__name__}.{name} is not there"
            for name, wrap in wraps.items()
            if not patches.wrap(cls, name, wrap)
        ]
    patches.family(BaseAgent, {"execute_task": turns.call, "aexecute_task": turns.acall})
    patches.wrap(Task, "_execute_task_async", _settled)
    return lost


def _settled(method: Method) -> Method:
    """Who waits for a task in a thread of its own hears of it, too, when the debugger ends it."""

    @functools.wraps(method)
    def _execute_task_async(self: Any, agent: Any, context: Any, tools: Any, future: Any) -> None:
        try:
            method(self, agent, context, tools, future)
        except BaseException as error:
            future.set_exception(error)
            raise

    return _execute_task_async


# -- crews -----------------------------------------------------------------------------------------------------------


def _kickoff(
    shared: AdapterState, method: Method, crew: Any, inputs: Any = None, *args: Any, **kwargs: Any
) -> Bound | None:
    if crew.stream:
        return None  # it is called again, in a thread that does the work
    if expected.get() is crew:
        return None
    path = child_path(runnable_name(crew))
    shared.adopt(crew, path)
    shared.begins(path)
    given: dict[str, Json] = {"inputs": encode(inputs)}
    call = Call(
        "flow",
        path,
        given,
        encode=crew_result,
        decode=lambda value: CrewOutput(raw=str(value), tasks_output=[], token_usage={}),
        normalize=lambda _, value: merge_arguments(path, given, value),
    )
    return Bound(call, lambda new: ((crew, new["inputs"], *args), kwargs))


def crew_result(result: Any) -> Json:
    """What a crew's author would call its result."""
    if not isinstance(result, CrewOutput):
        return encode(result)
    if result.pydantic is not None:
        return encode(result.pydantic)
    return encode(result.json_dict) if result.json_dict is not None else result.raw


# -- tasks -----------------------------------------------------------------------------------------------------------


def _task(shared: AdapterState, method: Method, task: Any, *arguments: Any) -> Bound | None:
    agent, context, tools = arguments
    who = agent or task.agent
    path = shared.task_path(task, who)
    given = _about(task, context)
    if who is not None:
        given["agent"] = agent_name(who)
    call = Call(
        "task",
        path,
        given,
        encode=_task_json,
        decode=functools.partial(_task_output, task, who),
        normalize=lambda _, value: merge_arguments(path, given, value),
        normalize_output=_task_value,
    )

    def rebind(new: Mapping[str, Any]) -> Any:
        _assign(task, new)
        return (task, agent, new["context"], tools), {}

    return Bound(call, rebind, finish=lambda output: _done(task, who, output))


def _done(task: Any, agent: Any, output: Any) -> Any:
    """A task that the record or an edit answers has its output, too."""
    if task.output is not output:
        task.agent = agent
        task.output = output
    return output


def _about(task: Any, context: Any) -> dict[str, Json]:
    return {
        "description": str(task.description),
        "expected_output": str(task.expected_output),
        "context": encode(context),
    }


def _assign(task: Any, new: Mapping[str, Any]) -> None:
    task.description, task.expected_output = new["description"], new["expected_output"]


def _task_json(output: Any) -> Json:
    told: dict[str, Json] = {"raw": output.raw, "agent": output.agent}
    if output.pydantic is not None:
        told["pydantic"] = encode(output.pydantic)
    if output.json_dict is not None:
        told["json_dict"] = encode(output.json_dict)
    return told


def _task_value(value: Json) -> Json:
    if isinstance(value, str):
        return {"raw": value}
    if not (isinstance(value, dict) and isinstance(value.get("raw"), str)):
        raise BadValue('the output of a task is a text, or an object with the text in "raw"')
    return value


def _task_output(task: Any, agent: Any, value: Json) -> Any:
    return TaskOutput(
        name=task.name or task.description,
        description=task.description,
        expected_output=task.expected_output,
        raw=value["raw"],
        pydantic=decode(value.get("pydantic")),
        json_dict=decode(value.get("json_dict")),
        agent=value.get("agent") or getattr(agent, "role", ""),
        output_format=task._get_output_format(),
    )


# -- agents ----------------------------------------------------------------------------------------------------------


def _turn(shared: AdapterState, method: Method, agent: Any, task: Any, *args: Any, **kwargs: Any) -> Bound | None:
    path = shared.agent_path(agent)
    frame = current.get()
    if frame is not None and frame.kind == "agent" and frame.component == path:
        return None
    given = _about(task, args[0] if args else kwargs.get("context"))
    call = Call(
        "agent",
        path,
        given,
        type=type(agent).__name__,
        normalize=lambda _, value: merge_arguments(path, given, value),
    )

    def rebind(new: Mapping[str, Any]) -> Any:
        _assign(task, new)
        if args:
            return (agent, task, new["context"], *args[1:]), kwargs
        return (agent, task), {**kwargs, "context": new["context"]}

    return Bound(call, rebind)


def _alone(shared: AdapterState, method: Method, agent: Any, messages: Any, *args: Any, **kwargs: Any) -> Bound | None:
    if method.__name__ == "kickoff" and on_loop():
        return None  # there it only makes a coroutine
    path = shared.agent_path(agent)
    frame = current.get()
    if expected.get() is agent or (frame is not None and frame.kind == "agent" and frame.component == path):
        return None
    shared.adopt(agent, path)
    shared.begins(path)
    given: dict[str, Json] = {"messages": encode(messages)}
    call = Call(
        "agent",
        path,
        given,
        type=type(agent).__name__,
        normalize=lambda _, value: merge_arguments(path, given, value),
    )
    return Bound(call, lambda new: ((agent, new["messages"], *args), kwargs))
