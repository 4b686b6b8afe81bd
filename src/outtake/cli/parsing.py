"""What a user typed, as the values it stands for."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outtake.cli.problems import Problem

if TYPE_CHECKING:
    from outtake.service.mocks import Mocks


def value(text: str) -> Any:
    """JSON where it is JSON, else the text itself; ``@FILE`` stands for what a file holds."""
    text = _or_file(text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def target_input(text: str | None, file: str | None) -> tuple[Any, bool]:
    """The input of a run, and whether there is one: text, or a JSON object or list."""
    if text is not None and file is not None:
        raise Problem("--input and --input-file both give the input; use one of them")
    if file is not None:
        text = sys.stdin.read() if file == "-" else _read(file, "--input-file")
    if text is None:
        return None, False
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text), True
        except ValueError:
            return text, True
    return text, True


def settings(given: Sequence[str]) -> dict[str, Any]:
    """``COMPONENT.KEY=VALUE``, as often as said."""
    found = {}
    for one in given:
        name, equals, text = one.partition("=")
        component, dot, key = name.strip().rpartition(".")
        if not (equals and dot and component and key):
            raise Problem(f"{one!r} sets nothing; say COMPONENT.KEY=VALUE, as in team/coder.temperature=0.2")
        found[f"{component}.{key}"] = value(text)
    return found


def edit(text: str) -> dict[str, Any]:
    """An edit of a fork: a JSON object, or ``@FILE`` with one."""
    try:
        found = json.loads(_or_file(text))
    except ValueError as error:
        raise Problem(f"the edit {text!r} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise Problem(f"an edit is a JSON object with an op, not {text!r}")
    return found


def mocks(given: Sequence[str], files: Sequence[str], live: Sequence[str]) -> Mocks:
    """What ``--mock``, ``--mocks`` and ``--live`` ask for, as edits and patterns of components."""
    from outtake.service.mocks import Mocks, lively, mock, read_mocks  # noqa: PLC0415  as in `Front.service`

    edits: list[Mapping[str, Any]] = [mock(_mock(text)) for text in given]
    patterns: list[str] = []
    for file in files:
        try:
            found = read_mocks(json.loads(_read(file, "--mocks")), file)
        except ValueError as error:
            raise Problem(f"--mocks: {file} is no JSON: {error}") from error
        edits += found.edits
        patterns += found.live
    more, named = lively(live, "--live")
    return Mocks((*edits, *more), (*patterns, *named))


def _mock(text: str) -> Any:
    """A mock: a JSON object, ``@FILE`` with one, or ``WHAT=OUTPUT``, where WHAT is a component or a record's number."""
    if text.lstrip().startswith(("{", "@")):
        found = value(text)
        if isinstance(found, str):
            raise Problem(f"the mock {text!r} is no JSON object")
        return found
    what, equals, output = text.partition("=")
    if not (equals and what.strip()):
        raise Problem(f"the mock {text!r} answers nothing; say COMPONENT=JSON, SEQ=JSON, or an object as in mocks.json")
    place: dict[str, Any] = {"seq": int(what)} if what.strip().isdecimal() else {"component": what.strip()}
    return {**place, "output": value(output)}


def place(text: str) -> tuple[str, int]:
    """What is about to happen: ``("hold", N)`` for ``hold:N``, ``("message", SEQ)`` for a number."""
    kind, _, number = text.rpartition(":")
    if kind in ("", "message", "hold") and number.isdecimal():
        return kind or "message", int(number)
    raise Problem(f"{text!r} names nothing that is pending; say a message's number, or hold:N (see outtake pending)")


def _or_file(text: str) -> str:
    return _read(text[1:], text) if text.startswith("@") and len(text) > 1 else text


def _read(path: str, said: str) -> str:
    try:
        return Path(path).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise Problem(f"{said}: {path} cannot be read: {reason}") from error
