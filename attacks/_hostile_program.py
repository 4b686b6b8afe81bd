"""The program of `attacks.hostile_values`: a value goes in and comes out, in three ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import outtake


@outtake.tool(effects="read")
def returns(value: object) -> object:
    return value


@outtake.model
def raises(value: object) -> object:
    raise value if isinstance(value, Exception) else RuntimeError(value)


@outtake.tool(effects="read")
def streams(value: object) -> Iterator[object]:
    yield value
    yield value


@outtake.step(effects="pure")
def around(call: str, value: object) -> object:
    """What encloses it: it is given the same value, and the result."""
    if call == "streams":
        first, *_ = streams(value)
        return first
    return returns(value) if call == "returns" else raises(value)


def program(value: object, how: str) -> Callable[[], object]:
    return lambda: around(how, value)
