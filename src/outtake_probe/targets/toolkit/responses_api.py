"""Answers in the form of OpenAI's Responses API, of the essential that a person writes: items, and stream events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from outtake_probe import nondeterminism
from outtake_probe.commands import BadValue
from outtake_probe.records import Json

MOCK = "msg-mock"


def new_id(kind: str) -> str:
    """An id that is the same in every run."""
    return f"{kind}_{nondeterminism.new_id().hex}"


def text_part(text: str) -> Json:
    """A part of a message that is a text."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def message_item(content: list[Json], status: str = "completed", name: str = MOCK) -> Json:
    """A message of a model, with the id `name`."""
    return {"id": name, "type": "message", "role": "assistant", "status": status, "content": content}


def output_items(value: Json) -> list[Json]:
    """The items of a mocked answer: a text, a message with `content` and `tool_calls`, or a list of items as `output`.

    Each item that is made here has an id of its own.  The items of a list are not checked.  Raises `BadValue`.
    """
    if value is None or isinstance(value, str):
        value = {"content": value}
    if not isinstance(value, dict) or not {"content", "tool_calls", "output"} & set(value):
        raise BadValue('an answer is a text, {"content": ..., "tool_calls": [...]}, or {"output": [items]}')
    if isinstance(value.get("output"), list):
        return list(value["output"])
    said = [message_item([text_part(str(value["content"]))], name=new_id("msg"))] if value.get("content") else []
    return [*said, *map(_call_item, value.get("tool_calls") or ())]


def _call_item(asked: Json) -> Json:
    """A tool call as any library writes it."""
    inner = asked.get("function", asked) if isinstance(asked, dict) else {}
    given: Json = next((inner[name] for name in ("arguments", "args", "input") if name in inner), {})
    if not isinstance(inner.get("name"), str):
        raise BadValue('a tool call is {"name": ..., "arguments": {...}}')
    return {
        "type": "function_call",
        "call_id": asked.get("call_id") or asked.get("id") or new_id("call"),
        "name": inner["name"],
        "arguments": given if isinstance(given, str) else json.dumps(given),
    }


def response(model: str, output: Iterable[Json], name: str = "resp-mock") -> dict[str, Json]:
    """A whole response, with the id `name`."""
    return {
        "id": name,
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": list(output),
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
    }


def events(whole: dict[str, Json], pieces: Sequence[str] = ()) -> list[Json]:
    """The events in which a response is streamed; the text of a message comes at once, or in these pieces."""
    told: list[dict[str, Json]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    ]
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index}
        parts = item["content"] if item.get("type") == "message" else []
        begun = message_item([], "in_progress", item["id"]) if parts else item
        told.append({"type": "response.output_item.added", **at, "item": begun})
        for number, part in enumerate(parts):
            text = part.get("text", "")
            where = {"item_id": item["id"], **at, "content_index": number}
            told.append({"type": "response.content_part.added", **where, "part": text_part("")})
            for piece in pieces or [text]:
                told.append({"type": "response.output_text.delta", **where, "delta": piece, "logprobs": []})
            told.append({"type": "response.output_text.done", **where, "text": text, "logprobs": []})
            told.append({"type": "response.content_part.done", **where, "part": part})
        told.append({"type": "response.output_item.done", **at, "item": item})
    told.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(told)]
