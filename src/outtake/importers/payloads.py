"""Inputs and outputs of model calls as traces hold them, whichever library made them, as messages in one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake.importers import models
from outtake.importers.values import decoded, fields, items, objects, text, whole
from outtake_probe.records import Json

_CLASSES = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}
_CONTENT = ("content", "text", "completion", "output", "answer")

_IN = ("input_tokens", "prompt_tokens", "input", "promptTokens")
_OUT = ("output_tokens", "completion_tokens", "output", "completionTokens")


def prompt(value: Json) -> list[Json]:
    """The messages of a prompt: a list of them, an object that has them, or a text."""
    value = decoded(value)
    if isinstance(value, str):
        return [models.message("user", value)]
    held = fields(value)
    for name in ("messages", "input", "prompts", "prompt", "contents"):
        if held.get(name) and isinstance(held[name], (list, str)):
            inner = held[name]
            return _system(held) + (prompt(inner) if isinstance(inner, str) else _messages(inner))
    if isinstance(value, list):
        return _messages(value)
    return _message(held) if held else []


def answer(value: Json) -> list[Json]:
    """The messages of an answer: a completion, LangChain's generations, a message, or a text."""
    value = decoded(value)
    if isinstance(value, str):
        return [models.message("assistant", value)]
    held = fields(value)
    if objects(held.get("choices")):
        return [dict(fields(choice.get("message"))) for choice in objects(held["choices"]) if choice.get("message")]
    if items(held.get("generations")):
        return _generations(items(held["generations"]))
    if items(held.get("messages")):
        return _messages(held["messages"])[-1:]
    if isinstance(value, list):
        return _messages(value, "assistant")
    for name in ("output", "message", "response"):
        if isinstance(held.get(name), (dict, str)):
            return answer(held[name])
    return _message(held, "assistant") if held else []


def usage(*places: Json) -> tuple[int, int]:
    """Tokens in and out, from the first place that tells."""
    for place in places:
        held = fields(place)
        tokens_in, tokens_out = (next((n for key in keys if (n := whole(held.get(key)))), 0) for keys in (_IN, _OUT))
        if tokens_in or tokens_out:
            return tokens_in, tokens_out
    return 0, 0


def _system(held: Mapping[str, Json]) -> list[Json]:
    said = held.get("system")
    return [models.message("system", models.plain(said))] if said else []


def _messages(value: Sequence[Json], role: str = "user") -> list[Json]:
    """The messages of a list; LangChain has a list for each prompt, of which a call has one."""
    if value and all(isinstance(one, list) for one in value):
        value = items(value[0])
    found: list[Json] = []
    for one in value:
        if isinstance(one, str):
            found.append(models.message(role, one))
        elif isinstance(one, dict):
            found += _message(one, role)
    return found


def _message(said: Mapping[str, Json], role: str = "user") -> list[Json]:
    """A message in the form of an API, or of LangChain."""
    held = langchain(said)
    name = text(held.get("role")) or text(held.get("type")) or role
    calls = [models.tool_call(tool, given, id) for id, tool, given in models.calls_of({"tool_calls": _calls(held)})]
    content = next((held[key] for key in _CONTENT if key in held), None)
    if content is None and not calls:
        content = dict(held)
    if calls or not isinstance(content, list):
        content = models.plain(content)
        if isinstance(content, list) and calls:
            texts = [text(block.get("text")) for block in objects(content)]
            content = "\n".join(filter(None, texts))
        more = {key: held.get(key) for key in ("name", "tool_call_id") if isinstance(held.get(key), str)}
        return [models.message(name, content, calls, **more)]
    return list(models.from_blocks(name, content))


def _calls(held: Mapping[str, Json]) -> Json:
    """Tool calls where LangChain, or OpenAI below it, has them."""
    return held.get("tool_calls") or fields(held.get("additional_kwargs")).get("tool_calls")


def langchain(said: Mapping[str, Json]) -> Mapping[str, Json]:
    """A serialised object of LangChain by its fields; everything else as it is."""
    if isinstance(said.get("kwargs"), dict) and isinstance(said.get("id"), list):
        role = _CLASSES.get(text(said["id"][-1]).removesuffix("Chunk"), "") if said["id"] else ""
        return {**said["kwargs"], **({"role": role} if role else {})}
    return {**said["data"], "type": said.get("type")} if isinstance(said.get("data"), dict) else said


def _generations(groups: Sequence[Json]) -> list[Json]:
    found: list[Json] = []
    for group in groups:
        for one in group if isinstance(group, list) else [group]:
            held = fields(one)
            said = fields(held.get("message"))
            found += _message(said, "assistant") if said else [models.message("assistant", held.get("text"))]
    return found
