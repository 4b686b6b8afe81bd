"""Values of logs that come from anywhere: each is what it should be, or nothing.  Nothing here raises but `parsed`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from outtake_probe.records import Json

LAST_DAY = 253_402_214_400
"""Seconds from the epoch to the end of the year 9999."""
_MOST = 1 << 53
_LONGEST = 120
_EARLIEST = 86_400 * 365 * 2
"""A number below this is no time that a log was written: it is a duration, or a counter."""


def text(value: Json) -> str:
    """A text; empty for everything else."""
    return value if isinstance(value, str) else ""


def fields(value: Json) -> Mapping[str, Json]:
    """An object; empty for everything else."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> Sequence[Json]:
    """A list; empty for everything else."""
    return value if isinstance(value, list) else []


def objects(value: Json) -> list[Mapping[str, Json]]:
    """The objects of a list."""
    return [item for item in items(value) if isinstance(item, dict)]


def whole(value: Json) -> int:
    """A count, such as of tokens; a text of digits is one, too.  Zero for everything else."""
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 <= value < _MOST else 0


def amount(value: Json) -> float:
    """A number of at least zero, such as a price; zero for everything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _MOST:
        return 0.0
    return float(value)


def moment(value: Json) -> float | None:
    """Seconds since the epoch: of an ISO 8601 text (without a zone it is UTC), or a number of seconds or
    milliseconds.  None: it is no time that a log could have been written.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value.strip().replace(" UTC", "+00:00"))
        except ValueError:
            return None
        try:
            value = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
        except (OverflowError, ValueError):
            return None
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    seconds = value / 1000 if value > LAST_DAY / 10 else value
    return float(seconds) if _EARLIEST <= seconds <= LAST_DAY else None


def part(name: Json) -> str:
    """A name as one part of a component's path."""
    line = " ".join(text(name).encode("utf-8", "replace").decode().replace("/", "-").replace("\0", "").split())
    return line[:_LONGEST] or "unnamed"


def decoded(value: Json) -> Json:
    """What a text says if it is a JSON object or list, as attributes and arguments often are; else the value itself."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parsed(value)
    except (ValueError, RecursionError):
        return value


def parsed(document: str) -> Json:
    """What a JSON document says; numbers that are none in JSON, or too large for any, are texts.

    Raises `ValueError` and `RecursionError`.
    """
    return json.loads(document, parse_constant=str, parse_float=_number)


def _number(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits
