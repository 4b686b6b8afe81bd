"""What was thought and not said: the inner reasoning that models, agents and orchestrators leave in what they give.

One place for all targets.  Recognised are `thought` fields and thought events (AutoGen), `reasoning_content` and
`reasoning` (DeepSeek, vLLM, LangChain), ``thinking`` parts (Anthropic), ``reasoning`` items (OpenAI), ``<think>``
sections, ledgers of orchestrators (Magentic-One), thinking parts (pydantic-ai), what a model says beside the tools that
it calls, and all of them in pieces of a stream.  The thoughts of an earlier turn that a prompt repeats are not those of
the prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outtake.core import answers, words
from outtake.core.gist import WHY
from outtake_probe.records import Json

_SECTION = re.compile(r"<(think|thinking|reasoning)>(?P<thought>.*?)(?:</\1>|\Z)", re.DOTALL)
_LEDGER = re.compile(
    r"\A(?:[^{\n]{0,40}ledger[^{\n]{0,20}:)?\s*(?:```(?:json)?\s*)?(?P<json>\{.*\})\s*(?:```)?\s*\Z", re.DOTALL | re.I
)
_LEDGER_KEY = "is_request_satisfied"
_FIELDS = ("thought", "reasoning_content", "reasoning", "thinking")
"""Members in which a message or a piece of one holds its reasoning as a text."""
_INNER = ("response", "chat_message", "message", "additional_kwargs", "delta")
_THOUGHT_TYPES = frozenset(("ThoughtEvent",))
_PIECES = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_DEEPEST = 12
_LONGEST_LEDGER = 20_000
"""Characters over which a text is not tried as a ledger."""


@dataclass(frozen=True, slots=True)
class Speech:
    """What a body says, thoughts and speech apart."""

    thought: str
    said: str | None
    """Without the thoughts; None where it says nothing in words."""


def told(body: Json) -> Speech:
    """What was thought and what was said in a body; of a typed object, in its fields."""
    plain = words.untyped(body)
    if isinstance(plain, dict) and "messages" in plain:
        return Speech("", words.said(plain))
    found = (*_thoughts(plain, 0), *_beside_calls(answers.answer(plain)))
    thought = "\n\n".join(dict.fromkeys(text for each in found if (text := words.clean(each).strip())))
    if isinstance(plain, dict) and plain.get("type") in _THOUGHT_TYPES:
        return Speech(thought, None)
    said = words.spoken(plain)
    if said is not None and thought:
        said = "" if _ledger(said) is not None else _SECTION.sub("", said).strip()
    return Speech(thought, said or None)


def _thoughts(value: Json, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        ledger = _ledger(value)
        if ledger is not None:
            yield ledger
        else:
            yield from (match["thought"] for match in _SECTION.finditer(value))
    elif isinstance(value, list):
        yield from _in_items(value, depth)
    elif isinstance(value, dict):
        yield from _in_fields(value, depth)


def _in_fields(value: Mapping[str, Json], depth: int) -> Iterator[str]:
    if value.get("type") in _THOUGHT_TYPES and isinstance(value.get("content"), str):
        yield str(value["content"])
        return
    if _LEDGER_KEY in value:
        yield _ledger_text(value)
        return
    yield from (held for name in _FIELDS if isinstance(held := value.get(name), str))
    yield from _beside_calls(value)
    if value.get("type") == "reasoning":
        yield from _texts(value.get("summary"))
        yield from _texts(value.get("content"))
        return
    for name in _INNER:
        if isinstance(inner := value.get(name), dict):
            yield from _in_fields(inner, depth + 1)
    for name in ("content", "output", "choices", "generations"):
        held = value.get(name)
        if isinstance(held, list) or (name == "content" and isinstance(held, str)):
            yield from _thoughts(held, depth + 1)


def _beside_calls(message: Mapping[str, Json] | None) -> Iterator[str]:
    """What a message says that asks for tools: why it does."""
    content = message.get("content") if message is not None else None
    parts = content if isinstance(content, list) else []
    asks = bool(message and message.get("tool_calls"))
    if asks or any(isinstance(part, dict) and part.get("type") == "tool_use" for part in parts):
        text = content if isinstance(content, str) else answers.parts(parts)
        yield _SECTION.sub("", text or "")


def _in_items(value: Sequence[Json], depth: int) -> Iterator[str]:
    """Parts of a message, items of a response, answers to choose from, or pieces of a stream."""
    pieces = [item for item in value if isinstance(item, dict)]
    if _is_stream(pieces):
        yield "".join(_streamed(pieces))
        return
    for item in value:
        if isinstance(item, (dict, list)):
            yield from _thoughts(item, depth + 1)


def _is_stream(pieces: Sequence[Mapping[str, Any]]) -> bool:
    return any(
        piece.get("type") in ("content_block_delta", "AIMessageChunk", "part_start", "part_delta", *_PIECES)
        or (isinstance(choices := piece.get("choices"), list) and choices and "delta" in (choices[0] or ()))
        for piece in pieces
    )


def _streamed(pieces: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for piece in pieces:
        if piece.get("type") in _PIECES:
            yield str(piece.get("delta") or "")
        elif isinstance(piece.get("choices"), list):
            for choice in piece["choices"][:1]:
                yield from _in_fields(choice, 0) if isinstance(choice, dict) else ()
        elif piece.get("type") in ("content_block_delta", "AIMessageChunk"):
            yield from _in_fields(piece, 0)
        elif piece.get("type") in ("part_start", "part_delta"):
            part = piece.get("part") or piece.get("delta") or {}
            if "thinking" in (part.get("part_kind"), part.get("part_delta_kind")):
                yield str(part.get("content") or part.get("content_delta") or "")


def _texts(value: Json) -> Iterator[str]:
    for part in value if isinstance(value, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


# -- ledgers ---------------------------------------------------------------------------------------------------------


def _ledger(text: str) -> str | None:
    """The ledger that a text is, in words; None where it is none."""
    if _LEDGER_KEY not in text or len(text) > _LONGEST_LEDGER:
        return None
    match = _LEDGER.match(text.strip())
    if match is None:
        return None
    try:
        value = json.loads(match["json"])
    except ValueError:
        return None
    return _ledger_text(value) if isinstance(value, dict) and _LEDGER_KEY in value else None


def _ledger_text(ledger: Mapping[str, Json]) -> str:
    """A ledger a question a line, in Markdown: what was answered, and why."""
    return "\n".join(f"- {_title(name)}: {_answered(item)}" for name, item in ledger.items())


def _title(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _answered(item: Json) -> str:
    if not isinstance(item, dict):
        return _in_word(item)
    answer, reason = item.get("answer"), item.get("reason")
    parts = [f"**{_in_word(answer)}**" if answer is not None else "", _in_word(reason) if reason else ""]
    return WHY.join(part for part in parts if part)


def _in_word(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
