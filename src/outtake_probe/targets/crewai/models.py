"""Model calls: `BaseLLM.call` and `acall`, in every class of models there is and those to come.

All of CrewAI asks its models there: agents, planners, guardrails, memories, converters.  An answer from the record
counts its tokens again, so that what CrewAI says of usage is the same.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

from crewai.events.types.llm_events import LLMCallType
from crewai.llms.base_llm import BaseLLM, llm_call_context

from outtake_probe.calls import Call, Usage, current
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.targets.crewai.adapter_state import AdapterState, Emitted, Prompt
from outtake_probe.targets.toolkit.boundary import Arguments, Method
from outtake_probe.targets.toolkit.conversations import follow
from outtake_probe.targets.toolkit.models import ModelBoundary, ModelRequest
from outtake_probe.targets.toolkit.patches import Patches, Wrap
from outtake_probe.targets.toolkit.prompts import merge_prompt

SETTINGS = ("temperature", "top_p", "max_tokens", "seed", "frequency_penalty", "presence_penalty", "n")
"""Settings that are part of what a model is asked."""
_TRACK = "_track_token_usage_internal"
_PIECE = "_emit_stream_chunk_event"
_COMPLETED = "_emit_call_completed_event"
_ADDRESS = re.compile(r"call_\d{6,}")
"""An id that CrewAI makes of the memory address of a tool call that has none."""
_USER: Mapping[str, Json] = {"role": "user", "content": ""}


def install(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap every class of models."""
    stateless.add(BaseLLM)
    boundary = ModelBoundary(lambda: shared.session, functools.partial(Request, shared))
    noting: dict[str, Wrap] = {
        _TRACK: functools.partial(_counted, shared),
        _PIECE: functools.partial(_streamed, shared),
        _COMPLETED: functools.partial(_told, shared),
    }
    patches.family(BaseLLM, {"call": boundary.call, "acall": boundary.acall, **noting})
    lost = [name for name in noting if name not in vars(BaseLLM)]
    return [f"tokens and events of models are not known: BaseLLM.{name} is not there" for name in lost]


def _around(shared: AdapterState) -> Emitted | None:
    """What is known of the model call that the running code is inside of."""
    frame = current.get()
    if frame is None or frame.kind != "model":
        return None
    return shared.emitted.setdefault(frame.invocation, Emitted())


def _counted(shared: AdapterState, method: Method) -> Method:
    @functools.wraps(method)
    def track(model: Any, *args: Any, **kwargs: Any) -> None:
        before = Counter(model._token_usage)
        method(model, *args, **kwargs)
        around = _around(shared)
        if around is not None:
            around.usage.update(model._token_usage)
            around.usage.subtract(before)

    return track


def _streamed(shared: AdapterState, method: Method) -> Method:
    @functools.wraps(method)
    def piece(model: Any, chunk: Any, *args: Any, **kwargs: Any) -> None:
        around = _around(shared)
        if around is not None:
            around.pieces.append(str(chunk))
        method(model, chunk, *args, **kwargs)

    return piece


def _told(shared: AdapterState, method: Method) -> Method:
    @functools.wraps(method)
    def completed(model: Any, *args: Any, **kwargs: Any) -> None:
        around = _around(shared)
        if around is not None:
            around.is_told = True
        method(model, *args, **kwargs)

    return completed


class Request(ModelRequest):
    """One call of a model."""

    implemented_by: ClassVar = ("call", "acall")

    def __init__(
        self, shared: AdapterState, method: Method, model: Any, messages: Any, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(model)
        self._shared = shared
        self._messages = [{**_USER, "content": messages}] if isinstance(messages, str) else list(messages)
        self._args = args
        self._kwargs = kwargs
        self._what: Call | None = None
        self._answer: Any = None
        self._known: Emitted | None = None

    def call(self, *, streams: bool = False) -> Call:
        self._what = super().call(streams=streams)
        return self._what

    # -- what is asked -----------------------------------------------------------------------------------------------

    def prompt(self, path: str) -> dict[str, Json]:
        given = _without_addresses(self._messages)
        said = self._shared.conversations.get(path)
        said = self._shared.conversations[path] = follow(said, given, Prompt(given), encode)
        told: dict[str, Json] = {"model": str(getattr(self.model, "model", ""))}
        args = {name: value for name in SETTINGS if (value := getattr(self.model, name, None)) is not None}
        if args:
            told["args"] = encode(args)
        told["messages"] = said.parts
        tools = self._tools
        if tools:
            told["tools"] = encode(tools)
        wanted = self._kwargs.get("response_model") or self._kwargs.get("response_format")
        if isinstance(wanted, type):
            told["response_model"] = wanted.__name__
        return told

    @property
    def _tools(self) -> Any:
        return self._args[0] if self._args else self._kwargs.get("tools")

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        full = merge_prompt(prompt, value, template=_USER)
        fixed = [name for name in prompt if name not in ("messages", "tools") and full[name] != prompt[name]]
        if fixed:
            raise BadValue(f"{fixed[0]} is a setting of the agent: of a call, only messages and tools can be changed")
        return full

    def rebind(self, new: Any) -> Arguments:
        if self._args:
            return (self.model, new["messages"], new.get("tools"), *self._args[1:]), self._kwargs
        tools = {"tools": new["tools"]} if "tools" in new else {}
        return (self.model, new["messages"]), {**self._kwargs, **tools}

    # -- what is answered --------------------------------------------------------------------------------------------

    def encode(self, answer: Any) -> Json:
        told: dict[str, Json] = {"role": "assistant"}
        if isinstance(answer, str):
            told["content"] = answer
        elif isinstance(answer, list):
            told["tool_calls"] = [_tool_call(each) for each in answer]
        else:
            told["value"] = encode(answer)
        return {**told, **self._emitted.to_json()}

    def decode(self, value: Json) -> Any:
        self._known = Emitted.from_json(value)
        if "tool_calls" in value:
            self._answer = decode(value["tool_calls"])
        else:
            self._answer = decode(value["value"]) if "value" in value else value["content"]
        return self._answer

    def complete(self, value: Json) -> Json:
        if isinstance(value, str):
            value = {"content": value}
        if isinstance(value, list):
            value = {"tool_calls": value}
        if isinstance(value, dict) and TAG in value:
            value = {"value": value}
        if (
            not isinstance(value, dict)
            or len([name for name in ("content", "tool_calls", "value") if name in value]) != 1
        ):
            raise BadValue('an answer is a text, a list of tool calls, or an object with "content" or "tool_calls"')
        calls = value.get("tool_calls")
        if calls is not None:
            value = {**value, "tool_calls": [_whole_call(each, number) for number, each in enumerate(calls, 1)]}
        return {"role": "assistant", **value}

    def usage(self, answer: Any) -> Usage | None:
        used = self._emitted.usage
        return Usage(used["prompt_tokens"], used["completion_tokens"]) if any(used.values()) else None

    @property
    def _emitted(self) -> Emitted:
        if self._known is None:
            self._known = (
                self._shared.emitted.pop(self._what.number, Emitted()) if self._what is not None else Emitted()
            )
        return self._known

    def replaced(self) -> None:
        """What the record says that the answer took is counted again, and what it told CrewAI is told again."""
        known, kept = self._emitted, getattr(self.model, "_token_usage", None)
        for name, count in known.usage.items():
            if isinstance(kept, dict) and name in kept:
                kept[name] += count
        if not (known.pieces or known.is_told):
            return
        who = {name: self._kwargs.get(name) for name in ("from_task", "from_agent")}
        with llm_call_context():
            if known.is_told:
                self.model._emit_call_started_event(messages=self._messages, tools=self._tools, **who)
            for piece in known.pieces:
                self.model._emit_stream_chunk_event(chunk=piece, **who)
            if known.is_told:
                kind = LLMCallType.TOOL_CALL if isinstance(self._answer, list) else LLMCallType.LLM_CALL
                usage = dict(known.usage) or None
                self.model._emit_call_completed_event(
                    response=self._answer, call_type=kind, messages=self._messages, usage=usage, **who
                )


def _tool_call(made: Any) -> Json:
    """A tool call of a model's answer; those of other forms than OpenAI's keep theirs."""
    function = getattr(made, "function", None)
    if function is None or not hasattr(function, "arguments"):
        return encode(made)
    about = {"name": encode(function.name), "arguments": encode(function.arguments)}
    return {"id": encode(getattr(made, "id", None)), "type": "function", "function": about}


def _whole_call(value: Json, number: int) -> Json:
    """A tool call that a person wrote, who may say only the name and the arguments."""
    if not isinstance(value, dict):
        raise BadValue('a tool call is an object with "name" and "arguments"')
    if TAG in value or "function" in value or not isinstance(value.get("name"), str):
        return value
    given = value.get("arguments") or {}
    arguments = given if isinstance(given, str) else json.dumps(given)
    function = {"name": value["name"], "arguments": arguments}
    return {"id": value.get("id") or f"call_mock_{number}", "type": "function", "function": function}


def _without_addresses(messages: list[Any]) -> list[Json]:
    """The messages, with ids that are memory addresses numbered in their order."""
    numbers: dict[str, str] = {}
    return [_numbered(message, numbers) for message in messages]


def _numbered(message: Any, numbers: dict[str, str]) -> Json:
    if not isinstance(message, Mapping):
        return encode(message)
    told = dict(message)
    if isinstance(told.get("tool_call_id"), str):
        told["tool_call_id"] = _number(told["tool_call_id"], numbers)
    if isinstance(told.get("tool_calls"), list):
        told["tool_calls"] = [
            {**each, "id": _number(each["id"], numbers)}
            if isinstance(each, dict) and isinstance(each.get("id"), str)
            else each
            for each in told["tool_calls"]
        ]
    return told


def _number(name: str, numbers: dict[str, str]) -> str:
    return numbers.setdefault(name, f"call_{len(numbers) + 1}") if _ADDRESS.fullmatch(name) else name
