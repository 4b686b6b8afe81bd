"""Model calls pass the gate where a model's class implements them: whole, or streamed event by event.

What a capability or a wrapper does around the model is executed as always, also around an answer that the record gives.
Models call each other (a fallback, a limiter): only the outermost call is an invocation.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_ai.messages import (
    InstructionPart,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.usage import RequestUsage

from outtake_probe.calls import Usage
from outtake_probe.codec import decode, encode
from outtake_probe.gate.invoke import NewInput, astream
from outtake_probe.keeping import stateless
from outtake_probe.records import Json
from outtake_probe.redaction.text import MARK
from outtake_probe.targets.pydantic_ai import messages
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.toolkit import models as toolkit
from outtake_probe.targets.toolkit.boundary import Arguments
from outtake_probe.targets.toolkit.conversations import follow
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import is_inside
from outtake_probe.targets.toolkit.prompts import merge_prompt
from outtake_probe.targets.toolkit.secret_names import is_secret

Method = Callable[..., Any]


def install(state: AdapterState, patches: Patches) -> list[str]:
    """Wrap every model there is, and those to come."""
    stateless.add(Model)
    boundary = toolkit.ModelBoundary(lambda: state.session.here, functools.partial(_whole, state))
    patches.family(
        Model,
        {"request": boundary.acall, "request_stream": functools.partial(_streamed, state)},
        skip=lambda cls: cls is Model,  # the framework tells by this class's method that a model does not stream
    )
    return []


def _whole(state: AdapterState, method: Method, model: Any, *args: Any, **kwargs: Any) -> Request:
    return Request(state, model, args, kwargs)


# -- what is asked ---------------------------------------------------------------------------------------------------


class Request(toolkit.ModelRequest):
    """One request to a model, and the answer."""

    implemented_by = ("request", "request_stream")

    def __init__(self, state: AdapterState, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__(model)
        names = ("messages", "model_settings", "model_request_parameters", "run_context")
        self._given = {**dict(zip(names, args, strict=False)), **kwargs}
        self._state = state

    @property
    def parameters(self) -> Any:
        """The framework's object that says which tools there are, and how to answer."""
        return self._given.get("model_request_parameters") or ModelRequestParameters()

    def prompt(self, path: str) -> dict[str, Json]:
        items = messages.items_of(self._given["messages"])
        talks = self._state.conversations
        talk = talks[path] = follow(talks.get(path), items, messages.Snapshot(items), messages.said)
        out: dict[str, Json] = {"model": self.model.model_name, "messages": talk.parts}
        instructions = self._instructions()
        if instructions:
            out["instructions"] = instructions
        settings = {name: _setting(name, value) for name, value in (self._given["model_settings"] or {}).items()}
        if settings:
            out["settings"] = settings
        return {**out, **_answering(self.parameters)}

    def _instructions(self) -> str | None:
        parts = self.parameters.instruction_parts
        if parts is not None:
            return "\n\n".join(part.content for part in parts if part.content)
        said = (m.instructions for m in reversed(self._given["messages"]) if isinstance(m, ModelRequest))
        return next((text for text in said if text is not None), None)

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        known = {"instructions": None, "settings": {}, **prompt}
        full = merge_prompt(known, value, schema=messages.SCHEMA, template={"role": "user"})
        messages.edited(self._given["messages"], full["messages"])  # raises for what cannot be told to a model
        return {name: item for name, item in full.items() if item or name in prompt}

    def decode_prompt(self, value: Json) -> Any:
        given = messages.edited(self._given["messages"], value["messages"])
        parameters, text = self.parameters, value.get("instructions")
        if text != self._instructions():
            parameters = dataclasses.replace(parameters, instruction_parts=[InstructionPart(content=text or "")])
            given = [dataclasses.replace(m, instructions=text) if isinstance(m, ModelRequest) else m for m in given]
        settings = {
            name: item if item != MARK else (self._given["model_settings"] or {})[name]
            for name, item in decode(value.get("settings") or {}).items()
        }
        return {"messages": given, "model_settings": settings or None, "model_request_parameters": parameters}

    def rebind(self, new: Any) -> Arguments:
        return (self.model,), {**self._given, **new}

    # -- what is answered ----------------------------------------------------------------------------------------------

    def encode(self, answer: Any) -> Json:
        return messages.encode_response(answer)

    def decode(self, value: Json) -> Any:
        response = messages.decode_response(value)
        response.model_name = response.model_name or self.model.model_name
        return response

    def complete(self, value: Json) -> Json:
        return messages.encode_response(messages.decode_response(value))

    def finish(self, answer: Any) -> Any:
        return ModelResponse(parts=[]) if answer is None else answer  # it was dropped

    def usage(self, answer: Any) -> Usage | None:
        used = answer.usage if isinstance(answer, ModelResponse) else None
        return Usage(used.input_tokens, used.output_tokens) if used is not None and used.has_values() else None


def _setting(name: str, value: Any) -> Json:
    return MARK if is_secret(name, value, text_only=True) or name == "extra_headers" else encode(value)


def _answering(parameters: Any) -> dict[str, Json]:
    """Which tools a model has, and how it is to answer."""
    out: dict[str, Json] = {}
    for name, tools in (("tools", parameters.function_tools), ("output_tools", parameters.output_tools)):
        if tools:
            out[name] = [_tool(tool) for tool in tools]
    if parameters.native_tools:
        out["native_tools"] = [encode(tool) for tool in parameters.native_tools]
    if parameters.output_object is not None:
        out["output"] = encode(parameters.output_object.json_schema)
    return out


def _tool(tool: Any) -> Json:
    about = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **about, "parameters": encode(tool.parameters_json_schema)}


# -- streams ---------------------------------------------------------------------------------------------------------


def _streamed(state: AdapterState, method: Method) -> Method:
    """A method that opens a stream: its opening, each event and what it told of itself are the pieces of its answer."""

    @functools.wraps(method)
    @asynccontextmanager
    async def request_stream(model: Any, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        if is_inside("model"):
            async with method(model, *args, **kwargs) as opened:
                yield opened
            return
        request = StreamRequest(state, model, args, kwargs)
        async with AsyncExitStack() as stack:

            async def run(new: NewInput | None) -> AsyncIterator[Any]:
                positional, named = ((model, *args), kwargs) if new is None else request.rebind(new.value)
                inner = request.inner = await stack.enter_async_context(method(*positional, **named))
                async for piece in _pieces(inner):
                    yield piece

            source = astream(state.session, request.call(streams=True), run)
            async with aclosing(source):
                first = await anext(source, Told(ModelResponse(parts=[], model_name=model.model_name)))
                if request.inner is None:
                    yield _Served(request.parameters, first.response, source)
                else:
                    request.inner._get_event_iterator = lambda: _events(source)
                    yield request.inner

    return request_stream


@dataclass(frozen=True, slots=True)
class Told:
    """What a stream tells of its answer beside its events, at one moment: of its parts, nothing."""

    response: ModelResponse


async def _pieces(inner: Any) -> AsyncIterator[Any]:
    """The events of a stream as its class makes them, with what it tells of itself where that has changed."""
    told = _told(inner)
    yield told
    async for event in type(inner)._get_event_iterator(inner):
        now = _told(inner)
        if now.response.usage != told.response.usage:
            yield now
        told = now
        yield event
    yield _told(inner)


def _told(inner: Any) -> Told:
    return Told(dataclasses.replace(inner.get(), parts=[]))


async def _events(source: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """The events for the program."""
    async for piece in source:
        if not isinstance(piece, Told):
            yield piece


class _Served(StreamedResponse):
    """A stream whose events come from the record, or from a person; they build up the answer."""

    def __init__(self, parameters: Any, told: ModelResponse, source: AsyncIterator[Any]) -> None:
        super().__init__(parameters)
        self._told = told
        self._source = source
        self._said: list[Any] = []
        manager: Any = self._parts_manager
        manager.get_parts = lambda: list(self._said)

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        async for piece in self._source:
            if isinstance(piece, Told):
                self._told = piece.response
                continue
            if isinstance(piece, PartStartEvent):
                self._said[piece.index :] = [piece.part, *self._said[piece.index + 1 :]]
            elif isinstance(piece, PartDeltaEvent):
                self._said[piece.index] = piece.delta.apply(self._said[piece.index])
            yield piece

    def get(self) -> ModelResponse:
        state = super().get().state
        return dataclasses.replace(self._told, parts=list(self._said), state=state)

    @property
    def usage(self) -> RequestUsage:
        return self._told.usage

    @property
    def model_name(self) -> str:
        return self._told.model_name or ""

    @property
    def provider_name(self) -> str | None:
        return self._told.provider_name

    @property
    def provider_url(self) -> str | None:
        return self._told.provider_url

    @property
    def timestamp(self) -> datetime:
        return self._told.timestamp

    async def close_stream(self) -> None:
        """There is nothing to close."""


class StreamRequest(Request):
    """A request whose answer comes in pieces: texts, other events as objects, and what the stream told of itself."""

    def __init__(self, state: AdapterState, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__(state, model, args, kwargs)
        self.inner: Any = None
        """The framework's stream, where it is executed."""
        codec = _PieceCodec()
        self.encode_piece = codec.encode  # type: ignore[method-assign]
        self.decode_piece = _PieceCodec().decode  # type: ignore[method-assign]

    def complete_pieces(self, value: Json) -> Json:
        codec, given = _PieceCodec(), value if isinstance(value, list) else [value]
        pieces = [piece for item in given for piece in codec.complete(item)]
        opening = {"type": "response", "model_name": self.model.model_name}
        is_whole = bool(pieces) and isinstance(pieces[0], dict) and pieces[0].get("type") == "response"
        return pieces if is_whole else [opening, *pieces]

    def finish(self, answer: Any) -> Any:
        return answer

    def usage(self, answer: Any) -> Usage | None:
        return super().usage(answer.response) if isinstance(answer, Told) else None


class _PieceCodec:
    """Writes or reads the pieces of one answer, in order: a text belongs to the open part, or begins one."""

    def __init__(self) -> None:
        self._are_texts: list[bool] = []
        """Of each part so far, whether it is a plain text; the last of them is the open one."""

    @property
    def _is_in_text(self) -> bool:
        return bool(self._are_texts) and self._are_texts[-1]

    def _begin(self, index: int, part: Any) -> None:
        self._are_texts[index:] = [type(part) is TextPart]

    def encode(self, piece: Any) -> Json:
        if isinstance(piece, Told):
            return {"type": "response", **messages.fields(piece.response, ("parts",))}
        if isinstance(piece, PartStartEvent):
            is_next = piece.index == len(self._are_texts) and not self._is_in_text
            self._begin(piece.index, piece.part)
            if is_next and _is_plain(piece.part, TextPart):
                return piece.part.content  # type: ignore[union-attr]
            return {"type": "part_start", "index": piece.index, "part": messages.part_fields(piece.part)}
        if isinstance(piece, PartDeltaEvent):
            is_open = piece.index == len(self._are_texts) - 1 and self._is_in_text
            if is_open and _is_plain(piece.delta, TextPartDelta):
                return piece.delta.content_delta  # type: ignore[union-attr]
            return {"type": "part_delta", "index": piece.index, "delta": messages.part_fields(piece.delta)}
        return encode(piece)

    def decode(self, value: Json) -> Any:
        if isinstance(value, str):
            if self._is_in_text:
                return PartDeltaEvent(index=len(self._are_texts) - 1, delta=TextPartDelta(content_delta=value))
            self._are_texts.append(True)
            return PartStartEvent(index=len(self._are_texts) - 1, part=TextPart(value))
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "response":
            return Told(
                ModelResponse(parts=[], **{name: decode(item) for name, item in value.items() if name != "type"})
            )
        if kind == "part_start":
            part = messages.make_part(value["part"])
            self._begin(value["index"], part)
            return PartStartEvent(index=value["index"], part=part)
        if kind == "part_delta":
            return PartDeltaEvent(index=value["index"], delta=messages.make_part(value["delta"]))
        return decode(value)

    def complete(self, item: Json) -> Iterator[Json]:
        """The pieces that a person means by one.  Raises `BadValue`."""
        if isinstance(item, str) or (isinstance(item, dict) and "type" in item):
            self.decode(item)
            yield item
            return
        for part in messages.decode_response(item).parts:
            index = len(self._are_texts)
            self._begin(index, part)
            yield {"type": "part_start", "index": index, "part": messages.part_fields(part)}


def _is_plain(held: Any, cls: type[Any]) -> bool:
    """Whether a part, or a change of one, says nothing but a text."""
    return type(held) is cls and len(messages.part_fields(held)) <= 2  # its kind and its text
