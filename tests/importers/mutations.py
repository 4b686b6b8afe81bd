"""Samples that are damaged, at random: values replaced, removed and doubled in JSON, and bytes of everything."""

from __future__ import annotations

import copy
import json

from hypothesis import strategies as st

from outtake_probe.records import Json

HUGE: tuple[Json, ...] = (10**400, -(10**30), 2**63, 1.7e308, -1, 0, True, "", "NaN", "\ud800", "\0", "x" * 5000)
"""What breaks those who expect numbers of some size, and texts that can be written."""
DEEP = "[" * 150 + "]" * 150
TOO_DEEP = "[" * 100_000
simple = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(HUGE)
values = st.recursive(
    simple,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
) | st.just(json.loads(DEEP))


def places(value: Json, path: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """The paths to all values inside a value, down to some depth."""
    if len(path) > 30:
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@st.composite
def damaged(draw: st.DrawFn, documents: list[Json]) -> list[Json]:
    """The documents of a file with one to four changes."""
    made: Json = json.loads(json.dumps(documents))
    for _ in range(draw(st.integers(1, 4))):
        ways = places(made)[1:]
        if not ways:
            break
        *path, last = draw(st.sampled_from(ways))
        holder = made
        for key in path:
            holder = holder[key]
        match draw(st.sampled_from(("replace", "remove", "double", "copy"))):
            case "replace":
                holder[last] = copy.deepcopy(draw(values))  # a later change may be inside it
            case "remove":
                del holder[last]
            case "double" if isinstance(holder, list):
                holder.insert(last, holder[last])
            case _:
                other: Json = made
                for key in draw(st.sampled_from(ways)):
                    other = other[key] if isinstance(other, (dict, list)) and _has(other, key) else other
                holder[last] = json.loads(json.dumps(other))
    return list(made)


def _has(holder: Json, key: Json) -> bool:
    return key in holder if isinstance(holder, dict) else isinstance(key, int) and key < len(holder)


@st.composite
def broken(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes that are cut, changed, doubled or stuffed."""
    at = draw(st.integers(0, len(data)))
    until = draw(st.integers(at, min(len(data), at + 40)))
    stuffed = draw(st.binary(max_size=12) | st.sampled_from((DEEP.encode(), TOO_DEEP.encode(), b"9" * 5000, b"1e999")))
    return draw(st.sampled_from((data[:at], data[at:], data[:at] + stuffed + data[until:], data[:until] + data[at:])))
