"""What can be read and changed of an agent: its instructions and how its model is asked, from the next request on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import InstructionPart

from outtake_probe.codec import encode
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.settings import FLAG, MODEL_ARGUMENTS, OPTIONAL_TEXT, Setting, Settings, fixed

INSTRUCTIONS = "instructions"
_ARGUMENTS = ("temperature", "max_tokens", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty")
_SCHEMAS: Mapping[str, Json] = {
    INSTRUCTIONS: OPTIONAL_TEXT,
    **{name: MODEL_ARGUMENTS[name] for name in _ARGUMENTS},
    "parallel_tool_calls": FLAG,
    "stop_sequences": {"type": ["array", "null"], "items": {"type": "string"}},
}


def name_of(agent: Any) -> str:
    """What an agent is called in paths; the framework calls one without a name like the variable that holds it."""
    return str(agent.name or "agent").replace("/", "-")


def of_agent(agent: Any, changed: dict[str, Json]) -> Settings:
    """The settings of an agent; `changed` is where changes of them are kept."""
    given = agent.model_settings if isinstance(agent.model_settings, Mapping) else {}
    own = {**given, INSTRUCTIONS: "\n".join(_literals(agent)) or None}
    settings = [_setting(name, own.get(name), changed) for name in _SCHEMAS]
    return [*settings, fixed("output", _name(agent.output_type))]


def _setting(name: str, own: Any, changed: dict[str, Json]) -> Setting:
    def change(value: Json) -> None:
        changed[name] = value

    return Setting(name, _SCHEMAS[name], lambda: changed.get(name, encode(own)), change)


def unknown_agent(changed: dict[str, Json]) -> Settings:
    """The settings of an agent that is not there yet."""
    return [_setting(name, None, changed) for name in _SCHEMAS]


def _name(output_type: Any) -> str:
    if isinstance(output_type, (list, tuple)):
        return " | ".join(map(_name, output_type))
    return output_type.__name__ if isinstance(output_type, type) else type(output_type).__name__


def _literals(agent: Any) -> list[str]:
    """The instructions that are texts; those that functions make are the program's."""
    given = (getattr(each, "instruction", each) for each in getattr(agent, "_instructions", ()))
    return [each for each in given if isinstance(each, str)]


def apply(agent: Any, changed: Mapping[str, Json], request: Any) -> None:
    """Give a request to the agent's model what was changed."""
    settings = {name: value for name, value in changed.items() if name != INSTRUCTIONS}
    if settings:
        merged = {**(request.model_settings or {}), **settings}
        request.model_settings = {name: value for name, value in merged.items() if value is not None}
    if INSTRUCTIONS in changed:
        parameters = request.model_request_parameters
        parts = _instructed(agent, changed[INSTRUCTIONS], parameters.instruction_parts or [])
        request.model_request_parameters = dataclasses.replace(parameters, instruction_parts=parts)


def _instructed(agent: Any, text: Json, parts: list[Any]) -> list[Any]:
    """The parts of the instructions with another text in the place of the agent's own."""
    own = _literals(agent)
    texts = {*own, "\n".join(own).strip()}
    at = next((number for number, part in enumerate(parts) if part.content in texts), 0)
    rest = [part for part in parts if part.content not in texts]
    return [*rest[:at], *([InstructionPart(content=text)] if text is not None else []), *rest[at:]]
