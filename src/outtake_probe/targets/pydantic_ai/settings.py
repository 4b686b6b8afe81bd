"""What can be read and changed of an agent: its instructions and the settings of its model, from the next request on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic_ai.messages import InstructionPart

from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.toolkit.settings import check_setting
from outtake_probe.values import encode

INSTRUCTIONS = "instructions"
_NUMBER: Json = {"type": ["number", "null"]}
_INTEGER: Json = {"type": ["integer", "null"]}
SCHEMAS: Mapping[str, Json] = {
    INSTRUCTIONS: {"type": ["string", "null"]},
    "temperature": _NUMBER,
    "max_tokens": _INTEGER,
    "top_p": _NUMBER,
    "top_k": _INTEGER,
    "seed": _INTEGER,
    "presence_penalty": _NUMBER,
    "frequency_penalty": _NUMBER,
    "parallel_tool_calls": {"type": ["boolean", "null"]},
    "stop_sequences": {"type": ["array", "null"], "items": {"type": "string"}},
}


def name_of(agent: Any) -> str:
    """What an agent is called in paths; the framework calls one without a name like the variable that holds it."""
    return str(agent.name or "agent").replace("/", "-")


def _literals(agent: Any) -> list[str]:
    """The instructions that are texts; those that functions make are the program's."""
    given = (getattr(each, "instruction", each) for each in getattr(agent, "_instructions", ()))
    return [each for each in given if isinstance(each, str)]


def of_agent(agent: Any, changed: Mapping[str, Json]) -> dict[str, Json]:
    """The settings of an agent as they are."""
    own = agent.model_settings if isinstance(agent.model_settings, Mapping) else {}
    found: dict[str, Json] = {name: encode(own.get(name)) for name in SCHEMAS}
    return {**found, INSTRUCTIONS: "\n".join(_literals(agent)) or None, **changed}


def check(component: str, key: str, value: Json) -> None:
    """Raises `BadValue` where there is no such setting, or the value does not fit."""
    check_setting(component, key, value, SCHEMAS)
    if key == INSTRUCTIONS and value is not None and not value.strip():
        raise BadValue(f"{component}.{key} is a text with something in it, or null", SCHEMAS[key])


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
