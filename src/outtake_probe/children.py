"""Processes that the program starts: what they do is not recorded, and a fork starts them again; the record says so.

What a model or a tool call starts is part of that call, which the record answers for.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from outtake_probe.calls import current
from outtake_probe.codec import safe_str
from outtake_probe.records import PROCESS_STARTED, Json
from outtake_probe.session import Session

LATER = ("multiprocessing.process",)
"""Modules that most programs do not import."""
ANSWERED = ("model", "tool")
LONGEST = 1000
"""Characters of a command that are reported."""


def install(session: Session) -> Callable[[], None]:
    """Tell of each process that is started outside of model and tool calls.  Returns what takes this out again."""
    popen = _patch(subprocess.Popen, "__init__", lambda real: _telling(session, "subprocess", real, _popened))
    system = _patch(os, "system", lambda real: _telling(session, "os.system", real, lambda given, _: given[0]))

    def take_out() -> None:
        system()
        popen()

    return take_out


def install_multiprocessing(session: Session) -> Callable[[], None]:
    """The same for `multiprocessing`, once the program has imported it."""
    process = sys.modules["multiprocessing.process"].BaseProcess
    return _patch(process, "start", lambda real: _telling(session, "multiprocessing", real, _target))


def _popened(given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return given[1] if len(given) > 1 else options.get("args", "")


def _target(given: tuple[Any, ...], _: dict[str, Any]) -> Any:
    target = getattr(given[0], "_target", None)
    return getattr(target, "__qualname__", None) or given[0]


def _telling(
    session: Session, how: str, real: Callable[..., Any], command: Callable[[tuple[Any, ...], dict[str, Any]], Any]
) -> Callable[..., Any]:
    @functools.wraps(real)
    def start(*given: Any, **options: Any) -> Any:
        frame = current.get()
        if frame is not None and frame.kind not in ANSWERED and not session.closed:
            session.note(PROCESS_STARTED, frame.component, {"how": how, "command": _words(command(given, options))})
        return real(*given, **options)

    return start


def _words(command: object) -> Json:
    """A command line as text, or its parts."""
    if isinstance(command, (list, tuple)):
        return [_words(part) for part in command]
    text = os.fsdecode(command) if isinstance(command, (bytes, os.PathLike)) else safe_str(command)
    return text[:LONGEST]


def _patch(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Callable[[], None]:
    real = getattr(owner, name)
    ours = wrap(real)
    setattr(owner, name, ours)

    def take_out() -> None:
        if vars(owner).get(name) is ours:
            setattr(owner, name, real)

    return take_out
