"""What a user typed, as the values it stands for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outtake.cli.problems import Problem


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
