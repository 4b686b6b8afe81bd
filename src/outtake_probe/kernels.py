"""A kernel of IPython, or its shell in a terminal, under the debugger: each cell that it executes is a step.

The steps are those of a notebook that `outtake run` executes, with the source of each cell as its input, so that a fork
executes the recorded cells in the order in which the kernel did; see `outtake_probe.cells`.  Cells that were executed
before are told with the root of the run, without what happened in them.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol

from outtake_probe import life
from outtake_probe.attach import join_server
from outtake_probe.attached import active
from outtake_probe.calls import current
from outtake_probe.cells import CELLS, OwnCells, kernel_root, step, summary
from outtake_probe.connection import say
from outtake_probe.gate.invoke import NewInput, Opened, acall, call
from outtake_probe.nondeterminism import ClockReads, install_input
from outtake_probe.notebooks import Cell
from outtake_probe.process import Joined
from outtake_probe.records import Status
from outtake_probe.session import Stopped


class AlreadyAttached(RuntimeError):
    """This process is debugged already, in another way."""


class InteractiveShell(Protocol):
    """What is used of the shell that executes the cells, in IPython's own words."""

    execution_count: int
    history_manager: Any
    compile: Any
    ast_transformers: list[Any]
    user_ns: dict[str, Any]
    run_cell: Callable[..., Any]
    run_cell_async: Callable[..., Awaitable[Any]]

    def transform_cell(self, raw_cell: str) -> str: ...
    def showtraceback(self, exc_tuple: Any = None) -> None: ...


_kernel: Kernel | None = None


def load(shell: InteractiveShell) -> None:
    """See `outtake_probe.extension`."""
    global _kernel  # noqa: PLW0603  a process has one kernel
    if _kernel is not None and _kernel.goes_on():
        return
    if active() is not None:
        if current.get() is None:
            raise AlreadyAttached(
                "this process is debugged already, by outtake.attach(): restart the kernel, and use %load_ext instead"
            )
        return  # `outtake run` executes this notebook, or it is a fork
    life.release()
    _kernel = Kernel(shell)
    print(_kernel.introduction())  # noqa: T201  the output of the cell is where the user looks


def unload(_: InteractiveShell) -> None:
    """See `outtake_probe.extension`."""
    if _kernel is not None:
        _kernel.end_after_cell()


@dataclass
class _Execution:
    """What came of one cell: IPython's result, or, where it was not executed, what is to be said instead."""

    result: Any = None
    value: object = None
    error: BaseException | None = None

    def came_back(self, result: Any) -> object:
        """IPython has executed it; raises what the cell raised."""
        self.result = result
        error = result.error_before_exec or result.error_in_exec
        if error is None:
            return result.result
        trace = error.__traceback__
        try:
            raise error
        finally:
            error.__traceback__ = trace  # where it is shown again, the debugger is not in it


class Kernel:
    """One run of a kernel: from the cell that loads the extension to the one that unloads it, or to the end."""

    def __init__(self, shell: InteractiveShell) -> None:
        name = _name(shell)
        earlier = _earlier(shell)
        self._shell = shell
        self._joined: Joined = join_server({"kernel": name, "script": "", "args": [], "pause": False})
        self._session = self._joined.session
        self._cells = OwnCells(self._session, self._joined.own, os.path.join(self._joined.own.folder, CELLS))
        self._lock = threading.RLock()
        self._input = builtins.input
        self._busy = 0
        """Cells that are executed: one, or several where a front end has more than one shell."""
        self._ending = False
        self._ended = False
        self._before = max(0, len(earlier) - 1)
        self._executed = 0
        self._failed: list[int] = []
        for number, (source, compiled_as) in enumerate(earlier, 1):
            self._cells.add(number, source)
            self._know(compiled_as)
        self._root = Opened(self._session, kernel_root(name, [source for source, _ in earlier], _has_loop(shell)))
        self._wrap()
        self._session.on_stop.append(self._stopped)
        atexit.register(self.end)

    def introduction(self) -> str:
        """What is told to the user, in the output of the cell that loads the extension."""
        told = f"outtake: the cells after this one are recorded as {self._joined.link.welcome['run']}"
        if self._before:
            cells = "the cell" if self._before == 1 else f"the {self._before} cells"
            told += f"; {cells} before it can be executed again by a fork, but not what they called"
        return told

    def goes_on(self) -> bool:
        """Whether this run records; one that was to end after this very cell does not end then."""
        with self._lock:
            self._ending = False
            return not (self._ended or self._joined.ended or self._session.stopping)

    def end_after_cell(self) -> None:
        """End the run when the cell that is executed has come back."""
        with self._lock:
            self._ending = True
            if not self._busy:
                self.end()

    def end(self) -> None:
        """Nothing more is recorded; returns when all is stored.  The kernel goes on."""
        with self._lock:
            ended, self._ended = self._ended, True
        if ended or self._joined.is_forked:
            return
        atexit.unregister(self.end)
        output = summary(self._executed, self._failed)
        status: Status = "stopped" if self._session.stopping else "completed"
        try:
            if status == "completed":
                self._root.close(output)
        except Stopped:
            status = "stopped"
        self._joined.leave(status, output if status == "completed" else None)
        life.release()

    def _stopped(self) -> None:
        """The user ended the run; where no cell is executed, nothing else would notice."""
        if not self._busy:
            threading.Thread(target=self.end, name="outtake-stopped").start()

    # -- the shell ---------------------------------------------------------------------------------------------------

    def _wrap(self) -> None:
        """Be asked for each cell, and know under which names cells are compiled, until the hooks are taken out."""
        shell, clocks = self._shell, ClockReads()
        compiler = shell.compile
        seams: list[tuple[Any, str, Any]] = [
            (shell, "run_cell", self._run_cell(shell.run_cell)),
            (shell, "run_cell_async", self._run_cell_async(shell.run_cell_async)),
            (compiler, "cache", self._cache(compiler.cache)),
        ]
        for owner, name, wrapper in seams:
            setattr(owner, name, wrapper)
        shell.ast_transformers.append(clocks)

        def unwrap() -> None:
            for owner, name, wrapper in seams:
                if vars(owner).get(name) is wrapper:
                    delattr(owner, name)
            if clocks in shell.ast_transformers:
                shell.ast_transformers.remove(clocks)

        self._joined.undo.append(unwrap)

    def _run_cell(self, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def run_cell(raw_cell: str, store_history: bool = False, silent: bool = False, *args: Any, **more: Any) -> Any:
            if not self._takes(raw_cell, store_history, silent):
                return real(raw_cell, store_history, silent, *args, **more)
            number, done = self._shell.execution_count, _Execution()

            def execute(new: NewInput | None) -> object:
                source = self._begins(number, raw_cell, new)
                return done.came_back(real(source, store_history, silent, *args, **more))

            with self._executing(number, done):
                done.value = call(self._session, step(Cell(number, raw_cell, 0)), execute)
            return done.result if done.result is not None else self._instead(number, done, real("", False, True))

        return run_cell

    def _run_cell_async(self, real: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(real)
        async def run_cell_async(
            raw_cell: str, store_history: bool = False, silent: bool = False, *args: Any, **more: Any
        ) -> Any:
            if not self._takes(raw_cell, store_history, silent):
                return await real(raw_cell, store_history, silent, *args, **more)
            number, done = self._shell.execution_count, _Execution()

            async def execute(new: NewInput | None) -> object:
                source = self._begins(number, raw_cell, new)
                if new is not None:
                    more.update(transformed_cell=self._shell.transform_cell(source), preprocessing_exc_tuple=None)
                return done.came_back(await real(source, store_history, silent, *args, **more))

            with self._executing(number, done):
                done.value = await acall(self._session, step(Cell(number, raw_cell, 0)), execute)
            if done.result is not None:
                return done.result
            return self._instead(number, done, await real("", False, True, transformed_cell=""))

        return run_cell_async

    def _cache(self, real: Callable[..., str]) -> Callable[..., str]:
        @wraps(real)
        def cache(*args: Any, **more: Any) -> str:
            name = real(*args, **more)
            self._know(name)
            return name

        return cache

    def _know(self, compiled_as: str) -> None:
        if compiled_as:
            self._session.code.compiled_as(compiled_as, self._cells.path)

    # -- one cell ----------------------------------------------------------------------------------------------------

    def _takes(self, source: str, store_history: bool, silent: bool) -> bool:
        """Whether this is a cell of the user's: not what a front end runs for itself, nor what a cell runs in turn."""
        if self._session.stopping and not self._busy:
            self.end()
        if self._ended or self._session.closed or self._joined.is_forked:
            return False
        return store_history and not silent and bool(source.strip()) and current.get() is None

    def _begins(self, number: int, source: str, new: NewInput | None) -> str:
        """What is executed now, after the gate."""
        source = source if new is None else new.value
        self._cells.add(number, source)
        return source

    @contextmanager
    def _executing(self, number: int, done: _Execution) -> Iterator[None]:
        """A cell passes the gate.  What it raised is in its result already, and no error of who executes it."""
        with self._lock:
            self._busy += 1
        try:
            with self._root.inside(), self._reading():
                yield
        except BaseException as error:  # noqa: BLE001  whatever a cell raises, the kernel goes on
            done.error = error
        self._executed += 1
        if done.error is not None:
            self._failed.append(number)
        with self._lock:
            self._busy -= 1
            ends = self._ending or self._session.stopping
        self._session.recorder.flush()  # a kernel that waits for its next cell may die
        if ends:
            self.end()
            say("the run has ended; cells are not recorded any more")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A kernel sets an `input` of its own for each cell: that passes the gate, too."""
        if builtins.input is self._input:
            yield
            return
        undo = install_input(self._session, self._joined.link.welcome.get("stdin", "inherit"))
        try:
            yield
        finally:
            undo()

    def _instead(self, number: int, done: _Execution, result: Any) -> Any:
        """The result of a cell that was not executed: the user has answered for it, or has interrupted the wait."""
        self._shell.execution_count = number + 1
        result.result, result.error_in_exec = done.value, done.error
        if done.error is not None:
            self._shell.showtraceback((type(done.error), done.error, done.error.__traceback__))
        return result


# -- what is known of a kernel ---------------------------------------------------------------------------------------


def _name(shell: InteractiveShell) -> str:
    """What the notebook is called, where its front end tells; else what it is."""
    told = shell.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or ""
    name = os.path.basename(str(told).replace("\\", "/"))
    return name.removesuffix(".ipynb").strip() if name.endswith(".ipynb") else "kernel"


def _has_loop(shell: InteractiveShell) -> bool:
    """Whether a loop runs around the cells: it does in a kernel, which may load the extension before it begins."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return getattr(shell, "kernel", None) is not None
    return True


def _earlier(shell: InteractiveShell) -> list[tuple[str, str]]:
    """The cells that this kernel has executed up to now, the running one included, and what they were compiled as."""
    history = shell.history_manager
    raw: list[str] = list(getattr(history, "input_hist_raw", ()))
    parsed: list[str] = list(getattr(history, "input_hist_parsed", ()))
    name = getattr(shell.compile, "get_code_name", lambda *_: "")
    return [
        (source, name(source, transformed, number))
        for number, (source, transformed) in enumerate(zip(raw, parsed, strict=False))
        if source.strip()
    ]
