"""Calls of models and embeddings pass the gate.

Implementations call each other (a chat is a completion below, a call with tools is a chat): only the outermost call is
an invocation.  A stream gives its whole text with every piece; recorded is what each piece adds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, TextBlock, ToolCallBlock

from outtake_probe.calls import Usage
from outtake_probe.codec import TAG, Family, class_name, decode, encode, find_class, is_opaque, safe_repr
from outtake_probe.codec import register as register_family
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.llamaindex import shallow_snapshot
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.settings import of_model
from outtake_probe.targets.llamaindex.usage import usage
from outtake_probe.targets.toolkit.boundary import Arguments
from outtake_probe.targets.toolkit.conversations import follow
from outtake_probe.targets.toolkit.models import ModelBoundary, ModelRequest
from outtake_probe.targets.toolkit.prompts import merge_prompt

Method = Callable[..., Any]
_HIDDEN = frozenset({"callback_manager", "_return_exception"})


def methods(adapter_state: AdapterState) -> dict[str, Callable[[Method], Method]]:
    """How each method of a model is wrapped."""
    return {**_asked(adapter_state, Chat, "chat"), **_asked(adapter_state, Completion, "complete")}


def _asked(adapter_state: AdapterState, request: type[Request], name: str) -> dict[str, Callable[[Method], Method]]:
    boundary = _boundary(adapter_state, request)
    return {
        name: boundary.call,
        f"a{name}": boundary.acall,
        f"stream_{name}": boundary.open_stream,
        f"astream_{name}": boundary.aopen_stream,
    }


def embedding_methods(adapter_state: AdapterState) -> dict[str, Callable[[Method], Method]]:
    names = ("get_query_embedding", "get_text_embedding", "get_text_embedding_batch")
    boundary = _boundary(adapter_state, Embedding)
    return {**dict.fromkeys(names, boundary.call), **{f"a{name}": boundary.acall for name in names}}


def _boundary(adapter_state: AdapterState, request: type[Request]) -> ModelBoundary:
    def made(_method: Method, model: Any, *args: Any, **kwargs: Any) -> Request:
        return request(adapter_state, model, args, kwargs)

    return ModelBoundary(lambda: adapter_state.session, made)


# -- what is asked and answered --------------------------------------------------------------------------------------


class Request(ModelRequest):
    """One call: how what it is asked and what it answers are written.  A stream's pieces come in order."""

    said: ClassVar[str] = "messages"
    """The argument that says what is asked."""

    def __init__(self, adapter_state: AdapterState, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__(model)
        self.adapter_state = adapter_state
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        self.text = ""
        """What a stream has given so far."""

    def first(self) -> Any:
        return self.args[0] if self.args else self.kwargs.get(self.said)

    def prompt(self, path: str) -> dict[str, Json]:
        rest = {k: v for k, v in self.kwargs.items() if k != self.said and k not in _HIDDEN and v is not None}
        return {**of_model(self.model), self.said: self.asked(path), **{k: encode(v) for k, v in rest.items()}}

    def asked(self, path: str) -> Json:
        """What is asked, as JSON."""
        return encode(self.first())

    def decode_prompt(self, value: Json) -> Any:
        """What is asked, of the JSON of an edited prompt."""
        return decode(value[self.said])

    def rebind(self, new: Any) -> Arguments:
        if self.args:
            return (self.model, new, *self.args[1:]), self.kwargs
        return (self.model,), {**self.kwargs, self.said: new}

    def usage(self, answer: Any) -> Usage | None:
        return usage(answer)

    def encode_piece(self, piece: Any) -> Json:
        """What it adds to those before it, where that is all."""
        coded, text = self.encode(piece), _text(piece)
        if text is not None and text == self.text + (piece.delta or "") and set(coded) <= {"content", "delta"}:
            self.text = text
            return {"delta": piece.delta or ""}
        self.text = text or ""
        return coded

    def decode_piece(self, value: Json) -> Any:
        if isinstance(value, dict) and set(value) == {"delta"}:
            self.text += value["delta"]
            value = {"content": self.text, "delta": value["delta"]}
        else:
            self.text = value.get("content", "") if isinstance(value, dict) else str(value)
        return self.decode(value)

    def complete_pieces(self, value: Json) -> Json:
        """All pieces, or one that says everything."""
        if isinstance(value, list):
            return value
        full = self.complete(value)
        return [{**full, "delta": full.get("content", "")}] if set(full) - {"content"} else [{"delta": full["content"]}]


class Chat(Request):
    """Messages in, a message out."""

    implemented_by = ("chat", "achat", "stream_chat", "astream_chat")

    def asked(self, path: str) -> Json:
        messages = list(self.first() or ())
        snapshot = shallow_snapshot.look(messages, lambda _: False)
        talk = self.adapter_state.conversations[path] = follow(
            self.adapter_state.conversations.get(path), messages, snapshot, message_json
        )
        return talk.parts

    def decode_prompt(self, value: Json) -> Any:
        return [message_from(message) for message in decode(value[self.said])]

    def encode(self, answer: Any) -> Json:
        if not isinstance(answer, ChatResponse):
            return encode(answer)
        told = message_json(answer.message)
        if told.get("role") == "assistant":
            del told["role"]
        return {**told, **_beside(answer)}

    def decode(self, value: Json) -> Any:
        if isinstance(value, str):
            value = {"content": value}
        if not isinstance(value, dict) or TAG in value:
            return decode(value)
        about = {name: decode(value[name]) for name in ("delta", "raw", "logprobs") if name in value}
        told = {k: v for k, v in value.items() if k not in about and k != "additional"}
        message = message_from({"role": "assistant", **told})
        return ChatResponse(message=message, additional_kwargs=decode(value.get("additional", {})), **about)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        return merge_prompt(prompt, value, template={"role": "user"}, allow_unknown=True)

    def complete(self, value: Json) -> Json:
        if isinstance(value, str):
            return {"content": value}
        if not isinstance(value, dict) or not ({"content", "blocks", TAG} & set(value)):
            raise BadValue('an answer is a text, or {"content": ...}')
        return value


class Completion(Request):
    """A text in, a text out."""

    said = "prompt"
    implemented_by = ("complete", "acomplete", "stream_complete", "astream_complete")

    def encode(self, answer: Any) -> Json:
        if not isinstance(answer, CompletionResponse):
            return encode(answer)
        return {"content": answer.text, **_beside(answer)}

    def decode(self, value: Json) -> Any:
        if isinstance(value, str):
            value = {"content": value}
        if not isinstance(value, dict) or TAG in value:
            return decode(value)
        about = {name: decode(value[name]) for name in ("delta", "raw", "logprobs") if name in value}
        return CompletionResponse(
            text=value.get("content", ""), additional_kwargs=decode(value.get("additional", {})), **about
        )

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        value = {"prompt": value} if isinstance(value, str) else value
        if not isinstance(value, dict):
            raise BadValue('a question is {"prompt": ...}, or a text')
        return {**prompt, **value}

    def complete(self, value: Json) -> Json:
        if isinstance(value, str):
            return {"content": value}
        if not isinstance(value, dict) or "content" not in value:
            raise BadValue('an answer is a text, or {"content": ...}')
        return value


class Embedding(Request):
    """A text in, or several; numbers out."""

    name = "embedding"
    said = "text"
    implemented_by = (
        "_get_query_embedding",
        "_get_text_embedding",
        "_aget_query_embedding",
        "_aget_text_embedding",
    )

    def first(self) -> Any:
        return self.args[0] if self.args else next(iter(self.kwargs.values()), None)

    def rebind(self, new: Any) -> Arguments:
        if self.args:
            return super().rebind(new)
        return (self.model,), {**self.kwargs, next(iter(self.kwargs), ""): new}

    def encode(self, answer: Any) -> Json:
        return encode(answer)

    def decode(self, value: Json) -> Any:
        return decode(value)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        return {**prompt, **(value if isinstance(value, dict) else {"text": value})}

    def complete(self, value: Json) -> Json:
        if not isinstance(value, list):
            raise BadValue("an embedding is a list of numbers")
        return value


def _text(answer: Any) -> str | None:
    """The text of an answer that is nothing but text."""
    if isinstance(answer, CompletionResponse):
        return answer.text
    if isinstance(answer, ChatResponse) and all(isinstance(block, TextBlock) for block in answer.message.blocks):
        return answer.message.content or ""
    return None


def register() -> None:
    """A message is written by what it says, wherever it stands."""
    register_family(Family("chat_message", ChatMessage, _message_to, _message_from))


def _message_to(message: ChatMessage, depth: int) -> dict[str, Json]:
    if type(message) is ChatMessage:
        return message_json(message)
    fields = {name: encode(value, depth + 2) for name, value in message.__dict__.items()}
    return {"class": class_name(type(message)), "fields": fields}


def _message_from(value: Json) -> ChatMessage:
    if "class" not in value:
        return message_from({name: item for name, item in value.items() if name != TAG})
    fields = {name: decode(item) for name, item in value["fields"].items()}
    made: ChatMessage = find_class(value["class"], ChatMessage).model_construct(**fields)
    return made


def message_json(message: ChatMessage) -> dict[str, Json]:
    """A message as its author would write it; blocks that are no text are kept as they are."""
    told: dict[str, Json] = {"role": message.role.value}
    if all(type(block) is TextBlock for block in message.blocks) and len(message.blocks) <= 1:
        told["content"] = message.content or ""
    else:
        told["blocks"] = [encode(block) for block in message.blocks]
    if message.additional_kwargs:
        told["additional_kwargs"] = encode(message.additional_kwargs)
    return told


def message_from(value: Json) -> ChatMessage:
    if isinstance(value, str):
        value = {"role": "user", "content": value}
    if not isinstance(value, dict):
        raise BadValue('a message is {"role": ..., "content": ...}')
    extra = decode(value.get("additional_kwargs", {}))
    if "blocks" in value:
        blocks = decode(value["blocks"])
    else:
        blocks = [TextBlock(text=value["content"])] if value.get("content") else []
    blocks += map(_call_from, value.get("tool_calls", ()))
    return ChatMessage(role=value.get("role", "user"), blocks=blocks, additional_kwargs=extra)


def _call_from(call: Json) -> ToolCallBlock:
    """A call of a tool, as the OpenAI API has it.  Raises `BadValue`."""
    try:
        asked = call["function"]
        given = asked.get("arguments", {})
        given = json.loads(given) if isinstance(given, str) else given
        return ToolCallBlock(tool_call_id=call.get("id"), tool_name=asked["name"], tool_kwargs=given)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        raise BadValue(
            'a tool call is {"id": ..., "function": {"name": ..., "arguments": {...}}}: ' + str(error)
        ) from error


def _beside(answer: Any) -> dict[str, Json]:
    """What an answer holds beside its text.  What the provider really said is shown where it cannot be coded."""
    told: dict[str, Json] = {}
    if answer.delta is not None:
        told["delta"] = answer.delta
    if answer.raw is not None:
        coded = encode(answer.raw)
        told["raw"] = safe_repr(answer.raw) if is_opaque(coded) else coded
    if answer.logprobs:
        told["logprobs"] = encode(answer.logprobs)
    if answer.additional_kwargs:
        coded = encode(answer.additional_kwargs)
        told["additional"] = {} if is_opaque(coded) else coded
    return told
