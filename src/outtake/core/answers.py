"""What a model answered, whichever library was asked: its text and the tool calls that it wants.

Responses, lists of streamed pieces and wrapped results become ``{"content": text, "tool_calls": [...]}``; what is none
of them is left to its reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from outtake_probe.records import Json

_PIECE_OF_ANSWER = "response.output_text.delta"
_BLOCKS = ("text", "output_text", "input_text", "refusal")


def answer(body: Json) -> dict[str, Any] | None:
    """The answer that a body holds in a form of its library's own, or None."""
    if isinstance(body, list):
        return _streamed(body)
    if not isinstance(body, dict):
        return None
    if isinstance(body.get("generations"), list):
        return _generated(body["generations"])
    if isinstance(body.get("output"), list) and body.get("object") == "response":
        return _items(body["output"])
    return None


def parts(content: Sequence[Json]) -> str | None:
    """The text of a content in parts, as APIs take and give it; None where it is something else."""
    if not all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content):
        return None
    texts = [part["text"] for part in content if part["type"] in _BLOCKS and isinstance(part.get("text"), str)]
    return "\n".join(texts) if texts else None


# -- whole answers ---------------------------------------------------------------------------------------------------


def _generated(groups: Sequence[Json]) -> dict[str, Any] | None:
    """LangChain's result: one generation for each answer asked for, or a list of them for each prompt."""
    flat = [item for group in groups for item in (group if isinstance(group, list) else [group])]
    if len(flat) == 1 and isinstance(flat[0], dict):
        held = flat[0].get("message", flat[0])
        if isinstance(held, dict) and "content" in held:
            return {"content": held["content"], "tool_calls": held.get("tool_calls")}
    texts = [text for item in flat if (text := _text(item)) is not None]
    return _answer(["\n".join(texts)], []) if texts else None


def _text(item: Json) -> str | None:
    """What one of several answers says."""
    if not isinstance(item, dict):
        return item if isinstance(item, str) else None
    held = item.get("fields", item.get("message", item))
    found = held.get("content", held.get("text")) if isinstance(held, dict) else None
    return found if isinstance(found, str) else parts(found) if isinstance(found, list) else None


def _items(output: Sequence[Json]) -> dict[str, Any]:
    """The items of a response."""
    items = [item for item in output if isinstance(item, dict)]
    said = [text for item in items if isinstance(item.get("content"), list) and (text := parts(item["content"]))]
    return _answer(["\n".join(said)], [item for item in items if item.get("type") == "function_call"])


def _answer(texts: Iterable[str], calls: list[Any]) -> dict[str, Any]:
    return {"content": "".join(texts), "tool_calls": calls}


# -- streams ---------------------------------------------------------------------------------------------------------


def _streamed(pieces: Sequence[Json]) -> dict[str, Any] | None:
    """The pieces of one stream, joined."""
    if not pieces or not all(isinstance(piece, (dict, str)) for piece in pieces):
        return None
    told = [piece for piece in pieces if isinstance(piece, dict)]
    return next((made for read in _READERS if told and (made := read(pieces, told)) is not None), None)


def _completion(_: Sequence[Json], pieces: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Chunks of a chat completion."""
    if not all(isinstance(piece.get("choices"), list) for piece in pieces):
        return None
    deltas = [
        choice["delta"]
        for piece in pieces
        for choice in piece["choices"][:1]
        if isinstance(choice, dict) and isinstance(choice.get("delta"), dict)
    ]
    texts = [delta.get("content") or delta.get("refusal") or "" for delta in deltas]
    calls: dict[int, dict[str, str]] = {}
    for asked in (asked for delta in deltas for asked in delta.get("tool_calls") or ()):
        call, said = calls.setdefault(asked.get("index", 0), {"name": "", "arguments": ""}), asked.get("function") or {}
        for name in call:
            call[name] += said.get(name) or ""
    return _answer(texts, list(calls.values())) if deltas else None


def _response(_: Sequence[Json], pieces: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Events of a response: the last one has all of it, where the stream was read to its end."""
    kinds = [str(piece.get("type")) for piece in pieces]
    if not any(kind.startswith("response.") for kind in kinds):
        return None
    whole = next((p["response"] for p in reversed(pieces) if p.get("type") == "response.completed"), None)
    if isinstance(whole, dict) and isinstance(whole.get("output"), list):
        return _items(whole["output"])
    return _answer((str(p.get("delta", "")) for p in pieces if p.get("type") == _PIECE_OF_ANSWER), [])


def _message(_: Sequence[Json], pieces: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Events of a message, in blocks of text and of tool calls."""
    if not any(piece.get("type") in ("message_start", "content_block_delta") for piece in pieces):
        return None
    texts: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    for piece in pieces:
        begun, delta = piece.get("content_block"), piece.get("delta")
        if isinstance(begun, dict) and begun.get("type") == "tool_use":
            calls[piece.get("index", 0)] = {"name": str(begun.get("name", "")), "arguments": ""}
        elif isinstance(delta, dict):
            texts.append(str(delta.get("text") or ""))
            if delta.get("partial_json") and piece.get("index", 0) in calls:
                calls[piece.get("index", 0)]["arguments"] += delta["partial_json"]
    return _answer(texts, list(calls.values()))


def _langchain(pieces: Sequence[Json], told: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Texts, and messages where a piece is more than that."""
    held = [piece.get("message", piece) for piece in told]
    if not all(isinstance(message, dict) and message.get("type") == "AIMessageChunk" for message in held):
        return None
    calls: dict[int, dict[str, str]] = {}
    for asked in (asked for message in held for asked in message.get("tool_call_chunks") or ()):
        call = calls.setdefault(asked.get("index") or 0, {"name": "", "arguments": ""})
        call["name"] += asked.get("name") or ""
        call["arguments"] += asked.get("args") or ""
    texts = (piece if isinstance(piece, str) else _text(piece) or "" for piece in pieces)
    return _answer(texts, list(calls.values()))


def _pydantic_ai(pieces: Sequence[Json], told: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Texts, beginnings of parts and changes of them, and what the stream says of its answer beside."""
    if not all(piece.get("type") in ("part_start", "part_delta", "response") for piece in told):
        return None
    texts: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
            continue
        part = piece.get("part") or piece.get("delta") or {}
        kind = part.get("part_kind") or part.get("part_delta_kind")
        if kind == "text":
            texts.append(str(part.get("content") or part.get("content_delta") or ""))
        elif kind in ("tool-call", "tool_call"):
            call = calls.setdefault(piece.get("index", 0), {"name": "", "arguments": ""})
            call["name"] += part.get("tool_name") or part.get("tool_name_delta") or ""
            args = part.get("args") or part.get("args_delta") or ""
            call["arguments"] += args if isinstance(args, str) else json.dumps(args)
    return _answer(texts, list(calls.values()))


_Reader = Callable[[Sequence[Json], Sequence[dict[str, Any]]], dict[str, Any] | None]
_READERS: tuple[_Reader, ...] = (_completion, _response, _message, _langchain, _pydantic_ai)
