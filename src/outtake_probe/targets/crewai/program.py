"""How a crew, a flow or an agent that a factory made is run, and how its input is given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from crewai.agent.core import Agent
from crewai.crew import Crew
from crewai.flow.flow import Flow

from outtake_probe.codec import decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.base import Program
from outtake_probe.targets.crewai.adapter_state import AdapterState, agent_name, runnable_name
from outtake_probe.targets.crewai.crews import crew_result, expected
from outtake_probe.targets.crewai.target import CrewTarget
from outtake_probe.targets.toolkit.context_variables import assigned


@dataclass(frozen=True, slots=True)
class Project:
    """A crew that was read from a project's file, with the inputs that stand there."""

    path: str
    crew: Crew
    inputs: dict[str, Any] = field(default_factory=dict)


def is_runnable(made: object) -> bool:
    """Whether this can be run: a crew, a flow, an agent, what a class with `@CrewBase` makes, or a project."""
    return isinstance(made, (Crew, Flow, Agent, Project)) or _is_crew_base(made)


def _is_crew_base(made: object) -> bool:
    return bool(getattr(type(made), "is_crew_class", False)) and callable(getattr(made, "crew", None))


def make_program(made: Any, shared: AdapterState, target: CrewTarget) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    inputs: dict[str, Any] = {}
    if isinstance(made, Project):
        shared.files.add_project(made.path)
        made, inputs = made.crew, made.inputs
    runnable = made.crew() if _is_crew_base(made) else made
    name = agent_name(runnable) if isinstance(runnable, Agent) else runnable_name(runnable)
    shared.adopt(runnable, name)
    return Program(_running(shared, name, runnable, inputs), target, name)


def _running(
    shared: AdapterState, path: str, runnable: Any, inputs: dict[str, Any]
) -> Callable[[Json], Awaitable[Json]]:
    async def run(given: Json) -> Json:
        shared.begins(path)
        with assigned(expected, runnable):
            if isinstance(runnable, Crew):
                result = await asyncio.to_thread(runnable.kickoff, crew_inputs(runnable, given, inputs))
                return crew_result(_read(result))
            if isinstance(runnable, Flow):
                return crew_result(await _finished(await runnable.kickoff_async(flow_inputs(runnable, given))))
            answer = await asyncio.to_thread(runnable.kickoff, decode(given))
            return encode(answer.pydantic) if answer.pydantic is not None else str(answer.raw)

    return run


def _read(result: Any) -> Any:
    """The result of a crew; one that streams is read to its end first."""
    if hasattr(result, "__iter__") and hasattr(type(result), "result"):
        for _ in result:
            continue
        return result.result
    return result


async def _finished(result: Any) -> Any:
    """The result of a flow; one that streams is read to its end first."""
    if hasattr(result, "__aiter__") and hasattr(type(result), "result"):
        async for _ in result:
            continue
        return result.result
    return result


def crew_inputs(crew: Crew, given: Json, inputs: dict[str, Any]) -> dict[str, Any] | None:
    """The inputs of a crew that a person gave: an object, or what goes into its only placeholder.

    Raises `BadValue`.
    """
    if isinstance(given, dict):
        return {**inputs, **decode(given)}
    if given is None:
        return inputs or None
    names = sorted(crew.fetch_inputs())
    if len(names) != 1:
        raise BadValue(f"the crew has the placeholders {', '.join(names) or 'none'}: give an object", schema(names))
    return {**inputs, names[0]: decode(given)}


def flow_inputs(flow: Flow[Any], given: Json) -> dict[str, Any] | None:
    """The inputs of a flow that a person gave: an object, or the value of the only field of its state.

    Raises `BadValue`.
    """
    if given is None or isinstance(given, dict):
        return decode(given)  # type: ignore[no-any-return]
    names = [name for name in getattr(type(flow.state), "model_fields", {}) if name != "id"]
    if len(names) > 1:
        raise BadValue(f"the state of the flow has {', '.join(names)}: give an object", schema(names))
    return {names[0] if names else "input": decode(given)}


def schema(names: list[str]) -> Json:
    """The JSON schema of an object with these fields."""
    return {"type": "object", "properties": {name: {} for name in names}}
