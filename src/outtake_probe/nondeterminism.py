"""Sources of what cannot be computed again: the clock, random numbers, ids, the user's keyboard.

The program's own code reads the clock through the session, which records what it read and gives the same again in a
replay.  Only call sites in the program's own files are led there (``datetime.now()``, ``date.today()``,
``time.time()``), when they are loaded: frameworks keep the clock, and no class is replaced.  Ids of `uuid.uuid4` follow
from the run's seed and the invocation that asks, so that they are the same in every run that comes there.
"""

from __future__ import annotations

import ast
import builtins
import datetime as dt
import importlib.machinery
import os
import random
import sys
import time
import types
import uuid
from collections.abc import Callable, Sequence
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any

from outtake_probe.attached import active
from outtake_probe.calls import Call, current, nested, top
from outtake_probe.codec import decode, encode
from outtake_probe.gate.invoke import call
from outtake_probe.own_files import OwnFiles
from outtake_probe.session import Session
from outtake_probe.syntax import parse
from outtake_probe.targets.toolkit.human_input import input_call, is_answered, question
from outtake_probe.waits import drive

_READERS = frozenset({"now", "utcnow", "today", "time", "time_ns"})
_HOOK = "__outtake_read__"
_CLOCKS: tuple[object, ...] = (time.time, time.time_ns)
_TYPES = (dt.datetime, dt.date)


def seed_all(session: Session, seed: int) -> Callable[[], None]:
    """Seed the program's random numbers and ids; returns what makes them unforeseeable again."""
    real = uuid.uuid4
    global _ours  # noqa: PLW0603  as there is one `uuid.uuid4` in a process
    random.seed(seed)
    uuid.uuid4 = _ours = ours = _ids(session)

    def undo() -> None:
        global _ours  # noqa: PLW0603
        random.seed()
        if uuid.uuid4 is ours:
            uuid.uuid4 = real
        if _ours is ours:
            _ours = real

    return undo


_ours: Callable[[], uuid.UUID] = uuid.uuid4


def new_id() -> uuid.UUID:
    """An id that the probe needs, whatever the program has put in the place of `uuid.uuid4`."""
    return _ours()


def _ids(session: Session) -> Callable[[], uuid.UUID]:
    def uuid4() -> uuid.UUID:
        frame = current.get() or top
        frame.counts["uuid"] += 1
        text = f"{session.seed} {frame.key} {frame.counts['uuid']}"
        return uuid.UUID(bytes=blake2b(text.encode(), digest_size=16).digest(), version=4)

    return uuid4


def read(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function`; where it is a clock, through the session."""
    session = active()
    if session is None or not _is_clock(function):
        return function(*args, **kwargs)
    return decode(session.read("clock", lambda: encode(function(*args, **kwargs))))


def _is_clock(function: object) -> bool:
    if function in _CLOCKS:
        return True
    owner = getattr(function, "__self__", None)
    return isinstance(owner, type) and issubclass(owner, _TYPES)


def install_input(session: Session, stdin: str) -> Callable[[], None]:
    """`input` passes the gate as a tool: a replay gives the same answer again.

    `stdin` is where answers come from: "inherit" for the process's own standard input, "ask" for a person at the
    debugger, who answers what is held.  Returns what puts the real one back.
    """
    real = builtins.input

    def ask(prompt: object = "", /) -> str:
        if active() is not session.here:
            return real(prompt)
        what = input_call(nested("input"), str(prompt))
        return call(
            session, what, lambda _: _typed(session, real, prompt) if stdin == "inherit" else _answer(session, what)
        )

    def undo() -> None:
        if builtins.input is ask:
            builtins.input = real

    builtins.input = ask
    return undo


def _typed(session: Session, real: Callable[[object], str], prompt: object) -> str:
    """Read a line.  On a terminal the prompt is not written to `sys.stdout`, so that only here it can be seen."""
    frame = current.get()
    if frame is not None and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        session.printing.note(frame, "stdout", str(prompt))
    return real(prompt)


def _answer(session: Session, what: Call) -> str:
    """Wait for a person at the debugger."""
    given = drive(session.hold(question(what.component, what.input["prompt"])))
    if is_answered(given):
        return str(given.value)
    raise EOFError("no input was given")


class ClockReads(ast.NodeTransformer):
    """``x.now(...)`` becomes ``__outtake_read__(x.now, ...)``, and so do the other readers of the clock."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name not in _READERS:
            return node
        hook = ast.copy_location(ast.Name(_HOOK, ast.Load()), node)
        return ast.copy_location(ast.Call(hook, [node.func, *node.args], node.keywords), node)


def compile_source(source: bytes, path: str) -> types.CodeType:
    """The code of a file of the program, with its clock led through the session.  Raises `SyntaxError`."""
    tree = ClockReads().visit(parse(source, path))
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return code


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, own: OwnFiles) -> None:
        super().__init__(fullname, path)
        self._own = own

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return own_code(self._own, self.get_data(path), path)


def own_code(own: OwnFiles, source: bytes, path: str) -> types.CodeType:
    """The code of a file of the program that is about to run.  Raises `SyntaxError`."""
    own.imported(path, source)
    return compile_source(source, path)


class _Finder(MetaPathFinder):
    """Finds the program's own modules."""

    def __init__(self, own: OwnFiles) -> None:
        self._own = own

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or spec.origin is None:
            return None
        if not self._own.is_own(os.path.abspath(spec.origin)):
            return None
        spec.loader = _Loader(fullname, spec.origin, self._own)
        return spec


def install(own: OwnFiles) -> Callable[[], None]:
    """Lead the clocks of the program's own modules through the session, and take note of their files.

    Returns what takes that out again.  What was compiled meanwhile keeps calling `read`, which then only calls.
    """
    finder = _Finder(own)
    setattr(builtins, _HOOK, read)
    sys.meta_path.insert(0, finder)
    return lambda: _take_out(finder)


def _take_out(finder: MetaPathFinder) -> None:
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)
