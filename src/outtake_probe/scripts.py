"""Programs without a function to call: scripts, modules that are run (``-m``), notebooks, and what a kernel did."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import threading
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from outtake_probe import nondeterminism, notebooks
from outtake_probe.calls import Call
from outtake_probe.cells import CELLS, OwnCells, RecordedCells, Shell, step
from outtake_probe.gate.invoke import NewInput, acall, call
from outtake_probe.notebooks import Cell
from outtake_probe.own_files import OwnFiles
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.specs import BadSpec, Spec

OUTPUT = 4000
"""Characters of a program's last output that count as its result."""


class ScriptFailed(Exception):
    """A program ended with another exit code than 0."""


def run_script(session: Session, own: OwnFiles, spec: Spec, args: Sequence[str]) -> Json:
    """Run a program to its end; what it returns is its exit code and the end of what it printed.

    Raises `BadSpec` where there is none, and `ScriptFailed`.
    """
    execute = _LOADERS[spec.kind](session, own, spec.place)
    session.ready(None)
    sys.argv[1:] = args
    tail = _Tail(sys.stdout)
    sys.stdout = tail
    code = call(session, Call("flow", spec.name, {"args": list(args)}), lambda _: _exit_code(execute))
    _join_threads()
    output = {"exit_code": code, "output": tail.text()}
    if code:
        raise ScriptFailed(f"the script ended with exit code {code}", output)
    return output


def run_kernel(session: Session, own: OwnFiles, spec: Spec, told: Json, seed: int) -> Json:
    """Execute the cells that a kernel recorded; what they return is how many there are, and which of them failed.

    Raises `BadSpec` where none are told: only a fork of a kernel's run has some.
    """
    if told is None:
        raise BadSpec(f"{spec.name} is a kernel: its run begins with %load_ext outtake, and can be forked")
    cells = RecordedCells(session, own, _main(os.path.join(own.folder, CELLS)), told, seed)
    session.ready(None)
    output = cells.run(spec.name)
    _join_threads()
    return output


def _script(_: Session, own: OwnFiles, path: str) -> Callable[[], None]:
    module, data = _main(path), _read(path)
    return lambda: exec(nondeterminism.own_code(own, data, module.__file__ or path), module.__dict__)


def _module(_: Session, own: OwnFiles, name: str) -> Callable[[], None]:
    """What ``python -m`` does."""
    sys.path.insert(0, os.getcwd())
    found = _find(name)
    if found is not None and found.submodule_search_locations is not None:
        found = _find(f"{name}.__main__")
        if found is None:
            raise BadSpec(
                f"{name} is a package without a __main__ module; say one of its modules, as in -m {name}.main"
            )
    if found is None or found.origin is None or found.loader is None:
        raise BadSpec(f"there is no module {name} for {sys.executable} in {os.getcwd()}")
    path = found.origin
    module = _main(path, beside=False)
    module.__spec__, module.__loader__, module.__package__ = found, found.loader, found.parent
    if own.is_own(path):
        data = _read(path)
        return lambda: exec(nondeterminism.own_code(own, data, path), module.__dict__)
    get_code = getattr(found.loader, "get_code", lambda _: None)
    code = get_code(found.name)
    if code is None:
        raise BadSpec(f"{name} has no Python code that could be run")
    return lambda: exec(code, module.__dict__)


def _find(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None


def _notebook(session: Session, own: OwnFiles, path: str) -> Callable[[], None]:
    try:
        data = _read(path)
        cells, text = notebooks.cells(data), notebooks.text(data)
    except ValueError as error:
        raise BadSpec(f"{path} cannot be read: {error}") from error
    module = _main(path)
    place = module.__file__ or path
    shell = Shell(module)
    for cell in cells:
        if cell.magic and not shell.is_ipython:
            raise BadSpec(f"cell {cell.number} of {path} says {cell.magic!r}: that needs IPython in {sys.executable}")
    own.imported(place, text)
    file = OwnCells(session, own, place, cells)
    file.publish()
    os.chdir(os.path.dirname(place))  # where a notebook expects to be

    async def execute(at: int, cell: Cell, new: NewInput | None) -> object:
        source = new.value if new is not None else cell.source
        return await shell.run(file.put(at, cell.number, source), source, place)

    async def run() -> None:
        for at, cell in enumerate(cells):
            await acall(session, step(cell), partial(execute, at, cell))

    return lambda: asyncio.run(run())


_LOADERS: dict[str, Callable[[Session, OwnFiles, str], Callable[[], None]]] = {
    "script": _script,
    "module": _module,
    "notebook": _notebook,
}


# -- as the interpreter does -----------------------------------------------------------------------------------------


def _read(path: str) -> bytes:
    if not os.path.isfile(path):
        raise BadSpec(f"there is no file {path} in {os.getcwd()}")
    with open(path, "rb") as file:
        return file.read()


def _main(path: str, *, beside: bool = True) -> types.ModuleType:
    """The main module; with `beside`, modules are found that lie beside its file."""
    module = types.ModuleType("__main__")
    module.__file__ = os.path.abspath(path)
    sys.argv = [path]
    if beside:
        find_modules_beside(module.__file__)
    sys.modules["__main__"] = module
    return module


def find_modules_beside(path: str) -> None:
    """Let modules be found that lie beside a file; if it lies in a package, also the package, by its whole name."""
    folder = os.path.dirname(path)
    sys.path.insert(0, folder)
    outside = folder
    while os.path.isfile(os.path.join(outside, "__init__.py")):
        outside = os.path.dirname(outside)
    if outside != folder:
        sys.path.append(outside)


def _exit_code(execute: Callable[[], None]) -> int:
    try:
        execute()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    return 0


def _join_threads() -> None:
    """Wait for the threads that a program has left, as the interpreter does at its end: pools are told to end first."""
    for tell in reversed(getattr(threading, "_threading_atexits", ())):
        tell()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


class _Tail:
    """A text stream that keeps its end."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._end = ""

    def write(self, text: str) -> int:
        self._end = (self._end + text)[-OUTPUT:]
        return int(self._stream.write(text))

    def text(self) -> str:
        return self._end.strip()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
