"""Code cells, executed one after the other, each a step: those of a notebook file, and those that a kernel recorded."""

from __future__ import annotations

import ast
import asyncio
import importlib
import inspect
import linecache
import os
import random
import sys
import traceback
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

from outtake_probe.calls import Call, current, nested, top
from outtake_probe.gate.invoke import NewInput, acall, call
from outtake_probe.nondeterminism import ClockReads
from outtake_probe.notebooks import Cell, CellFile
from outtake_probe.own_files import OwnFiles
from outtake_probe.records import Json
from outtake_probe.session import Refused, Session
from outtake_probe.states.inside import Caught, Recorded
from outtake_probe.waits import Steps

CELLS = "(cells)"
"""Name of the own file that the cells of a kernel are: there is none on disk."""


def step(cell: Cell) -> Call:
    """A cell as a step; its code is read anew in a fork, as that of any file."""
    return Call(
        "step",
        nested(f"cell {cell.number}"),
        {"cell": cell.number, "source": cell.source},
        identity={"cell": cell.number},
        decode_input=lambda value: str(value["source"]),
    )


class OwnCells:
    """The cells of this process as one own file: functions that they define have fingerprints as those of any file.

    A kernel, and a fork of its run, know at every cell those that were executed so far, and nothing of later ones.
    """

    def __init__(self, session: Session, own: OwnFiles, path: str, cells: Sequence[Cell] = ()) -> None:
        self.path = path
        self._session = session
        self._own = own
        self._file = CellFile(cells)
        self._in_file = bool(cells)

    def add(self, number: int, source: str) -> Cell:
        """One more cell, that is about to be executed."""
        return self.put(len(self._file), number, source)

    def put(self, index: int, number: int, source: str) -> Cell:
        """The cell at `index` is about to be executed with this source, which may be another one than was known.

        Of cells that are in no file the source counts as it is recorded, without secrets: it is all that a fork has.
        """
        told: dict[str, Json] = {"cell": number, "source": source}
        if not self._in_file:
            told = self._session.bodies.cleaned(told)
        if self._file.put(index, number, str(told["source"])):
            self.publish()
        return Cell(number, source, self._file.line(index))

    def publish(self) -> None:
        """Make known what the cells say by now, for fingerprints and tracebacks."""
        text = self._file.text
        self._own.given(self.path, text)
        self._session.code.forget(self.path)
        linecache.cache[self.path] = (len(text), None, text.decode().splitlines(keepends=True), self.path)


class Shell:
    """Runs cells as IPython does, where it is installed; else as Python does."""

    def __init__(self, module: types.ModuleType) -> None:
        self._names = module.__dict__
        self._shell = _ipython(module)
        self._clocks: ClockReads | None = None

    def follow_kernel(self) -> None:
        """Cells are now what a kernel recorded: they read the clock through the session, and ``exit`` ends nothing."""
        self._clocks = ClockReads()
        if self._shell is not None:
            self._shell.ast_transformers.append(self._clocks)
            self._shell.ask_exit = lambda: None

    @property
    def is_ipython(self) -> bool:
        return self._shell is not None

    async def run(self, cell: Cell, source: str, path: str) -> object:
        """Run a cell on the loop; what its last line says is shown, and returned."""
        shell = self._shell
        tree = self._parse(source, path)
        ast.increment_lineno(tree, cell.line - 1)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with ExitStack() as traps:
            if shell is not None:
                shell.execution_count += cell.number - shell.displayhook.prompt_count  # one less, from IPython 9 on
                traps.enter_context(shell.builtin_trap)
                traps.enter_context(shell.display_trap)
            await self._execute(compile(tree, path, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
            if last is None or not isinstance(last, ast.Expr):
                return None
            expression = ast.Expression(last.value)
            value = await self._execute(compile(expression, path, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
            if not source.rstrip().endswith(";"):
                sys.displayhook(value)
        return value

    def awaits(self, source: str) -> bool:
        """Whether a cell needs a loop: it awaits outside of functions."""
        try:
            code = compile(self._parse(source, "<cell>"), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except (SyntaxError, ValueError):
            return False
        return bool(code.co_flags & inspect.CO_COROUTINE)

    def _parse(self, source: str, path: str) -> ast.Module:
        shell = self._shell
        tree = ast.parse(shell.transform_cell(source) if shell is not None else source, path)
        if shell is not None:
            tree = shell.transform_ast(tree)
        elif self._clocks is not None:
            tree = ast.fix_missing_locations(self._clocks.visit(tree))
        return tree

    async def _execute(self, code: types.CodeType) -> object:
        made = eval(code, self._names)
        return await made if code.co_flags & inspect.CO_COROUTINE else made


def _ipython(module: types.ModuleType) -> Any | None:
    """A shell whose names are those of `module`; None where IPython is not installed."""
    try:
        shells = importlib.import_module("IPython.core.interactiveshell")
        traitlets = importlib.import_module("traitlets.config")
    except ImportError:
        return None
    history = {"HistoryManager": {"enabled": False}}  # it would write to the user's own
    return shells.InteractiveShell.instance(config=traitlets.Config(history), user_module=module)


# -- what a kernel recorded, again -----------------------------------------------------------------------------------


def kernel_root(name: str, earlier: Sequence[str], loop: bool) -> Call:
    """What encloses the cells of a kernel: those that were executed `earlier` are told, and none of their calls.

    `loop`: an event loop runs around the cells, as in a notebook; in a terminal, none does.
    """
    return Call("flow", name, {"args": [], "earlier": list(earlier), "loop": loop}, identity={"args": []})


def summary(cells: int, failed: Sequence[int]) -> Json:
    """The output of a kernel's run: how many cells were executed, and the numbers of those that failed."""
    return {"cells": cells, "failed": list(failed)}


class RecordedCells:
    """The cells of a kernel, executed once more, in their order; one that fails is no end, as in the kernel."""

    def __init__(self, session: Session, own: OwnFiles, module: types.ModuleType, told: Json, seed: int) -> None:
        self._session = session
        self._shell = Shell(module)
        self._own = OwnCells(session, own, os.path.join(own.folder, CELLS))
        self._earlier: list[str] = list(told["earlier"])
        self._cells = [Cell(int(cell["cell"]), str(cell["source"]), 0) for cell in told["cells"]]
        self._interrupted = [bool(cell.get("interrupted")) for cell in told["cells"]]
        self._loop = bool(told["loop"])
        self._seed = seed
        self._failed: list[int] = []

    def run(self, name: str) -> Json:
        """Execute them inside their root."""
        root = kernel_root(name, self._earlier, self._loop)
        return call(self._session, root, lambda _: asyncio.run(self._on_loop()) if self._loop else self._without_loop())

    async def _on_loop(self) -> Json:
        for number, source in enumerate(self._earlier, 1):
            with self._goes_on(), _unrecorded(self._session):
                await self._execute(self._own.add(number, source), source)
        self._begin()
        for at, cell in enumerate(self._cells):
            with self._goes_on(cell.number), self._as_recorded(at):
                await acall(self._session, step(cell), lambda new: self._execute(*self._now(at, cell, new)))  # noqa: B023
        return summary(len(self._cells), self._failed)

    def _without_loop(self) -> Json:
        with closing(asyncio.new_event_loop()) as loop:
            for number, source in enumerate(self._earlier, 1):
                with self._goes_on(), _unrecorded(self._session):
                    self._finish(loop, self._own.add(number, source), source)
            self._begin()
            for at, cell in enumerate(self._cells):
                with self._goes_on(cell.number), self._as_recorded(at):
                    call(self._session, step(cell), lambda new: self._finish(loop, *self._now(at, cell, new)))  # noqa: B023
        return summary(len(self._cells), self._failed)

    def _begin(self) -> None:
        """What comes now was recorded: chance and clocks are what they were when the kernel was attached."""
        random.seed(self._seed)
        self._shell.follow_kernel()

    def _now(self, at: int, cell: Cell, new: NewInput | None) -> tuple[Cell, str]:
        """A cell with its place among the others, and its source, which an edit may have changed."""
        source = new.value if new is not None else cell.source
        return self._own.put(len(self._earlier) + at, cell.number, source), source

    @contextmanager
    def _as_recorded(self, at: int) -> Iterator[None]:
        """A cell that was interrupted is interrupted again, where the record says that it was."""
        self._session.was_interrupted = self._interrupted[at]
        try:
            yield
        finally:
            self._session.was_interrupted = False

    async def _execute(self, cell: Cell, source: str) -> object:
        return await self._shell.run(cell, source, self._own.path)

    def _finish(self, loop: asyncio.AbstractEventLoop, cell: Cell, source: str) -> object:
        made = self._execute(cell, source)
        if self._shell.awaits(source):
            return loop.run_until_complete(made)
        try:
            made.send(None)
        except StopIteration as end:
            return end.value
        raise RuntimeError("a cell without await has waited")

    @contextmanager
    def _goes_on(self, number: int | None = None) -> Iterator[None]:
        """A cell that fails is shown, and the next one is executed."""
        try:
            yield
        except (Exception, KeyboardInterrupt, SystemExit, asyncio.CancelledError) as error:
            if self._session.stopping:
                raise
            if number is not None:
                self._failed.append(number)
            traceback.print_exception(type(error), error, self._inside(error.__traceback__))

    def _inside(self, trace: types.TracebackType | None) -> types.TracebackType | None:
        """A traceback from the cell on."""
        inner = trace
        while inner is not None and inner.tb_frame.f_code.co_filename != self._own.path:
            inner = inner.tb_next
        return inner if inner is not None else trace


class _Unrecorded(Caught):
    """The inside of a cell of which nothing was recorded: what costs or acts is not done once more."""

    def recorded(self, call: Call) -> Steps[Recorded | None]:
        if call.kind == "model" or (call.kind == "tool" and self._session.effects(call) != "pure"):
            raise Refused(
                f"{call.component} is called by a cell that was executed before %load_ext outtake: nothing is recorded "
                "of it, and a fork does not call it again. Load the extension before the first call"
            )
        yield from ()
        return None


@contextmanager
def _unrecorded(session: Session) -> Iterator[None]:
    frame = replace(current.get() or top, caught=_Unrecorded(session, None), counts=Counter(), key="earlier")
    token = current.set(frame)
    try:
        yield
    finally:
        current.reset(token)
