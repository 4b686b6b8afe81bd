"""An edit of a call's arguments: what a person wrote, merged into the arguments that the program gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake_probe.commands import BadValue
from outtake_probe.records import Json


def merge_arguments(
    name: str,
    given: Mapping[str, Json],
    value: Json,
    declared: Sequence[str] = (),
    *,
    schema: Json = None,
    allow_unknown: bool = False,
) -> dict[str, Json]:
    """All arguments of an edited call of the component `name`.

    An object names all arguments or some of them; those that it does not name stay as they were `given`.  Any other
    value is the only argument: the only one that was given, or else the only one that is `declared`.

    Raises `BadValue`, with the `schema` of the arguments, for a value whose argument is not clear, and for an argument
    that is neither given nor declared unless `allow_unknown` is set.
    """
    known = list(dict.fromkeys([*given, *declared]))
    names = ", ".join(known) or "none"
    if not isinstance(value, dict):
        only = next((list(each) for each in (given, declared) if len(each) == 1), None)
        if only is None:
            raise BadValue(f"{name} takes the arguments {names}: give an object", schema)
        value = {only[0]: value}
    unknown = [argument for argument in value if argument not in known]
    if unknown and not allow_unknown:
        raise BadValue(f"{name} has no argument {unknown[0]!r}; it takes {names}", schema)
    return {**given, **value}
