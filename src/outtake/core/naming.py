"""What forks are called: by what was changed in them, and that by its words that are new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake.core import words
from outtake.core.differing import differing, new_part
from outtake.core.runs import Fork
from outtake_probe.records import Json

LONGEST = 60
"""Characters of a value that stands in a name."""


def changed(fork: Fork | None, replaced: Json = None, new_code: Sequence[str] = ()) -> str:
    """What was changed in a fork, in a few words; empty for a run that is none.

    `replaced` is what the parent has in the place of the first edit's value: the name is the part that differs from it.
    `new_code` are the program's own files that changed since the parent imported them; they name a fork without edits.
    """
    if fork is None:
        return ""
    if fork.edits:
        rest = f" +{len(fork.edits) - 1}" if len(fork.edits) > 1 else ""
        return _edit(fork.edits[0], replaced) + rest
    afresh = {"matching": "", "prefix": ", afresh", "none": ", all afresh"}.get(fork.reuse, "")
    if new_code:
        rest = f" +{len(new_code) - 1}" if len(new_code) > 1 else ""
        return f"new code in {new_code[0]}{rest}{afresh}"
    return f"from #{fork.cut}{afresh}"


def _edit(edit: Mapping[str, Json], replaced: Json) -> str:
    value, op = edit.get("value"), edit.get("op")
    said = words.one_line(_new_in(value, replaced), LONGEST) if value not in (None, "") else ""
    if op == "execute":
        return f"#{edit['seq']} tried again" if edit.get("seq") is not None else f"{edit.get('component')} executed"
    if op == "drop":
        return f"without #{edit['seq']}" if edit.get("seq") is not None else f"without {edit.get('component')}"
    if op == "set_config":
        return f"{edit.get('key')} = {said or 'nothing'}"
    if op == "raise":
        return f"raises {said}"
    return said or "nothing said"


def _new_in(value: Json, replaced: Json) -> str:
    """What a value says that the one in its place did not."""
    if replaced is None or value == replaced:
        return words.readable(value)
    found = differing(replaced, value)
    return new_part(found.before, found.after) or words.readable(value)
