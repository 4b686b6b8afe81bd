"""Model calls in the shape in which calls through the OpenAI client are recorded: a request, and a completion.

Traces tell of prompts and answers in forms of their own.  In one shape the window shows them like recorded ones, and
whoever asks a model again finds its name, the messages and the tools in one place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from outtake.importers.values import decoded, fields, items, objects, text
from outtake_probe.records import Json

COMPLETIONS = "chat.completions"
"""The `type` of such a call."""
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool"}
_TEXTS = ("text", "input_text", "output_text", "refusal")


def request(model: str, messages: Sequence[Json], tools: Sequence[Json] = (), settings: Json = None) -> dict[str, Json]:
    """What a model was asked."""
    known = {name: value for name, value in fields(settings).items() if value is not None}
    made = {**known, "model": model, "messages": list(messages)}
    return {**made, "tools": [tool(one) for one in tools]} if tools else made


def completion(model: str, messages: Sequence[Json], finish: Json = None, usage: Json = None) -> dict[str, Json]:
    """What a model answered; each message is a choice."""
    choices = [
        {"index": number, "message": said, "finish_reason": finish if isinstance(finish, str) else None}
        for number, said in enumerate(messages)
    ]
    made: dict[str, Json] = {"object": "chat.completion", "model": model, "choices": choices}
    return {**made, "usage": usage} if usage else made


def usage(tokens_in: int, tokens_out: int) -> Json:
    """How many tokens a completion says it took; None: it does not say."""
    if not tokens_in and not tokens_out:
        return None
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}


def message(role: str, content: Json, calls: Sequence[Json] = (), **more: Json) -> dict[str, Json]:
    """A message; what is None among `more` is left out."""
    made = {"role": _ROLES.get(role, role) or "user", "content": content}
    made |= {name: value for name, value in more.items() if value not in (None, "")}
    return {**made, "tool_calls": list(calls)} if calls else made


def tool_call(name: Json, arguments: Json, id: Json = None) -> dict[str, Json]:
    """A tool call that a model wants."""
    given = arguments if isinstance(arguments, str) else json.dumps(arguments if arguments is not None else {})
    made: dict[str, Json] = {"type": "function", "function": {"name": text(name), "arguments": given}}
    return {"id": text(id), **made} if text(id) else made


def tool(told: Json) -> Json:
    """A tool's definition, from one of the forms in which APIs and traces have it."""
    held = fields(decoded(told))
    if not held or (held.get("type") == "function" and isinstance(held.get("function"), dict)):
        return held or told
    schema = held.get("parameters", held.get("input_schema", held.get("json_schema")))
    function = {"name": held.get("name"), "description": held.get("description"), "parameters": decoded(schema)}
    if not isinstance(held.get("name"), str):
        return dict(held)
    return {"type": "function", "function": {name: value for name, value in function.items() if value is not None}}


def from_blocks(role: str, content: Json, **more: Json) -> list[dict[str, Json]]:
    """Messages from content that may have blocks of text, thoughts, tool calls and tool results, as Anthropic's and
    the GenAI conventions' messages do: a result of a tool is a message of its own.
    """
    if not isinstance(content, list):
        return [message(role, content, **more)]
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[Json] = []
    results: list[dict[str, Json]] = []
    others: list[Json] = []
    for block in items(content):
        held = fields(block)
        kind = held.get("type")
        if isinstance(block, str) or kind in _TEXTS:
            texts.append(block if isinstance(block, str) else text(held.get("text", held.get("content"))))
        elif kind in ("thinking", "reasoning"):
            forms = (held.get(name) for name in ("thinking", "reasoning", "content", "text"))
            thoughts.append(next((one for one in forms if isinstance(one, str)), ""))
        elif kind in ("tool_use", "tool_call", "server_tool_use", "server_tool_call"):
            calls.append(
                tool_call(held.get("name"), held.get("input", held.get("arguments", held.get("args"))), held.get("id"))
            )
        elif kind in ("tool_result", "tool_call_response"):
            given = held.get("content", held.get("response", held.get("result")))
            id = held.get("tool_use_id", held.get("id"))
            results.append(message("tool", plain(given), tool_call_id=text(id)))
        else:
            others.append(block)
    said = "\n".join(filter(None, texts))
    body: Json = [*([{"type": "text", "text": said}] if said else []), *others] if others else said
    if not (body or calls or thoughts) and results:
        return results
    spoken = message(role, body or (None if calls else ""), calls, reasoning_content="\n".join(thoughts), **more)
    return [*results, spoken]


def plain(content: Json) -> Json:
    """Content in blocks of which each is a text, as one text."""
    blocks = items(content)
    if blocks and all(isinstance(fields(block).get("text"), str) for block in blocks):
        return "\n".join(fields(block)["text"] for block in blocks)
    return content


def calls_of(said: Mapping[str, Json]) -> list[tuple[str, str, Json]]:
    """The tool calls of a message in any of the usual forms: id, name and arguments of each."""
    found = []
    for call in objects(said.get("tool_calls")) or objects(said.get("content")):
        if "function" not in call and call.get("type") not in (None, "function", "tool_use", "tool_call"):
            continue
        held = fields(call.get("function")) or call
        name = text(held.get("name")) or text(call.get("function"))
        given = held.get("arguments", held.get("input", held.get("args")))
        if name and (given is not None or "id" in call):
            found.append((text(call.get("id")), name, decoded(given)))
    return found


def results_of(said: Mapping[str, Json]) -> list[tuple[str, str, Json]]:
    """The results of tool calls that a message brings: id and name as far as they are told, and the result."""
    if said.get("role") in ("tool", "function"):
        id = text(said.get("tool_call_id"))
        return [(id, text(said.get("name")), plain(said.get("content")))]
    blocks = [block for block in objects(said.get("content")) if block.get("type") == "tool_result"]
    return [(text(block.get("tool_use_id")), "", plain(block.get("content"))) for block in blocks]
