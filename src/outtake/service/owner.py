"""The owner of a store: the processes and clients that connect to it, and the runs that live.

What can be done with runs is in the classes that build on this one: reading, steering, and `Service` itself.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from outtake.core.runs import ENDED, Launch, Run
from outtake.engine.hub import Handler, Hub
from outtake.engine.journal import recover
from outtake.engine.launch import default_python
from outtake.engine.live import Control, LiveRun
from outtake.engine.ownership import Ownership
from outtake.engine.plans import plan_json
from outtake.service import config
from outtake.service.errors import Conflict, NotFound, ServiceError, WrongUse, translated
from outtake.service.watch import Watch
from outtake.store import NotWritten, Store, StoreError, UnknownRun
from outtake_probe.records import Json, from_json
from outtake_probe.replay import commands
from outtake_probe.wire import Connection, Frame, ProtocolError

Document = dict[str, Json]
GOODBYE = 2.0
"""Seconds in which clients get their answers when the service closes."""


@translated
class Owner:
    """Owns a store while it lives.  Raises `Owned` where another process does."""

    METHODS: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    """What a client may call, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ownership = Ownership(folder)
        try:
            self.store = Store(folder)
            recover(folder, self.store)
        except StoreError:
            self._ownership.release()
            raise
        self.token = self._token()
        self._lock = threading.RLock()
        self._live: dict[str, LiveRun] = {}
        self._joined = threading.Condition()
        self._changed = threading.Condition()
        self._version = 0
        self._answered = threading.Condition()
        self._answering = 0
        """Calls of clients that are not answered yet."""
        handlers: dict[str, Handler] = {"probe": self._probe, "client": self._client}
        self.hub = Hub(folder, self.token, handlers)
        self._announced = {"address": self.hub.address, "token": self.token}
        self._ownership.announce(self._announced)
        for run in self.store.runs():
            if not run.over and run.status != "held":  # what was held when its process ended still is, for who goes on
                self.store.change(run.id, status="lost", counts=None)
        for run in self.store.runs(listed=False):  # a target was looked at when the last owner was ended
            self.store.delete(run.id)

    def _token(self) -> str:
        """The token of this store: kept, so that a process that outlived its server finds the next one."""
        path = self.folder / "token"
        with contextlib.suppress(OSError):
            return path.read_text("utf-8").strip()
        token = secrets.token_urlsafe(24)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            file.write(token)
        return token

    def announce(self, **fields: str) -> None:
        """Add to what the owner says of itself, for example the address of its pages."""
        self._announced.update(fields)
        self._ownership.announce(self._announced)

    def close(self) -> None:
        """End the processes of live runs and give the store up."""
        with self._lock:
            live = list(self._live.values())
        for run in live:
            state = run.state
            run.end_process()
            if state not in ENDED and run.ended is None:  # we ended it: that is no failure of the program
                status = "held" if state == "held" else "lost"
                counts = run.counts.json()
                with contextlib.suppress(NotWritten):  # who opens the store next says that it was lost
                    self.store.change(run.id, status=status, ended=None, output=None, error=None, counts=counts)
        with self._answered:
            self._answered.wait_for(lambda: self._answering == 0, GOODBYE)
        self.hub.close()
        self.store.close()
        self._ownership.release()

    # -- connections -------------------------------------------------------------------------------------------------

    def _probe(self, connection: Connection, hello: Document) -> None:
        """A debugged process said hello: welcome it to its run, then take what it sends."""
        try:
            live, run = self._joining(hello)
        except (ServiceError, StoreError) as error:
            connection.send("refuse", {"reason": str(error)})
            return
        fork = run.fork
        acked = max(run.records, fork.cut) if fork is not None else run.records
        resumed = hello.get("next", 0) > 0
        plan = None if resumed else plan_json(self.store, run)
        welcome = {
            "run": run.id,
            "spec": run.launch.spec,
            "input": run.launch.input,
            "has_input": run.launch.has_input,
            "args": list(run.launch.args),
            "config": dict(run.launch.config),
            "seed": run.seed,
            "acked": acked,
            "stance": live.control.json(),
            "settings": live.settings,
            "stdin": live.settings.get("stdin", "inherit"),
            "plan": plan,
            "describe": live.describing,
        }
        live.connected(connection)
        with self._joined:
            self._joined.notify_all()
        self._ring()
        connection.send("welcome", welcome, self._of_commands(plan))
        try:
            live.serve(connection, self._frame)
        except (OSError, ProtocolError):
            raise
        except Exception as error:
            live.broke(f"the server could not take what the process said: {type(error).__name__}: {error}")
            raise
        finally:
            if live.state in ENDED:
                live.close()
            self._ring()

    def _of_commands(self, plan: Document | None) -> list[tuple[str, bytes]]:
        """Bodies of what the user did in the parent: the fork does it again at once, without asking for more."""
        records = [from_json(record) for record in plan["records"]] if plan is not None else []
        return list(self.store.tree({r.body for r in records if commands(r) and r.body is not None}).items())

    def _joining(self, hello: Document) -> tuple[LiveRun, Run]:
        name = hello.get("run")
        if name is None:
            return self._attached(hello)
        run = self._run(name)
        with self._lock:
            live = self._live.get(name)
            if live is None:  # the server was started anew; the process has outlived the old one
                if run.status not in ("lost", "held"):
                    raise Conflict(f"{name} has ended ({run.status})")
                live = LiveRun(self.store, run, Control(), headless=False)
                live.settings = config.settings(run.launch.folder)
                self._live[name] = live
        return live, run

    def _attached(self, hello: Document) -> tuple[LiveRun, Run]:
        """A script that the user started wants to be debugged."""
        told = hello.get("attach") or {}
        launch = Launch(
            spec=told.get("script", ""),
            folder=told.get("folder", os.getcwd()),
            python=told.get("executable", default_python()),
            args=told.get("args", []),
            attached=True,
        )
        run = self.store.create(launch, None, seed=secrets.randbits(48))
        live = LiveRun(self.store, run, Control(paused=bool(told.get("pause"))), headless=False)
        live.settings = config.settings(launch.folder)
        with self._lock:
            self._live[run.id] = live
        return live, run

    def _frame(self, live: LiveRun, frame: Frame) -> None:
        fields = frame.fields
        if frame.nodes:  # any frame may bring parts of bodies that were new just then
            live.insist(partial(self.store.append, live.id, (), frame.nodes))
        if frame.kind == "console":
            live.insist(partial(self.store.printed, live.id, fields["stream"], fields["text"]))
            live.wake()
        elif frame.kind == "held":
            live.held(fields)
        elif frame.kind == "freed":
            live.freed(fields["hold"])
        elif frame.kind == "replay":
            live.replayed(fields)
        elif frame.kind == "need":
            live.nodes(fields["names"])
        elif frame.kind == "done":
            live.done(fields)
        elif frame.kind == "described":
            live.insist(partial(self.store.describe, live.id, fields["body"]))
        elif frame.kind == "ended":
            live.finished(fields)
        self._ring()

    def _client(self, connection: Connection, hello: Document) -> None:
        """Another process of the user calls methods, one at a time."""
        connection.send("welcome", {"folder": str(self.folder)})
        while (frame := connection.receive()) is not None:
            try:
                method = self.METHODS.get(frame.fields.get("method", ""))
                if method is None:
                    raise WrongUse(f"unknown method {frame.fields.get('method')!r}")
                with self._being_answered():
                    result = method(self, **frame.fields.get("params", {}))
                    if isinstance(result, Iterator):
                        for item in result:
                            connection.send("item", {"result": item})
                        result = None
                    connection.send("reply", {"result": result})
            except ServiceError as error:
                connection.send(
                    "error", {"code": error.code, "message": str(error), "schema": getattr(error, "schema", None)}
                )

    @contextlib.contextmanager
    def _being_answered(self) -> Iterator[None]:
        """A client waits for an answer; the service does not close before it has it."""
        with self._answered:
            self._answering += 1
        try:
            yield
        finally:
            with self._answered:
                self._answering -= 1
                self._answered.notify_all()

    # -- finding -----------------------------------------------------------------------------------------------------

    def _run(self, run: str) -> Run:
        try:
            return self.store.run(run)
        except UnknownRun as error:
            raise NotFound(str(error)) from error

    def _with_program(self, run: str) -> Run:
        """A run that a program can go on with.  Raises `WrongUse` for a log of something else."""
        found = self._run(run)
        if found.launch.imported:
            raise WrongUse(
                f"{run} was read from a log of {found.launch.imported}: there is no program behind it that could be "
                "run, forked or steered; it can be read, searched, compared and annotated"
            )
        return found

    def _alive(self, run: str) -> LiveRun:
        found = self._with_program(run)
        live = self._live.get(found.id)
        if live is None or live.state in ENDED:
            raise Conflict(
                f"{run} is not running ({live.state if live else found.status}); fork it to go on from a record"
            )
        return live

    def await_process(self, run: str, timeout: float) -> bool:
        """Wait for the process of a run to come back after its server ended; whether it did."""
        with self._joined:
            return self._joined.wait_for(lambda: run in self._live, timeout)

    # -- watching ----------------------------------------------------------------------------------------------------

    def watch(self, run: str | None = None) -> Watch:
        """Wakes its reader at every change of a run, or, without one, when any run begins, ends or changes its state.

        A run that is not live never changes.
        """
        if run is None:
            return Watch(self._changed, lambda: self._version)
        live = self._live.get(self._run(run).id)
        if live is None:
            return Watch(threading.Condition(), lambda: 0)
        return Watch(live.changed, lambda: live.version)

    def _ring(self) -> None:
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def _gone(self, live: LiveRun, status: int) -> None:
        live.gone(status)
        self._ring()
