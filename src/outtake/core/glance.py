"""A glance at a body: how it begins, told in words where it says something, else as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from outtake.core import answers, words
from outtake.core.thoughts import told
from outtake_probe.records import Json

LENGTH = 600
"""Characters of a glance."""


@dataclass(frozen=True, slots=True)
class Glance:
    """The beginning of what a body says; `size` is how many characters all of it has."""

    form: Literal["text", "json", "error", "thought", "empty"]
    """`thought`: nothing was said, and the text is what was thought."""
    text: str
    size: int
    type: str = ""
    """The class of a typed object."""
    thought: str = ""
    """The beginning of what was thought and not said."""
    calls: int = 0
    """How many tool calls it asks for."""


def glance(body: Json) -> Glance:
    """What is seen of a body before it is opened."""
    if body is None or body in ({}, [], "", {"messages": []}):
        return Glance("empty", "", 0)
    typed = words.type_name(body)
    if isinstance(body, dict) and body.get("$type") == "exception":
        return _cut("error", words.error_line(body), typed)
    apart = told(body)
    plain = words.untyped(body)
    calls = _calls(plain)
    if apart.said is not None:
        return _cut("text", apart.said, typed, apart.thought, calls)
    if apart.thought:
        return _cut("thought", apart.thought, typed, apart.thought, calls)
    return _cut("json", json.dumps(plain, ensure_ascii=False), typed, calls=calls)


def _calls(plain: Json) -> int:
    """How many tool calls an answer asks for."""
    answered: Any = answers.answer(plain) or plain
    if not isinstance(answered, dict) or "messages" in answered:
        return 0
    held = answered.get("tool_calls") or answered.get("content")
    if isinstance(held, list):
        return sum(words.called(item) is not None for item in held)
    choices = answered.get("choices")
    held = choices[0] if isinstance(choices, list) and choices else answered.get("message", answered.get("response"))
    return _calls(held) if isinstance(held, dict) else 0


def _cut(
    form: Literal["text", "json", "error", "thought"], text: str, typed: str, thought: str = "", calls: int = 0
) -> Glance:
    shown = text[:LENGTH] if form == "json" else words.shortened(text, LENGTH)
    return Glance(form, shown, len(text), typed, words.shortened(thought, LENGTH), calls)
