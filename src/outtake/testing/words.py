"""What the checks say and share: a promise that is broken, and the texts inside of JSON values."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from outtake_probe.records import Json

WAIT = 30.0
"""Seconds within which anything that a check waits for has to happen."""
SAID = r"says [0-9a-f]{12}"
"""The answer of a model or a tool, as a pattern."""
OTHERWISE = "says otherwise"
"""What an answer is edited to."""


class Broken(AssertionError):
    """A promise was not kept; the message says what was expected and what happened."""


def expect(kept: bool, reason: str) -> None:
    """Raises `Broken` for the reason, unless what was promised is so."""
    if not kept:
        raise Broken(reason)


def expect_equal(found: object, expected: object, what: str) -> None:
    expect(found == expected, f"{what}: {shown(found)}, not {shown(expected)}")


def shown(value: object) -> str:
    """A value in a line of an error."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else f"{text[:297]}..."


def rewritten(value: Json, pattern: str, new: str) -> Json:
    """A JSON value in which every text has `new` where it matched the pattern; keys stay."""
    if isinstance(value, str):
        return re.sub(pattern, lambda _: new, value)
    if isinstance(value, list):
        return [rewritten(item, pattern, new) for item in value]
    if isinstance(value, dict):
        return {key: rewritten(item, pattern, new) for key, item in value.items()}
    return value


def contains(value: Json, text: str) -> bool:
    """Whether the text stands anywhere in a JSON value."""
    return text in json.dumps(value, ensure_ascii=False, default=str)


def spread(last: int, count: int) -> Sequence[int]:
    """At most `count` numbers from 0 to `last`, both included, evenly spread."""
    if last < count:
        return range(last + 1)
    return sorted({round(last * step / (count - 1)) for step in range(count)})
