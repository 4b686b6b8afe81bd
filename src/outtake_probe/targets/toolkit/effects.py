"""What a tool does to the world, as the program declares it."""

from __future__ import annotations

from outtake_probe.records import EFFECTS, Effects


def declared_effects(*places: object) -> Effects | None:
    """The effects that `outtake.tool(effects=...)`, or an attribute of that name, declares on the first of these.

    `places` are the tool, the functions that it was made from (None in the place of a missing one) and its class.  None
    where nothing valid is declared.
    """
    for place in places:
        declared = getattr(place, "__outtake_effects__", None)
        if declared in EFFECTS:
            return declared  # type: ignore[no-any-return]
    return None
