"""What goes to a model and what comes back, as JSON: a prompt of n messages costs only the new one."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    UserMessage,
)
from pydantic import ValidationError

from outtake_probe.bodies import Growing, Part
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.autogen import messages
from outtake_probe.targets.toolkit.conversations import Conversation, follow
from outtake_probe.targets.toolkit.prompts import merge_prompt
from outtake_probe.targets.toolkit.secret_names import is_secret

_LAST: weakref.WeakKeyDictionary[Any, dict[str, Conversation[_Snapshot]]] = weakref.WeakKeyDictionary()
_content = operator.attrgetter("content")
_NO_ARGS = ("messages", "cancellation_token")
_TOOLS: weakref.WeakKeyDictionary[Any, Json] = weakref.WeakKeyDictionary()


class _Snapshot:
    """The messages of a prompt and what they held: comparing lists of the same objects costs next to nothing."""

    __slots__ = ("contents", "keys", "messages")

    def __init__(self, messages: list[LLMMessage]) -> None:
        self.messages = messages
        self.contents = list(map(_content, messages))
        self.keys: list[Any] = []
        """Keys of the messages whose contents are lists, which can be changed in place."""
        if set(map(type, self.contents)) - {str}:
            pairs = zip(messages, self.contents, strict=True)
            self.keys = [_key(message) for message, content in pairs if type(content) is not str]

    def begins_with(self, before: _Snapshot) -> bool:
        at = len(before.messages)
        return (
            at <= len(self.messages)
            and self.messages[:at] == before.messages
            and self.contents[:at] == before.contents
            and self.keys[: len(before.keys)] == before.keys
        )


def prompt(
    client: ChatCompletionClient, said: Sequence[LLMMessage], kwargs: Mapping[str, Any], path: str = ""
) -> dict[str, Json]:
    """The input of a model call; `path` tells the conversations apart that share a client."""
    out: dict[str, Json] = {"model": model_name(client), "messages": _conversation(client, said, path)}
    args = create_args(client)
    if args:
        out["args"] = args
    for name, value in kwargs.items():
        if name not in _NO_ARGS and value not in ([], {}, None, "auto"):
            out[name] = _argument(name, value)
    return out


def _conversation(client: Any, said: Sequence[LLMMessage], path: str) -> Growing:
    """The messages of a prompt; where it only grew since the last one, the new ones are made."""
    known, messages = _LAST.setdefault(client, {}), list(said)
    talk = known[path] = follow(known.get(path), messages, _Snapshot(messages), part)
    return talk.parts


def _argument(name: str, value: Any) -> Json:
    if name == "tools":
        return [_tool(tool) for tool in value]
    if name == "tool_choice":
        return getattr(value, "name", value)
    if isinstance(value, type):
        return {"class": value.__qualname__, "schema": messages.schema(value)}
    return messages.plain(value)


def _tool(tool: Any) -> Json:
    if isinstance(tool, Mapping):
        return messages.plain(dict(tool))
    found = _TOOLS.get(tool)
    if found is None:
        found = _TOOLS[tool] = messages.plain(dict(tool.schema))
    return found


def model_name(client: Any) -> str:
    """The model's name, where the client has one under a usual name; else the client's class."""
    args = getattr(client, "_create_args", None)
    if isinstance(args, Mapping) and isinstance(args.get("model"), str):
        return args["model"]  # type: ignore[no-any-return]
    for name in ("model", "_model", "model_name", "_model_name"):
        found = getattr(client, name, None)
        if isinstance(found, str):
            return found
    return type(client).__name__


def create_args(client: Any) -> dict[str, Json]:
    """The settings that a client sends with every call (temperature and the like), without secrets."""
    args = getattr(client, "_create_args", None)
    if not isinstance(args, Mapping):
        return {}
    return {
        name: messages.plain(value) for name, value in args.items() if name != "model" and not is_secret(name, value)
    }


def part(message: Any) -> Json:
    """One message of a prompt, remembered by what it says."""
    key = _key(message)
    return _dump(message) if key is None else Part(key, functools.partial(_dump, message))


def _key(message: Any) -> tuple[Any, ...] | None:
    content, cls = message.content, type(message)
    if type(content) is str:
        if cls is SystemMessage:
            return (cls, content)
        return (cls, content, message.source, message.thought if cls is AssistantMessage else None)
    if cls is AssistantMessage:
        calls = tuple((call.id, call.name, call.arguments) for call in content)
        return (cls, calls, message.source, message.thought)
    if cls is FunctionExecutionResultMessage:
        return (cls, tuple((item.content, item.name, item.call_id, item.is_error) for item in content))
    if cls is UserMessage:
        texts = tuple(item if isinstance(item, str) else ("image", messages.image_data(item)) for item in content)
        return (cls, texts, message.source)
    return None


def _dump(message: Any) -> Json:
    said = messages.plain(message)
    rest = {name: value for name, value in said.items() if name not in ("type", "source") and value is not None}
    first = {name: said[name] for name in ("type", "source") if name in said}
    return {**first, **rest}


# -- edits of a prompt -----------------------------------------------------------------------------------------------


def normalize(now: dict[str, Json], value: Json) -> Json:
    """The whole input of an edited call.  Raises `BadValue`."""
    full = merge_prompt(now, value, schema=messages.schema(list[LLMMessage]))
    decode_prompt(full)
    return full


def decode_prompt(value: Json) -> dict[str, Any]:
    """The arguments that an edited input stands for.  Raises `BadValue`."""
    return {**value, "messages": [_message(item) for item in value["messages"]]}


def _message(item: Json) -> Any:
    cls = _CLASSES.get(item.get("type", "")) if isinstance(item, dict) else None
    if cls is None:
        raise BadValue(f"unknown message {item!r}; a type is one of {', '.join(_CLASSES)}")
    return messages.build(cls, item)


_CLASSES: dict[str, Any] = {
    cls.__name__: cls for cls in (SystemMessage, UserMessage, AssistantMessage, FunctionExecutionResultMessage)
}


# -- what comes back -------------------------------------------------------------------------------------------------


def encode_piece(piece: Any) -> Json:
    """A result, or a piece of a streamed one."""
    if type(piece) is str:
        return piece
    if not isinstance(piece, CreateResult):
        return messages.answer(piece)
    content = piece.content
    shown: dict[str, Json] = {
        "content": content if isinstance(content, str) else [_call(call) for call in content],
        "finish_reason": piece.finish_reason,
        "usage": {"prompt_tokens": piece.usage.prompt_tokens, "completion_tokens": piece.usage.completion_tokens},
        "cached": piece.cached,
    }
    if piece.thought is not None:
        shown["thought"] = piece.thought
    if piece.logprobs is not None:
        shown["logprobs"] = messages.plain(piece.logprobs)
    return shown


def _call(call: FunctionCall) -> Json:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def decode_piece(value: Json) -> Any:
    """What `encode_piece` wrote; a mock may leave out everything but the content."""
    return value if isinstance(value, str) else result(value)


def result(value: Json) -> CreateResult:
    """The result of a model call.  Raises `BadValue`."""
    if isinstance(value, (str, list)):
        value = {"content": value}
    if not isinstance(value, dict):
        raise BadValue("a model's answer is a text, or an object with content", messages.schema(CreateResult))
    calls = isinstance(value.get("content"), list)
    full = {
        "finish_reason": "function_calls" if calls else "stop",
        "usage": RequestUsage(0, 0),
        "cached": False,
        **value,
    }
    try:
        return CreateResult.model_validate(full)
    except ValidationError as error:
        raise BadValue(f"this is no answer of a model: {error}", messages.schema(CreateResult)) from error


def full_result(value: Json) -> Json:
    """A mocked answer in full.  Raises `BadValue`."""
    return encode_piece(result(value))


def full_stream(value: Json) -> Json:
    """A mocked stream in full: its pieces of text, and the answer at its end.  Raises `BadValue`."""
    pieces = value if isinstance(value, list) and not _is_calls(value) else [value]
    texts = [piece for piece in pieces if isinstance(piece, str)]
    last = pieces[-1] if pieces and not isinstance(pieces[-1], str) else "".join(texts)
    return [*texts, full_result(last)]


def _is_calls(value: list[Json]) -> bool:
    return bool(value) and all(isinstance(item, dict) and "arguments" in item for item in value)
