"""Where a value says a text, whatever the case of its letters: what is before it, the text as it is said, what follows.

A value says what stands in one of its scalars: its strings, the names of its members, its numbers, true, false and
null, as JSON writes them.  A text never runs from one scalar into the next.
"""

from __future__ import annotations

import bisect
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from outtake_probe.bodies import cut_list, cut_text, reference
from outtake_probe.records import Json

AROUND = 80
"""Characters before and after what was found."""


_PLAIN = re.compile(r"[1-9]\d{3,14}", re.ASCII)
_PARTED = re.compile(r"\d{1,3}(?:,\d{3}){1,4}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a scalar."""

    before: str
    said: str
    after: str


def folded(text: str) -> str:
    """A text without the case of its letters: two texts that fold to the same say the same."""
    return text.casefold()


def spellings(text: str) -> tuple[str, ...]:
    """The texts that a search for one finds: a number with and without commas between its thousands."""
    number = text.strip()
    if _PARTED.fullmatch(number):
        return text, number.replace(",", "")
    return (text, f"{int(number):,}") if _PLAIN.fullmatch(number) else (text,)


def excerpt(value: Json, text: str, around: int = AROUND) -> Excerpt | None:
    """The first place where a value, or a node of a body, says `text`, in any of its spellings."""
    found = (_excerpt(value, spelling, around) for spelling in spellings(text))
    return next((place for place in found if place is not None), None)


def _excerpt(value: Json, text: str, around: int) -> Excerpt | None:
    sought = folded(text)
    for scalar in scalars(value):
        at = folded(scalar).find(sought)
        if at >= 0:
            first, last = _unfolded(scalar, at, at + len(sought))
            return Excerpt(scalar[max(0, first - around) : first], scalar[first:last], scalar[last : last + around])
    return None


def scalars(value: Json) -> Iterator[str]:
    """Every scalar of a value, in order; of a node, without what it refers to."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from scalars(item)
    elif not isinstance(value, dict):
        yield json.dumps(value)
    elif reference(value) is None:
        held = cut_list(value) or cut_text(value)
        yield from _members(value) if held is None else scalars(held)


def _members(value: dict[str, Json]) -> Iterator[str]:
    for key, item in value.items():
        yield key[1:] if key.startswith("\0") else key
        yield from scalars(item)


def _unfolded(text: str, first: int, last: int) -> tuple[int, int]:
    """Where in `text` is what is between two places of the folded text; a letter may fold to several."""
    if len(folded(text)) == len(text):
        return first, last
    ends = list(itertools.accumulate(len(folded(letter)) for letter in text))
    return bisect.bisect_right(ends, first), bisect.bisect_left(ends, last) + 1
