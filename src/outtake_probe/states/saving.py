"""What an object saves of its state, as a body of the log, and back.

JSON, bytes and the plain values of `outtake_probe.codec` are written as they are.  A path stands for the file or the
folder there: its content is saved with it, and what is loaded is the path of a copy.
"""

from __future__ import annotations

import atexit
import base64
import inspect
import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from outtake_probe.calls import Call, current, top
from outtake_probe.codec import TAG, decode, encode, is_opaque
from outtake_probe.records import Json
from outtake_probe.states.inside import Caught
from outtake_probe.states.repeating import Doing, Flavour, Repeat
from outtake_probe.waits import Steps

if TYPE_CHECKING:
    from outtake_probe.session import Session

BOUND = 16_000_000
"""Bytes of JSON that a saved state may have, its files included."""
FILES = "files"


class NotSaved(ValueError):
    """A state cannot be kept; the message says why."""


def offers(holder: object) -> bool:
    """Whether an object can save and load its state."""
    return all(callable(getattr(holder, name, None)) for name in ("save_state", "load_state"))


def save(session: Session, name: str, call: Call) -> Steps[str | None]:
    """The hash of the state after a call, where the object that holds it can save it; a problem is reported once."""
    holder = session.states.holder(name, call)
    if holder is None or not offers(holder):
        return None
    doing = _ask(session, holder, "save_state")
    yield doing
    try:
        if doing.error is not None:
            raise NotSaved(f"save_state raised {type(doing.error).__name__}: {doing.error}")
        told = to_json(doing.result)
        with session.lock:
            if session.bodies.cleaned(told) != told:
                raise NotSaved("it holds a secret, and secrets are not stored")
            return session.body(told)
    except (NotSaved, OSError, TypeError) as problem:
        session.states.tell(session, name, f"the state {name} is not saved: {problem}")
        return None


def load(session: Session, holder: object, saved: Json) -> Steps[Exception | None]:
    """Give a saved state to the object that holds it; what it raised, if it did."""
    try:
        value = from_json(saved)
    except ValueError as error:
        return error
    doing = _ask(session, holder, "load_state", value)
    yield doing
    return doing.error


def _ask(session: Session, holder: object, method: str, *args: Any) -> Doing:
    """Call a method that may be a coroutine, unseen by the gate."""
    bound = getattr(holder, method)
    flavour: Flavour = "acall" if inspect.iscoroutinefunction(bound) else "call"
    hidden = replace(current.get() or top, caught=Caught(session, None))
    return Doing(Repeat(flavour, lambda _, __: bound(*args)), hidden)


# -- as JSON ---------------------------------------------------------------------------------------------------------


def to_json(value: Any) -> Json:
    """A saved state as a body.  Raises `NotSaved`."""
    told = _to_json(value, _Room())
    if is_opaque(told):
        raise NotSaved("it holds an object that is no JSON, no bytes and no path")
    size = len(json.dumps(told))
    if size > BOUND:
        raise NotSaved(f"it has {size:,} bytes, and the bound is {BOUND:,}")
    return told


class _Room:
    """How much of the bound is left for files."""

    def __init__(self) -> None:
        self.left = BOUND

    def take(self, size: int, path: str) -> None:
        self.left -= size
        if self.left < 0:
            raise NotSaved(f"the files have more than {BOUND:,} bytes; {path} was the first that did not fit")


def _to_json(value: Any, room: _Room) -> Json:
    if isinstance(value, pathlib.PurePath):
        return _files(pathlib.Path(value), room)
    if isinstance(value, dict) and TAG not in value and all(type(key) is str for key in value):
        return {key: _to_json(item, room) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_json(item, room) for item in value]
    return encode(value)


def _files(path: pathlib.Path, room: _Room) -> Json:
    if not path.exists():
        raise NotSaved(f"there is no file {path}")
    found = {}
    for file in _walked(path):
        size = file.stat().st_size
        room.take(size * 4 // 3, str(file))
        found[file.relative_to(path).as_posix()] = base64.b64encode(file.read_bytes()).decode()
    return {TAG: FILES, "name": path.name, "folder": path.is_dir(), "files": found}


def _walked(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The plain files at or below a path, in a steady order; links are not followed."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (file for file in (pathlib.Path(folder, name) for name in sorted(names)) if _is_plain(file))


def _is_plain(file: pathlib.Path) -> bool:
    return file.is_file() and not file.is_symlink()


def from_json(value: Json) -> Any:
    """What a saved state was; its files lie in a folder of their own until the process ends.  Raises `ValueError`."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if isinstance(value, dict) and value.get(TAG) == FILES:
        return _restore(value)
    if isinstance(value, dict) and TAG not in value:
        return {key: from_json(item) for key, item in value.items()}
    return decode(value)


def _restore(value: Json) -> pathlib.Path:
    place = pathlib.Path(tempfile.mkdtemp(prefix="outtake-state-")).resolve()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    target = place / pathlib.PurePath(str(value["name"])).name
    if value["folder"]:
        target.mkdir()
    for name, content in value["files"].items():
        file = (target / name).resolve()
        if not file.is_relative_to(place):
            raise ValueError(f"the saved file {name!r} lies outside of its folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(content))
    return target
