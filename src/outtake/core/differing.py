"""What differs between two values, as two texts: what they say, what was thought in them, or their first other field.

A fork is called by it, and a difference of two runs is shown by it, so both tell the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from outtake.core import words
from outtake.core.thoughts import told
from outtake_probe.records import Json

Aspect = Literal["said", "thought", "field"]
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_JOINS = " \t\r\n,;:)]}([{\"'"
"""What only joins a part to what stands beside it."""
_AROUND = 2
"""Words beside the part that differs which stay with it, where it is short or nothing else is beside it."""


@dataclass(frozen=True, slots=True)
class Differing:
    """Two values as texts that differ, and what of the values they are."""

    aspect: Aspect
    before: str
    after: str


def differing(before: Json, after: Json) -> Differing:
    """What differs between two values; the texts are equal where the values are."""
    said = words.spoken(before), words.spoken(after)
    if None not in said and said[0] != said[1]:
        return Differing("said", said[0] or "", said[1] or "")
    thought = told(before).thought, told(after).thought
    if thought[0] != thought[1]:
        return Differing("thought", *thought)
    field = _first_field(words.untyped(before), words.untyped(after))
    return Differing("field", *map(_as_text, field))


def _first_field(before: Json, after: Json) -> tuple[Json, Json]:
    """The innermost values that differ first."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in (*before, *after):
            if name not in before or name not in after:
                return ({name: before[name]}, "") if name in before else ("", {name: after[name]})
            if before[name] != after[name]:
                inner = _first_field(before[name], after[name])
                return inner if isinstance(inner[1], (str, dict, list)) else ({name: inner[0]}, {name: inner[1]})
    if isinstance(before, list) and isinstance(after, list):
        for old, new in zip(before, after, strict=False):
            if old != new:
                return _first_field(old, new)
        if len(before) != len(after):
            old, new = (side[min(len(before), len(after)) :] for side in (before, after))
            return old[0] if old else "", new[0] if new else ""
    return before, after


def _as_text(value: Json) -> str:
    """A text as it is; what else a field holds after its name."""
    return words.outline(value) if value != "" else ""


def new_part(before: str, after: str) -> str:
    """The part of `after` that `before` does not say: ``… table and take the highest``; of one that only left something
    out, ``without`` and what that was.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    first = _equal_from_start(old, new)
    last = _equal_from_start(old[first:][::-1], new[first:][::-1])
    changed = _Part(new, first, len(new) - last)
    if changed.words:
        return changed.text()
    gone = _Part(old, first, len(old) - last)
    return f"without {gone.text(around=0)}" if gone.words else after


def _equal_from_start(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the tokens of a text."""

    tokens: Sequence[str]
    start: int
    stop: int

    @property
    def words(self) -> int:
        return _count(self.tokens[self.start : self.stop])

    def text(self, around: int = _AROUND) -> str:
        """The stretch; a word or two alone keep their neighbours, and what is a word or two is not left out."""
        beside = around if self.words <= _AROUND else 0
        before, after = _count(self.tokens[: self.start]), _count(self.tokens[self.stop :])
        start = self._back(beside) if before > around else 0
        stop = self._on(beside) if after > around else len(self.tokens)
        text = "".join(self.tokens[start:stop])
        cut_before, cut_after = _count(self.tokens[:start]) > 0, _count(self.tokens[stop:]) > 0
        if cut_before:
            text = text.strip(_JOINS).lstrip(".!?")
        return f"{'… ' if cut_before else ''}{text.strip()}{' …' if cut_after else ''}"

    def _back(self, count: int) -> int:
        at = self.start
        while at > 0 and count > 0:
            at -= 1
            count -= _is_word(self.tokens[at])
        return at

    def _on(self, count: int) -> int:
        at = self.stop
        while at < len(self.tokens) and count > 0:
            count -= _is_word(self.tokens[at])
            at += 1
        return at


def _count(tokens: Sequence[str]) -> int:
    return sum(map(_is_word, tokens))


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"
