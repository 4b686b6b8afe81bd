"""What goes to a model and what comes back, as JSON: a prompt of n messages costs only the new one."""

from __future__ import annotations

import functools
import json
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, BaseMessageChunk
from langchain_core.outputs import (
    ChatGeneration,
    ChatGenerationChunk,
    ChatResult,
    Generation,
    GenerationChunk,
    LLMResult,
)

from outtake_probe.calls import Usage
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.redaction.text import MARK
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langchain.context import around
from outtake_probe.targets.langchain.conversations import Transcript, spoken
from outtake_probe.targets.toolkit.prompts import merge_prompt
from outtake_probe.targets.toolkit.secret_names import is_secret

NAMES = ("model_name", "model", "model_id", "deployment_name", "repo_id")
"""Where model classes keep the name of their model."""
SETTINGS = ("temperature", "max_tokens", "max_output_tokens", "top_p", "top_k", "seed", "reasoning_effort", "n")
"""Settings that are part of what a model is asked."""
_UNSAID = ("run_manager", "config", "callbacks", "stream", "async_api")


@dataclass
class _Known:
    said: dict[str, Transcript] = field(default_factory=dict)
    """The last conversation at each path: those that share a model are distinguished."""


def prompt(model: Any, said: Sequence[BaseMessage], kwargs: Mapping[str, Any], path: str) -> dict[str, Json]:
    """The input of a chat model."""
    known = _known(model)
    given = said if type(said) is list else list(said)
    talk = next((other for other in around.said() if other.says(given)), None) or spoken(given, known.said.get(path))
    known.said[path] = talk
    return {**_about(model), "messages": talk.parts, **arguments(kwargs)}


_MODELS: dict[int, tuple[weakref.ref[Any], _Known]] = {}


def _known(model: Any) -> _Known:
    """Pydantic models cannot be keys: they are known by their number while they live."""
    found = _MODELS.get(id(model))
    if found is None or found[0]() is not model:
        number = id(model)
        found = _MODELS[number] = (weakref.ref(model, lambda _: _MODELS.pop(number, None)), _Known())
    return found[1]


def text_prompt(model: Any, prompts: Sequence[str], kwargs: Mapping[str, Any]) -> dict[str, Json]:
    """The input of a model that completes texts."""
    return {**_about(model), "prompts": list(prompts), **arguments(kwargs)}


def _about(model: Any) -> dict[str, Json]:
    out: dict[str, Json] = {"model": model_name(model)}
    args = {name: value for name, value in settings(model).items() if value is not None}
    return {**out, "args": args} if args else out


def model_name(model: Any) -> str:
    """The model's name, where its class has one under a usual name; else the class."""
    for name in _named(model.__class__)[0]:
        found = getattr(model, name, None)
        if isinstance(found, str):
            return found
    return type(model).__name__


def settings(model: Any) -> dict[str, Json]:
    """The settings of a model that go with each call."""
    found = {name: getattr(model, name, None) for name in _named(model.__class__)[1]}
    return {name: value for name, value in found.items() if isinstance(value, (str, int, float, bool, type(None)))}


@functools.lru_cache(maxsize=1000)
def _named(cls: type[object]) -> tuple[list[str], list[str]]:
    """Where the models of a class can have their name, and which settings they have."""
    fields = getattr(cls, "model_fields", {})
    is_open = getattr(cls, "model_config", {}).get("extra") == "allow"
    names = [name for name in NAMES if is_open or name in fields or hasattr(cls, name)]
    return names, [name for name in SETTINGS if name in fields]


def arguments(kwargs: Mapping[str, Any]) -> dict[str, Json]:
    """What else is asked: tools, a format, a place to stop."""
    return {
        name: MARK if is_secret(name, value, text_only=True) else encode(value)
        for name, value in kwargs.items()
        if name not in _UNSAID and value not in (None, [], {})
    }


# -- edits of a prompt -----------------------------------------------------------------------------------------------


def normalize(now: dict[str, Json], value: Json) -> Json:
    """The whole input of an edited call.  Raises `BadValue`."""
    full = merge_prompt(now, value, schema=messages.SCHEMA)
    full["messages"] = [encode(message) for message in messages.coerced(full["messages"])]
    return full


def decode_prompt(value: Json) -> dict[str, Any]:
    """The arguments that an edited prompt stands for."""
    rest = {name: decode(item) for name, item in value.items() if name not in ("messages", "model", "args")}
    return {**rest, "messages": messages.coerced(value["messages"])}


def normalize_text(now: dict[str, Json], value: Json) -> Json:
    """The full new prompt of a model that completes texts."""
    given = {"prompts": [value]} if isinstance(value, str) else value
    if not isinstance(given, dict) or any(name not in now for name in given):
        raise BadValue(f"the input of a model call is a text, or an object with {', '.join(now)}")
    return {**now, **given}


# -- what comes back -------------------------------------------------------------------------------------------------


def encode_result(result: Any) -> Json:
    """An answer: its message, and beside it what the library noted on the call."""
    if not isinstance(result, ChatResult) or not all(isinstance(g, ChatGeneration) for g in result.generations):
        return encode(result)
    shown = [_generation(generation) for generation in result.generations]
    if not result.llm_output and len(shown) == 1:
        return shown[0]
    noted = {"llm_output": encode(result.llm_output)} if result.llm_output else {}
    return {"generations": shown, **noted}


def _generation(generation: ChatGeneration) -> Json:
    said = encode(generation.message)
    return {"message": said, "generation_info": encode(info)} if (info := generation.generation_info) else said


def decode_result(value: Json) -> ChatResult:
    """What `encode_result` wrote.  Raises `BadValue`."""
    if not isinstance(value, dict) or value.get(TAG) in ("model", "opaque"):
        result: ChatResult = decode(value)
        return result
    shown = value.get("generations", [value])
    noted = decode(value.get("llm_output")) if "generations" in value else None
    return ChatResult(generations=[_from_generation(item) for item in shown], llm_output=noted)


def _from_generation(item: Json) -> ChatGeneration:
    if isinstance(item, dict) and "message" in item:
        message, info = messages.given(item["message"]), item.get("generation_info")
        return ChatGeneration(message=message, generation_info=decode(info))
    return ChatGeneration(message=messages.given(item))


def full_result(value: Json) -> Json:
    """A mocked answer in full: of a text, or of a message with content or tool calls.  Raises `BadValue`."""
    if isinstance(value, dict) and not {"content", "tool_calls", "generations", "message"} & set(value):
        raise BadValue("an answer is a text, or a message with content or tool_calls", messages.SCHEMA)
    if isinstance(value, dict) and "generations" in value:
        return encode_result(decode_result(value))
    return encode_result(ChatResult(generations=[_from_generation(value)]))


def encode_piece(piece: Any) -> Json:
    """A piece of a streamed answer: a text, where it is nothing else."""
    if isinstance(piece, GenerationChunk) and not piece.generation_info:
        return piece.text
    if not isinstance(piece, ChatGenerationChunk):
        return encode(piece)
    message = piece.message
    if type(message) is AIMessageChunk and isinstance(message.content, str) and _is_text_only(message):
        return message.content if not piece.generation_info else _piece(piece)
    return _piece(piece)


_TEXT = frozenset({"content", "type"})


def _is_text_only(message: AIMessageChunk) -> bool:
    return not any(getattr(message, name, None) for name in type(message).model_fields if name not in _TEXT)


def _piece(piece: ChatGenerationChunk) -> Json:
    said = encode(piece.message)
    info = piece.generation_info
    return {"message": said, "generation_info": encode(info)} if info else said


def decode_piece(value: Json) -> Any:
    """What `encode_piece` wrote, or a person."""
    if isinstance(value, str):
        return ChatGenerationChunk(message=AIMessageChunk(content=value))
    if isinstance(value, dict) and "message" in value:
        return ChatGenerationChunk(
            message=_chunk(messages.given(value["message"])), generation_info=decode(value.get("generation_info"))
        )
    if isinstance(value, dict) and value.get(TAG) == messages.NAME:
        return ChatGenerationChunk(message=_chunk(messages.given(value)))
    return decode(value)


def _chunk(message: BaseMessage) -> BaseMessageChunk:
    """A message as the only piece of itself."""
    if isinstance(message, BaseMessageChunk):
        return message
    calls: list[Any] = [
        {"name": c["name"], "args": _args_text(c["args"]), "id": c["id"], "index": i}
        for i, c in enumerate(getattr(message, "tool_calls", ()))
    ]
    fields = {name: getattr(message, name) for name in ("content", "name", "id", "additional_kwargs")}
    usage = getattr(message, "usage_metadata", None)
    return AIMessageChunk(**fields, tool_call_chunks=calls, usage_metadata=usage)


def _args_text(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def full_stream(value: Json) -> Json:
    """A mocked stream in full: pieces of text, or messages.  Raises `BadValue`."""
    pieces = value if isinstance(value, list) else [value]
    return [piece if isinstance(piece, str) else encode_piece(_as_piece(piece)) for piece in pieces]


def _as_piece(value: Json) -> ChatGenerationChunk:
    if isinstance(value, dict) and "message" in value:
        value = value["message"]
    return ChatGenerationChunk(message=_chunk(messages.given(value)))


def decode_text_piece(value: Json) -> Any:
    """A piece of a streamed completion."""
    return GenerationChunk(text=value) if isinstance(value, str) else decode(value)


def encode_texts(result: Any) -> Json:
    """Completions: a text, where it is nothing else."""
    if not isinstance(result, LLMResult):
        return encode(result)
    plain = [[g.text if not g.generation_info else encode(g) for g in group] for group in result.generations]
    if len(plain) == 1 and len(plain[0]) == 1 and isinstance(plain[0][0], str) and not result.llm_output:
        return plain[0][0]
    return {"generations": plain, **({"llm_output": encode(result.llm_output)} if result.llm_output else {})}


def decode_texts(value: Json) -> LLMResult:
    """What `encode_texts` wrote, or a person: a text for each prompt."""
    if isinstance(value, str):
        value = {"generations": [[value]]}
    elif isinstance(value, list):
        value = {"generations": [[text] for text in value]}
    if not isinstance(value, dict) or not isinstance(value.get("generations"), list):
        raise BadValue("a completion is a text, or a list of texts: one for each prompt")
    groups = [
        [Generation(text=g) if isinstance(g, str) else decode(g) for g in group] for group in value["generations"]
    ]
    return LLMResult(generations=groups, llm_output=decode(value.get("llm_output")))


def usage(result: Any) -> Usage | None:
    """What a call consumed, as its answer says."""
    found: Usage | None = None
    for message in _answers(result):
        counted = getattr(message, "usage_metadata", None)
        if counted:
            found = _plus(found, Usage(counted.get("input_tokens", 0), counted.get("output_tokens", 0)))
    noted = getattr(result, "llm_output", None) or {}
    said = noted.get("token_usage") or noted.get("usage") if isinstance(noted, Mapping) else None
    if found is None and isinstance(said, Mapping):
        tokens = [said.get(name) for name in ("prompt_tokens", "completion_tokens")]
        found = Usage(*[t if isinstance(t, int) else 0 for t in tokens])
    return found


def _plus(one: Usage | None, other: Usage) -> Usage:
    if one is None:
        return other
    return Usage(one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out)


def _answers(result: Any) -> list[Any]:
    if isinstance(result, ChatResult):
        return [generation.message for generation in result.generations]
    return [result.message] if isinstance(result, ChatGenerationChunk) else []
