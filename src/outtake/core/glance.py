"""A glance at a body: how it begins, told in words where it says something, else as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from outtake.core import words
from outtake_probe.records import Json

LENGTH = 600
"""Characters of a glance."""


@dataclass(frozen=True, slots=True)
class Glance:
    """The beginning of what a body says; `size` is how many characters all of it has."""

    form: Literal["text", "json", "error", "empty"]
    text: str
    size: int
    type: str = ""
    """The class of a typed object."""


def glance(body: Json) -> Glance:
    """What is seen of a body before it is opened."""
    if body is None or body in ({}, [], "", {"messages": []}):
        return Glance("empty", "", 0)
    typed = words.type_name(body)
    if isinstance(body, dict) and body.get("$type") == "exception":
        return _cut("error", words.error_line(body), typed)
    plain = words.untyped(body)
    text = words.said(plain) if isinstance(plain, dict) and "messages" in plain else words.spoken(plain)
    if text:
        return _cut("text", text, typed)
    return _cut("json", json.dumps(plain, ensure_ascii=False), typed)


def _cut(form: Literal["text", "json", "error"], text: str, typed: str) -> Glance:
    return Glance(form, text[:LENGTH], len(text), typed)
