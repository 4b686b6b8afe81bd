"""The `openai` client, 1.x to 3.x: chat completions and responses, streaming or not, sync and async, Azure, beta."""

from __future__ import annotations

import openai

from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.targets.stainless.hooks import Hooks
from outtake_probe.targets.stainless.library import CAPABILITIES, Api, Library, http_module

TRIGGERS = ("openai",)
name = "openai"
capabilities = CAPABILITIES


def _model(request: Json) -> Json:
    return request.get("model") or ""


# -- chat completions ------------------------------------------------------------------------------------------------


def _completion(request: Json, text: str) -> Json:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion",
        "created": 0,
        "model": _model(request),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }


def _completion_chunks(request: Json, text: str) -> list[Json]:
    whole = {**_completion(request, text), "object": "chat.completion.chunk"}
    deltas: tuple[tuple[Json, Json], ...] = (({"role": "assistant", "content": text}, None), ({}, "stop"))
    return [{**whole, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} for delta, reason in deltas]


def _wrong_completion(value: Json) -> str | None:
    return None if _choices(value, "message", 1) else "no list `choices` of objects with a `message`"


def _wrong_chunk(value: Json) -> str | None:
    return None if _choices(value, "delta", 0) else "no list `choices` of objects with a `delta`"


def _choices(value: Json, part: str, least: int) -> bool:
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or len(choices) < least:
        return False
    return all(isinstance(choice, dict) and isinstance(choice.get(part), dict) for choice in choices)


def _completion_usage(value: Json) -> Usage | None:
    return _tokens(value.get("usage"), "prompt_tokens", "completion_tokens")


def _tokens(usage: Json, tokens_in: str, tokens_out: str) -> Usage | None:
    return Usage(usage.get(tokens_in) or 0, usage.get(tokens_out) or 0) if isinstance(usage, dict) else None


# -- responses -------------------------------------------------------------------------------------------------------


def _response(request: Json, text: str) -> Json:
    return {
        "id": "resp-mock",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": _model(request),
        "output": [_message([_part(text)])],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def _message(content: list[Json], status: str = "completed") -> Json:
    return {"id": "msg-mock", "type": "message", "role": "assistant", "status": status, "content": content}


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _response_events(request: Json, text: str) -> list[Json]:
    whole = _response(request, text)
    begun = {**whole, "status": "in_progress", "output": []}
    item: Json = {"output_index": 0}
    part = {"item_id": "msg-mock", "output_index": 0, "content_index": 0}
    events = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", **item, "item": _message([], "in_progress")},
        {"type": "response.content_part.added", **part, "part": _part("")},
        {"type": "response.output_text.delta", **part, "delta": text, "logprobs": []},
        {"type": "response.output_text.done", **part, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **part, "part": _part(text)},
        {"type": "response.output_item.done", **item, "item": _message([_part(text)])},
        {"type": "response.completed", "response": whole},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _wrong_response(value: Json) -> str | None:
    output = value.get("output") if isinstance(value, dict) else None
    fits = isinstance(output, list) and all(isinstance(item, dict) and "type" in item for item in output)
    return None if fits else "no list `output` of objects with a `type`"


def _wrong_event(value: Json) -> str | None:
    return None if isinstance(value, dict) and isinstance(value.get("type"), str) else "no `type`"


def _response_usage(value: Json) -> Usage | None:
    """Of a response, or of the event that ends a stream with one."""
    response = value.get("response")
    holder = response if isinstance(response, dict) else value
    return _tokens(holder.get("usage"), "input_tokens", "output_tokens")


_hooks = Hooks(
    Library(
        name=name,
        clients=(openai.OpenAI, openai.AsyncOpenAI),
        streams=(openai.Stream, openai.AsyncStream),
        absent=tuple(getattr(openai, name) for name in ("NotGiven", "Omit") if hasattr(openai, name)),
        error=openai.APIError,
        http=http_module(openai.Timeout),
        apis=(
            Api(
                path="/chat/completions",
                type="chat.completions",
                turns="messages",
                whole=_completion,
                pieces=_completion_chunks,
                wrong=_wrong_completion,
                wrong_piece=_wrong_chunk,
                usage=_completion_usage,
            ),
            Api(
                path="/responses",
                type="responses",
                turns="input",
                whole=_response,
                pieces=_response_events,
                wrong=_wrong_response,
                wrong_piece=_wrong_event,
                usage=_response_usage,
            ),
        ),
    )
)

install = _hooks.install
remove = _hooks.remove
claims = _hooks.claims
program = _hooks.program
