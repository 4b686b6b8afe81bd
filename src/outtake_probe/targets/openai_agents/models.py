"""Model calls pass the gate where a model's class implements the SDK's interface: whole, or as events."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Mapping
from typing import Any

from agents.items import ModelResponse
from agents.model_settings import ModelSettings
from agents.models.interface import Model
from agents.usage import Usage as Used
from agents.usage import deserialize_usage, serialize_usage
from openai.types.responses import ResponseOutputItem, ResponseStreamEvent

from outtake_probe.calls import Call, Usage
from outtake_probe.codec import encode
from outtake_probe.commands import BadValue
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.targets.openai_agents import items
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Arguments, Method
from outtake_probe.targets.toolkit.models import ModelBoundary, ModelRequest
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.prompts import merge_prompt
from outtake_probe.targets.toolkit.responses_api import events, new_id, response
from outtake_probe.targets.toolkit.secret_names import is_secret

_UNSAID = frozenset({"extra_headers", "prompt_cache_key", "retry", "timeout", "preserve_raw_usage"})
"""Settings that no model is told, or that differ from run to run."""
_INPUT, _SETTINGS, _INSTRUCTIONS = "input", "model_settings", "system_instructions"
_SIGNATURE = inspect.signature(Model.get_response)


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap every model there is, and those to come."""
    stateless.add(Model)
    boundary = ModelBoundary(lambda: adapter_state.session, functools.partial(_Request, adapter_state))
    patches.family(Model, {"get_response": boundary.acall, "stream_response": boundary.astream})
    return []


def name_of(model: Any) -> str:
    """The name of a model."""
    found = model if isinstance(model, str) else getattr(model, "model", None)
    return found if isinstance(found, str) else type(model).__name__


def settings_of(settings: ModelSettings) -> dict[str, Json]:
    """The settings that are set and that a model is told."""
    held = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    known = {name: value for name, value in held.items() if value is not None and name not in _UNSAID}
    return {name: encode(value) for name, value in known.items() if not is_secret(name, value, text_only=True)}


class _Request(ModelRequest):
    implemented_by = ("get_response", "stream_response")

    def __init__(self, adapter_state: AdapterState, method: Method, model: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(model)
        self._adapter_state = adapter_state
        self._bound = _SIGNATURE.bind(model, *args, **kwargs)
        self._given: dict[str, Any] = self._bound.arguments
        self._compared: Json = None

    # -- what is asked ---------------------------------------------------------------------------------------------

    def prompt(self, path: str) -> dict[str, Json]:
        given = self._given
        shown, self._compared = self._adapter_state.conversations.follow(path, items.as_items(given[_INPUT]))
        schema = given.get("output_schema")
        wanted = schema is not None and not schema.is_plain_text()
        said: dict[str, Json] = {
            "model": name_of(self.model),
            "instructions": given[_INSTRUCTIONS],
            "messages": shown,
            "tools": [*map(_tool, given["tools"]), *map(_handoff, given["handoffs"])],
            "settings": settings_of(given[_SETTINGS]),
            "output_schema": schema.json_schema() if schema is not None and wanted else None,
            "prompt": encode(given.get("prompt")),
        }
        return {name: value for name, value in said.items() if value not in (None, [], {}) or name == "messages"}

    def call(self, *, streams: bool = False) -> Call:
        what = super().call(streams=streams)
        what.identity = {**what.input, "messages": self._compared}
        return what

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        full = merge_prompt({"instructions": None, "settings": {}, **prompt}, value)
        fixed = [name for name in prompt if name not in ("instructions", "settings", "messages")]
        changed = [name for name in fixed if full[name] != prompt[name]]
        if changed:
            raise BadValue(f"{changed[0]} cannot be changed here: change messages, instructions or settings")
        if not all(isinstance(message, dict) for message in full["messages"]):
            raise BadValue('a message is an object such as {"role": "user", "content": "..."}')
        self._settings(full["settings"])
        return full

    def _settings(self, value: Json) -> ModelSettings:
        before: ModelSettings = self._given[_SETTINGS]
        shown = settings_of(before)
        changed = {name: item for name, item in value.items() if item != shown.get(name)}
        unknown = [name for name in changed if not hasattr(before, name)]
        if unknown:
            raise BadValue(f"there is no setting {unknown[0]!r} of a model")
        return dataclasses.replace(before, **changed, **dict.fromkeys(set(shown) - set(value)))

    def rebind(self, new: Any) -> Arguments:
        self._given[_INPUT] = items.unshow(new["messages"], self._given[_INPUT])
        self._given[_INSTRUCTIONS] = new["instructions"]
        self._given[_SETTINGS] = self._settings(new["settings"])
        return self._bound.args, self._bound.kwargs

    def decode_prompt(self, value: Json) -> Any:
        return value

    # -- what is answered ------------------------------------------------------------------------------------------

    def encode(self, answer: Any) -> Json:
        if not isinstance(answer, ModelResponse):
            return encode(answer)
        said: dict[str, Json] = {"object": "response", "output": [items.dump(item) for item in answer.output]}
        named = {"response_id": answer.response_id, "request_id": answer.request_id, "raw_usage": answer.raw_usage}
        used = {"usage": serialize_usage(answer.usage)}
        return {**said, **used, **{name: value for name, value in named.items() if value is not None}}

    def decode(self, value: Json) -> Any:
        said = [items.build(ResponseOutputItem, item) for item in value["output"]]
        used = deserialize_usage(value["usage"]) if value.get("usage") else Used()
        named = {name: value.get(name) for name in ("response_id", "request_id", "raw_usage")}
        return ModelResponse(said, used, **named)

    def complete(self, value: Json) -> Json:
        before = value if isinstance(value, dict) and "output" in value else {}
        return {"object": "response", **before, "output": items.output(value)}

    def encode_piece(self, piece: Any) -> Json:
        return items.dump(piece)

    def decode_piece(self, value: Json) -> Any:
        return items.build(ResponseStreamEvent, value)

    def complete_pieces(self, value: Json) -> Json:
        if isinstance(value, list) and all(isinstance(piece, dict) and "type" in piece for piece in value):
            return value
        pieces = list(map(str, value)) if isinstance(value, list) else []
        output = items.output("".join(pieces) or value)
        return events(response(name_of(self.model), output, new_id("resp")), pieces)

    def usage(self, answer: Any) -> Usage | None:
        used = getattr(getattr(answer, "response", answer), "usage", None)
        return Usage(used.input_tokens, used.output_tokens) if used is not None and used.input_tokens else None


def _tool(tool: Any) -> Json:
    said = {"description": getattr(tool, "description", None), "parameters": getattr(tool, "params_json_schema", None)}
    return {"name": tool.name, **{name: value for name, value in said.items() if value}}


def _handoff(handoff: Any) -> Mapping[str, Json]:
    return {"name": handoff.tool_name, "description": handoff.tool_description, "parameters": handoff.input_json_schema}
