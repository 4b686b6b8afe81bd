"""The owner of a store: the processes and clients that connect to it, and the runs that live.

What can be done with runs is in the classes that build on this one: reading, steering, and `Service` itself.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from outtake.core.runs import ENDED, Launch, Run
from outtake.engine import memory
from outtake.engine.journal import recover
from outtake.engine.kernels import recorded_cells
from outtake.engine.keys import Keys, same
from outtake.engine.launch import AdoptedProcess, Process, Started, default_python
from outtake.engine.listener import Handler, Listener
from outtake.engine.live import ALONE, Control, LiveRun, NotLive
from outtake.engine.ownership import Ownership
from outtake.engine.plans import plan_json, plan_pages
from outtake.engine.processes import Traces, left
from outtake.service import config
from outtake.service.errors import Conflict, NotFound, ServiceError, WrongUse, translated
from outtake.service.methods import asks, local
from outtake.service.watch import ChangeSignal
from outtake.store import NotWritten, Store, StoreError, UnknownRun
from outtake.store.files import Files
from outtake.store.giving_up import GivenUp, wanted_while
from outtake_probe import life
from outtake_probe.records import Json
from outtake_probe.replay.index import commands
from outtake_probe.specs import KERNEL
from outtake_probe.wire import Connection, Frame, ProtocolError

log = logging.getLogger(__name__)
Document = dict[str, Json]
STARTS = ("run", "fork")
"""Methods that start a process."""
WAITS = ("wait", "follow")
"""Methods that wait for something to happen: it may, with the next owner."""
GOODBYE = 2.0
"""Seconds in which clients get their answers when the service closes."""


@translated
class Owner:
    """Owns a store while it lives.  Raises `Owned` where another process does."""

    METHODS: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    """What a client may call, by name."""

    def __init__(self, folder: Path) -> None:
        folder = folder.absolute()  # what is started works in other folders
        self._ownership = Ownership(folder)
        try:
            self._keys = Keys(folder)
            store = Store(folder)
            recover(folder, store)
        except BaseException:
            self._ownership.release()
            raise
        self._keep(folder, store)
        self.token = self._keys.token
        self._find_living()
        handlers: dict[str, Handler] = {"probe": self._probe, "client": self._client}
        self.listener = Listener(folder, self._admits, handlers)
        self._announced = {"address": self.listener.address, "token": self.token}
        self._ownership.announce(self._announced)

    def _find_living(self) -> None:
        """Adopt the runs whose processes have outlived their server; those whose processes died are lost."""
        for unlisted in self.store.runs(listed=False):  # a target was looked at when the last owner was ended
            self.store.delete(unlisted.id)
        runs = {run.id: run for run in self.store.runs()}
        for name, traces in left(self.folder):
            run, alive = runs.get(name), traces.alive
            if not alive:
                self._lost(run, traces)
            elif run is None:
                AdoptedProcess(name, traces).kill()
            elif not run.over or run.status == "lost":
                self._adopt(run, traces)
        for name, known in runs.items():
            # what was held when its process ended still is, for who goes on
            if not known.over and known.status != "held" and name not in self._live:
                self.store.change(name, status="lost", counts=None)

    def _lost(self, run: Run | None, traces: Traces) -> None:
        """The process of a run was not seen to end, and has."""
        if run is not None and not run.over and traces.told().get("alone"):
            self.store.change(run.id, error=ALONE)
        traces.remove()

    def _adopt(self, run: Run, traces: Traces) -> LiveRun:
        """Expect the process of a run to connect: it lives, and somebody else started it."""
        told = traces.told()
        live = LiveRun(self.store, run, Control(), headless=bool(told.get("headless")))
        live.settings = {**config.settings(run.launch.folder), "stdin": told.get("stdin", "inherit")}
        with self._lock:
            self._live[run.id] = live
        found = AdoptedProcess(run.id, traces)
        live.adopt(found)
        found.watch(partial(self._gone, live))
        return live

    def _keep(self, folder: Path, store: Store) -> None:
        """What any service of a store has, whether it owns it or not."""
        self.folder = folder
        self.store = store
        self._lock = threading.RLock()
        self._live: dict[str, LiveRun] = {}
        self._joined = threading.Condition()
        self._changed = threading.Condition()
        self._version = 0
        self._answered = threading.Condition()
        self._answering = 0
        """Calls of clients that are not answered yet."""
        self._closing = False
        self._clients: Counter[str] = Counter()
        """Connections of each client that is there."""
        self._conducted: dict[str, str] = {}
        """The client on whose behalf a run lives."""

    def _admits(self, hello: Mapping[str, Json]) -> bool:
        """Whether the token of a hello is right: the secret of its run, or of this owner where there is no run yet."""
        given, run = str(hello.get("token", "")), hello.get("run")
        if hello.get("role") != "probe" or run is None:
            return same(given, self.token)
        try:
            return same(given, self._keys.of_run(self.store.run(str(run))))
        except UnknownRun:
            return False

    def _handed(self, run: Run) -> dict[str, str]:
        """What the process of a run is told when it is started."""
        secret = self._keys.of_run(run)
        return {"address": self.listener.address, "secret": secret, "run": run.id, "store": str(self.folder)}

    @local
    def announce(self, **fields: str) -> None:
        """Add to what the owner says of itself, for example the address of its pages."""
        self._announced.update(fields)
        self._ownership.announce(self._announced)

    @local
    def close(self) -> list[str]:
        """End the processes of live runs and give the store up.

        Who has asked for a run from another process and is still there gets the store: that run's process goes on.  So
        does one that outlived its server.  Returns the runs that go on without this owner.
        """
        with self._lock:
            self._closing = True
            live = list(self._live.values())
        for run in live:
            if self._ends_with_us(run):
                self._end(run)
        for run in live:
            run.leave()
        left = [run.id for run in live if not run.over and isinstance(run.process, Started)]
        with self._answered:
            self._answered.wait_for(lambda: self._answering == 0, GOODBYE)
        self.listener.close()
        for run in live:
            with contextlib.suppress(StoreError):  # it is in the journal, for who opens the store next
                run.close()
        self.store.close()
        self._ownership.release()
        return left

    def _ends_with_us(self, live: LiveRun) -> bool:
        """Whether a run's process is this owner's, and nobody else waits for it."""
        client = self._conducted.get(live.id)
        return isinstance(live.process, Started) and (client is None or not self._clients[client])

    def _end(self, live: LiveRun) -> None:
        """End the process of a run because the service ends: that is no failure of the program."""
        state = live.state
        live.end_process()
        if state not in ENDED and live.ended is None:
            status = "held" if state == "held" else "lost"
            counts = live.counts.json()
            with contextlib.suppress(NotWritten):  # who opens the store next says that it was lost
                self.store.change(live.id, status=status, ended=None, output=None, error=None, counts=counts)

    # -- connections -------------------------------------------------------------------------------------------------

    def _probe(self, connection: Connection, hello: Document) -> None:
        """A debugged process said hello: welcome it to its run, then take what it sends."""
        try:
            live, run = self._joining(hello)
        except (ServiceError, StoreError, NotLive) as error:
            connection.send("refuse", {"reason": str(error)})
            return
        fork = run.fork
        resumed = hello.get("next", 0) > 0
        cut = hello.get("cut")
        if resumed and fork is not None and cut is not None and cut < fork.cut:  # nobody was there to be told
            live.replayed({"state": "recut", "cut": cut})
            run = self._run(run.id)
            fork = run.fork
        acked = max(run.records, fork.cut) if fork is not None else run.records
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
            "kernel": recorded_cells(self.store, run),
            "token": self._keys.of_run(run),
            "life": Traces(self.folder, run.id).life if "request" not in hello else None,
        }
        live.connected(connection)
        with self._joined:
            self._joined.notify_all()
        self._ring()
        try:
            connection.send("welcome", welcome)
            for records, nodes in plan_pages(self.store, run, plan, commands) if plan is not None else ():
                connection.send("plan", {"records": records}, nodes)
            live.serve(connection, self._frame)
        except (OSError, ProtocolError):
            raise
        except Exception as error:
            if self._closing:  # the next server takes it
                return
            live.broke(f"the server could not take what the process said: {type(error).__name__}: {error}")
            raise
        finally:
            live.hung_up(connection, None if self._closing else partial(self._found_alive, live))
            if live.process is not None and not self._closing:
                live.process.watch(partial(self._gone, live))
            self._retire(live)
            self._ring()

    def _found_alive(self, live: LiveRun) -> Process | None:
        """The process of a script that the user started, where it lives without a connection."""
        traces = Traces(self.folder, live.id)
        return AdoptedProcess(live.id, traces) if traces.alive else None

    def _retire(self, live: LiveRun) -> None:
        """Forget a run of which nothing more can come: all is in the store."""
        if not live.over:
            return
        try:
            live.close()
        finally:
            with self._lock:
                if self._live.get(live.id) is live:
                    del self._live[live.id]
                self._conducted.pop(live.id, None)
                at_rest = not self._live
            Traces(self.folder, live.id).remove()
            if at_rest:
                memory.give_back()

    def _joining(self, hello: Document) -> tuple[LiveRun, Run]:
        name = hello.get("run")
        if name is None:
            return self._attached(hello)
        if "request" in hello:
            return self._requested(name, hello["request"], hello)
        with self._lock:
            live = self._live.get(name)
            run = self._run(name)
            if live is None:  # it lives, though it could not be seen: where nothing can be locked
                live = self._late(run)
        live.check_process(hello)
        live.take_over(hello.get("stance") or {})
        return live, run

    def _late(self, run: Run) -> LiveRun:
        if run.status not in ("lost", "held"):
            raise Conflict(f"{run.id} has ended ({run.status})")
        gone_on = [r.id for r in self.store.runs() if r.fork and r.fork.parent == run.id and r.fork.cut >= run.records]
        if gone_on:
            raise Conflict(f"{run.id} was gone on with as {', '.join(gone_on)} while this process was away")
        live = LiveRun(self.store, run, Control(), headless=False)
        live.settings = config.settings(run.launch.folder)
        live.adopted = True
        self._live[run.id] = live
        return live

    def _attached(self, hello: Document) -> tuple[LiveRun, Run]:
        """A script or a kernel that the user started wants to be debugged."""
        told = hello.get("attach") or {}
        kernel = told.get("kernel")
        launch = Launch(
            spec=told.get("script", "") if kernel is None else f"{KERNEL}{kernel}",
            folder=told.get("folder", os.getcwd()),
            python=told.get("executable", default_python()),
            args=told.get("args", []),
            attached=kernel is None,
        )
        run = self.store.create(launch, None, seed=secrets.randbits(48))
        os.close(life.begin(Traces(self.folder, run.id).life, attached=True))
        live = LiveRun(self.store, run, Control(paused=bool(told.get("pause"))), headless=False)
        live.settings = config.settings(launch.folder)
        live.check_process(hello)
        with self._lock:
            self._live[run.id] = live
        return live, run

    def _requested(self, process: str, told: Document, hello: Document) -> tuple[LiveRun, Run]:
        """The process of a run handles a request, which is a run of its own.  It has no process of its own to end."""
        around = self._run(process).launch
        launch = Launch(
            spec=told["function"],
            folder=around.folder,
            python=told.get("executable", around.python),
            input=told["input"],
            has_input=True,
        )
        run = self.store.create(launch, None, seed=secrets.randbits(48))
        with self._lock:
            outer = self._live.get(process)
            wanted = Control()
            if outer is not None:
                wanted = Control(paused=outer.control.paused, breakpoints=list(outer.control.breakpoints))
            live = LiveRun(self.store, run, wanted, headless=False)
            live.settings = config.settings(launch.folder)
            live.check_process(hello)
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
        elif frame.kind == "imported":
            live.insist(partial(Files(self.store).add, live.id, fields["files"]))
        elif frame.kind == "described":
            live.insist(partial(self.store.describe, live.id, fields["body"]))
        elif frame.kind == "ended":
            live.finished(fields)
        self._ring()

    def _client(self, connection: Connection, hello: Document) -> None:
        """Another process of the user calls methods, one at a time."""
        connection.send("welcome", {"folder": str(self.folder)})
        client = str(hello.get("client", ""))
        with self._lock:
            self._clients[client] += 1
            self._conducted.update(dict.fromkeys(hello.get("runs", ()), client))
        try:
            self._serve_client(connection, client)
        finally:
            with self._lock:
                self._clients[client] -= 1
                if not self._clients[client]:
                    del self._clients[client]

    def _serve_client(self, connection: Connection, client: str) -> None:
        while (frame := connection.receive()) is not None:
            try:
                method = self.METHODS.get(frame.fields.get("method", ""))
                if method is None:
                    raise WrongUse(f"unknown method {frame.fields.get('method')!r}")
                with self._being_answered() as answered:
                    if not answered:
                        connection.send("moved", {})
                        return
                    with wanted_while(lambda: connection.is_open) if asks(method) else contextlib.nullcontext():
                        result = method(self, **frame.fields.get("params", {}))
                        if frame.fields["method"] in STARTS:
                            self._conducted[result["run"]] = client
                        if isinstance(result, Iterator):
                            for item in result:
                                connection.send("item", {"result": item})
                            result = None
                    if self._closing and frame.fields["method"] in WAITS:
                        connection.send("moved", {})
                        return
                    connection.send("reply", {"result": result})
            except GivenUp:
                return
            except ServiceError as error:
                connection.send(
                    "error", {"code": error.code, "message": str(error), "schema": getattr(error, "schema", None)}
                )
            except Exception as error:
                # A client that heard nothing would take the owner for gone, and ask again for ever.
                log.exception("%s failed", frame.fields.get("method"))
                told = f"a fault of Outtake's, in the process that owns the store: {type(error).__name__}: {error}"
                connection.send("error", {"code": ServiceError.code, "message": told})

    @contextlib.contextmanager
    def _being_answered(self) -> Iterator[bool]:
        """A client waits for an answer; the service does not close before it has it.  False: it is closing already."""
        with self._answered:
            self._answering += 1
        try:
            yield not self._closing
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

    @local
    def await_process(self, run: str, timeout: float) -> bool:
        """Wait for the process of a run to come back after its server ended; whether it did."""
        with self._joined:
            return self._joined.wait_for(lambda: run in self._live and self._live[run].here, timeout)

    # -- watching ----------------------------------------------------------------------------------------------------

    @local
    def watch(self, run: str | None = None) -> ChangeSignal:
        """Wakes its reader at every change of a run, or, without one, when any run begins, ends or changes its state.

        A run that is not live never changes.
        """
        if run is None:
            return ChangeSignal(self._changed, lambda: self._version)
        live = self._live.get(self._run(run).id)
        if live is None:
            return ChangeSignal(threading.Condition(), lambda: 0)
        return ChangeSignal(live.changed, lambda: live.version)

    def _ring(self) -> None:
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def _gone(self, live: LiveRun, status: int | None) -> None:
        """The process of a run has ended."""
        with contextlib.suppress(StoreError):  # the store may be another one's by now
            live.gone(status)
            self._retire(live)
        self._ring()
