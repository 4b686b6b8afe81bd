"""The protocol of Anthropic's messages, in terms of that of OpenAI: what is asked, and what is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Json = Any


def asked(body: Json) -> Json:
    """A request as the other protocol has it."""
    messages = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    for message in body["messages"]:
        messages += _told(message["role"], message["content"])
    tools = [_tool(tool) for tool in body.get("tools") or () if "input_schema" in tool]
    return {"messages": messages, "tools": tools, "tool_choice": _choice(body.get("tool_choice") or {})}


def _told(role: str, content: Json) -> Iterator[Json]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"role": "tool", "content": block.get("content")}
    calls = [_call(block) for block in blocks if block["type"] == "tool_use"]
    texts = [block for block in blocks if block["type"] == "text"]
    if calls or texts:
        yield {"role": role, "content": texts, **({"tool_calls": calls} if calls else {})}


def _call(block: Json) -> Json:
    return {"type": "function", "function": {"name": block["name"], "arguments": json.dumps(block["input"])}}


def _tool(tool: Json) -> Json:
    return {"type": "function", "function": {"name": tool["name"], "parameters": tool["input_schema"]}}


def _choice(choice: Json) -> Json:
    if choice.get("type") == "tool":
        return {"function": {"name": choice["name"]}}
    return {"any": "required", "none": "none"}.get(choice.get("type"), "auto")


def answer(body: Json, completion: Json) -> Json:
    """The answer of the other protocol as a message."""
    said = completion["choices"][0]["message"]
    calls = said.get("tool_calls") or ()
    content = [{"type": "text", "text": said["content"]}] if said["content"] else []
    for call in calls:
        function = call["function"]
        given = json.loads(function["arguments"])
        content.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": given})
    return {
        "id": completion["id"],
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "made-up"),
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }


def events(message: Json, pieces: int) -> Iterator[Json]:
    """The same answer as the events of a stream."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        empty = {**block, **({"text": ""} if block["type"] == "text" else {"input": {}})}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        text = block["text"] if block["type"] == "text" else json.dumps(block["input"])
        size = max(1, -(-len(text) // pieces))
        for at in range(0, len(text), size):
            part = text[at : at + size]
            told = {"type": "text_delta", "text": part}
            if block["type"] != "text":
                told = {"type": "input_json_delta", "partial_json": part}
            yield {"type": "content_block_delta", "index": index, "delta": told}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 3}}
    yield {"type": "message_stop"}
