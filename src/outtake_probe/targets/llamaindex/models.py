"""Calls of models and embeddings pass the gate.

Implementations call each other (a chat is a completion below, a call with tools is a chat): only the outermost call is
an invocation.  A stream gives its whole text with every piece; recorded is what each piece adds.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, TextBlock, ToolCallBlock

from outtake_probe.calling import NewInput, acall, astream, call, stream
from outtake_probe.calls import Call
from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.llamaindex import contents
from outtake_probe.targets.llamaindex.hub import Hub
from outtake_probe.targets.llamaindex.settings import of_model
from outtake_probe.targets.llamaindex.usage import usage
from outtake_probe.targets.toolkit.conversations import follow
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.targets.toolkit.prompts import merge_prompt
from outtake_probe.values import TAG, Family, class_name, decode, encode, find_class, is_opaque, safe_repr
from outtake_probe.values import register as register_family

Method = Callable[..., Any]
_HIDDEN = frozenset({"callback_manager", "_return_exception"})


def methods(hub: Hub) -> dict[str, Callable[[Method], Method]]:
    """How each method of a model is wrapped."""
    chats = {"chat": _whole, "achat": _awhole, "stream_chat": _stream, "astream_chat": _astream}
    texts = {"complete": _whole, "acomplete": _awhole, "stream_complete": _stream, "astream_complete": _astream}
    made = {name: functools.partial(wrap, hub, Chat) for name, wrap in chats.items()}
    return {**made, **{name: functools.partial(wrap, hub, Completion) for name, wrap in texts.items()}}


def embedding_methods(hub: Hub) -> dict[str, Callable[[Method], Method]]:
    names = ("get_query_embedding", "get_text_embedding", "get_text_embedding_batch")
    made = {name: functools.partial(_whole, hub, Embedding) for name in names}
    return {**made, **{f"a{name}": functools.partial(_awhole, hub, Embedding) for name in names}}


# -- what is asked and answered --------------------------------------------------------------------------------------


class Exchange:
    """One call: how what it is asked and what it answers are written.  A stream's pieces are told in order."""

    name = "model"
    said = "messages"
    methods: Sequence[str] = ("chat", "achat", "stream_chat", "astream_chat")
    """The methods by which a class implements it."""

    def __init__(self, hub: Hub, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self.hub = hub
        self.model = model
        self.args = list(args)
        self.kwargs = dict(kwargs)
        self.text = ""
        """What a stream has given so far."""

    def first(self) -> Any:
        return self.args[0] if self.args else self.kwargs.get(self.said)

    def told(self) -> Json:
        """What is asked, as JSON."""
        raise NotImplementedError

    def again(self, value: Json) -> Any:
        """What is asked, of its JSON."""
        raise NotImplementedError

    def encode(self, answer: Any) -> Json:
        raise NotImplementedError

    def decode(self, value: Json) -> Any:
        raise NotImplementedError

    def normalize(self, current: Json, value: Json) -> Json:
        """The full question, of what a person says of it: a text takes the place of the last one."""
        raise NotImplementedError

    def normalize_output(self, value: Json) -> Json:
        raise NotImplementedError

    def call(self, streams: bool = False) -> Call:
        rest = {k: v for k, v in self.kwargs.items() if k != self.said and k not in _HIDDEN and v is not None}
        given = {**of_model(self.model), self.said: self.told(), **{k: encode(v) for k, v in rest.items()}}
        return Call(
            "model",
            child_path(self.name),
            given,
            type=type(self.model).__name__,
            functions=[
                method for name in self.methods if (method := getattr(type(self.model), name, None)) is not None
            ],
            encode=self.piece if streams else self.encode,
            decode=self.whole if streams else self.decode,
            usage=usage,
            normalize=self.normalize,
            normalize_output=self.pieces if streams else self.normalize_output,
        )

    def arguments(self, new: NewInput | None) -> tuple[list[Any], dict[str, Any]]:
        """What the model is really asked."""
        if new is None:
            return self.args, self.kwargs
        said = self.again(new.value[self.said])
        if self.args:
            return [said, *self.args[1:]], self.kwargs
        return [], {**self.kwargs, self.said: said}

    def piece(self, answer: Any) -> Json:
        """A piece of a stream: what it adds to those before it, where that is all."""
        coded, text = self.encode(answer), _text(answer)
        if text is not None and text == self.text + (answer.delta or "") and set(coded) <= {"content", "delta"}:
            self.text = text
            return {"delta": answer.delta or ""}
        self.text = text or ""
        return coded

    def whole(self, value: Json) -> Any:
        """The piece of a stream that was recorded as what it adds."""
        if isinstance(value, dict) and set(value) == {"delta"}:
            self.text += value["delta"]
            value = {"content": self.text, "delta": value["delta"]}
        else:
            self.text = value.get("content", "") if isinstance(value, dict) else str(value)
        return self.decode(value)

    def pieces(self, value: Json) -> Json:
        """A mock of a stream: all its pieces, or one that says everything."""
        if isinstance(value, list):
            return value
        full = self.normalize_output(value)
        return [{**full, "delta": full.get("content", "")}] if set(full) - {"content"} else [{"delta": full["content"]}]


class Chat(Exchange):
    """Messages in, a message out."""

    def told(self) -> Json:
        messages, path = list(self.first() or ()), child_path(self.name)
        snapshot = contents.look(messages, lambda _: False)
        talk = self.hub.conversations[path] = follow(self.hub.conversations.get(path), messages, snapshot, message_json)
        return talk.parts

    def again(self, value: Json) -> Any:
        return [message_from(message) for message in value]

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

    def normalize(self, current: Json, value: Json) -> Json:
        return merge_prompt(current, value, template={"role": "user"}, allow_unknown=True)

    def normalize_output(self, value: Json) -> Json:
        if isinstance(value, str):
            return {"content": value}
        if not isinstance(value, dict) or not ({"content", "blocks", TAG} & set(value)):
            raise BadValue('an answer is a text, or {"content": ...}')
        return value


class Completion(Exchange):
    """A text in, a text out."""

    said = "prompt"
    methods = ("complete", "acomplete", "stream_complete", "astream_complete")

    def told(self) -> Json:
        return encode(self.first())

    def again(self, value: Json) -> Any:
        return value

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

    def normalize(self, current: Json, value: Json) -> Json:
        value = {"prompt": value} if isinstance(value, str) else value
        if not isinstance(value, dict):
            raise BadValue('a question is {"prompt": ...}, or a text')
        return {**current, **value}

    def normalize_output(self, value: Json) -> Json:
        if isinstance(value, str):
            return {"content": value}
        if not isinstance(value, dict) or "content" not in value:
            raise BadValue('an answer is a text, or {"content": ...}')
        return value


class Embedding(Exchange):
    """A text in, or several; numbers out."""

    name = "embedding"
    said = "text"
    methods = ("_get_query_embedding", "_get_text_embedding", "_aget_query_embedding", "_aget_text_embedding")

    def first(self) -> Any:
        return self.args[0] if self.args else next(iter(self.kwargs.values()), None)

    def told(self) -> Json:
        return encode(self.first())

    def again(self, value: Json) -> Any:
        return decode(value)

    def arguments(self, new: NewInput | None) -> tuple[list[Any], dict[str, Any]]:
        if new is None:
            return self.args, self.kwargs
        first = next(iter(self.kwargs), "")
        if self.args:
            return [self.again(new.value["text"]), *self.args[1:]], self.kwargs
        return [], {**self.kwargs, first: self.again(new.value["text"])}

    def encode(self, answer: Any) -> Json:
        return encode(answer)

    def decode(self, value: Json) -> Any:
        return decode(value)

    def normalize(self, current: Json, value: Json) -> Json:
        return {**current, **(value if isinstance(value, dict) else {"text": value})}

    def normalize_output(self, value: Json) -> Json:
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


# -- through the gate ------------------------------------------------------------------------------------------------


def _whole(hub: Hub, exchange: type[Exchange], method: Method) -> Method:
    @functools.wraps(method)
    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_inside("model"):
            return method(self, *args, **kwargs)
        this = exchange(hub, self, args, kwargs)

        def run(new: NewInput | None) -> Any:
            given, named = this.arguments(new)
            return method(self, *given, **named)

        return call(hub.session, this.call(), run)

    return ask


def _awhole(hub: Hub, exchange: type[Exchange], method: Method) -> Method:
    @functools.wraps(method)
    async def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_inside("model"):
            return await method(self, *args, **kwargs)
        this = exchange(hub, self, args, kwargs)

        async def run(new: NewInput | None) -> Any:
            given, named = this.arguments(new)
            return await method(self, *given, **named)

        return await acall(hub.session, this.call(), run)

    return ask


def _stream(hub: Hub, exchange: type[Exchange], method: Method) -> Method:
    @functools.wraps(method)
    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_inside("model"):
            return method(self, *args, **kwargs)
        this = exchange(hub, self, args, kwargs)

        def run(new: NewInput | None) -> Iterator[Any]:
            given, named = this.arguments(new)
            pieces: Iterator[Any] = method(self, *given, **named)
            return iter(pieces)

        return stream(hub.session, this.call(streams=True), run)

    return ask


def _astream(hub: Hub, exchange: type[Exchange], method: Method) -> Method:
    @functools.wraps(method)
    async def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_inside("model"):
            return await method(self, *args, **kwargs)
        this = exchange(hub, self, args, kwargs)

        async def pieces(new: NewInput | None) -> AsyncIterator[Any]:
            given, named = this.arguments(new)
            found = method(self, *given, **named)
            async for piece in await found if inspect.isawaitable(found) else found:
                yield piece

        return astream(hub.session, this.call(streams=True), pieces)

    return ask
