"""Edits: the declared changes that a fork is made of, or that a user makes to a program that is held.

    replace_message  seq                 value        the message says something else
    replace_input    seq | component     value        the invocation gets another input
    mock_output      seq | component     value        the invocation is not executed, this is its output
    raise            seq | component     value        the invocation is not executed, this is its error (a text)
    drop             seq                              the message is not delivered, or the invocation not executed
    execute          seq | component                  the invocation is executed, even where the record could answer
    inject           component           value        a new message to a component (or `topic:NAME`), of `type`
    set_config       component, key      value        a setting of a component, from the cut on

An edit names what it changes by the number of its record, or by component and occurrence (from 1, in the order of the
log), and by `where`, a pattern over the input (see `outtake_probe.patterns`): the occurrence is then counted among what
matches.  Everything is data; a value is JSON in the form that `outtake show --bodies` prints.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from outtake_probe.patterns import check_pattern
from outtake_probe.records import CALL_KINDS, CallKind, Json

OPS = ("replace_message", "replace_input", "mock_output", "raise", "drop", "execute", "inject", "set_config")
_NEEDS_VALUE = frozenset(OPS) - {"drop", "execute"}
_OF_CALLS = ("replace_input", "mock_output", "raise", "drop", "execute")


class BadEdit(ValueError):
    """An edit that says nothing clear; the message names the field, the reason and the way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One declared change.  `call` is the kind of invocation, or ``message``; it is filled in when `seq` is given."""

    op: str
    seq: int | None = None
    component: str | None = None
    occurrence: int | None = None
    call: CallKind | str | None = None
    key: str | None = None
    type: str | None = None
    sender: str | None = None
    recipient: str | None = None
    where: Json = None
    value: Json = None


FIELDS = tuple(f.name for f in fields(Edit))


def edit_from(data: Json) -> Edit:
    """The edit that a JSON object describes.  Raises `BadEdit`."""
    if not isinstance(data, dict):
        raise BadEdit(f"an edit is a JSON object with an op, not {data!r}")
    unknown = sorted(set(data) - set(FIELDS))
    if unknown:
        raise BadEdit(f"unknown field {unknown[0]!r} in the edit; known: {', '.join(FIELDS)}")
    op = data.get("op")
    if op not in OPS:
        raise BadEdit(f"unknown op {op!r}; known: {', '.join(OPS)}")
    if op in _NEEDS_VALUE and "value" not in data:
        raise BadEdit(f"{op} needs a value")
    edit = Edit(**data)
    _check(edit)
    return edit


def _check(edit: Edit) -> None:
    for name in ("seq", "occurrence"):
        number = getattr(edit, name)
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 0):
            raise BadEdit(f"{name} is a number from {0 if name == 'seq' else 1}, not {number!r}")
    if edit.call is not None and edit.call not in (*CALL_KINDS, "message"):
        raise BadEdit(f"unknown call {edit.call!r}; known: {', '.join((*CALL_KINDS, 'message'))}")
    if edit.op in ("inject", "set_config"):
        if not edit.component:
            raise BadEdit(f"{edit.op} needs a component")
        if edit.op == "set_config" and not edit.key:
            raise BadEdit("set_config needs a key")
    elif edit.seq is None and not edit.component:
        raise BadEdit(f"{edit.op} names what it changes by seq, or by component and occurrence")
    if edit.where is not None:
        if edit.op not in _OF_CALLS or edit.seq is not None:
            raise BadEdit(f"where says which invocations of a component are meant: {edit.op} of a record takes none")
        try:
            check_pattern(edit.where)
        except ValueError as error:
            raise BadEdit(f"where: {error}") from error
    if edit.op == "raise" and not isinstance(edit.value, (str, dict)):
        raise BadEdit(f"raise needs the error's message as a text, not {edit.value!r}")


def edit_json(edit: Edit) -> dict[str, Json]:
    """The edit as a JSON object, without empty fields."""
    data = asdict(edit)
    return {k: v for k, v in data.items() if v is not None or (k == "value" and edit.op in _NEEDS_VALUE)}
