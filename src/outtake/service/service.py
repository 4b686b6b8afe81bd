"""The service object: runs are started, forked, steered, read and compared here.

Every method takes plain values and gives a JSON document, the same for ``--json``, for the HTTP API and for a client in
another process; see `METHODS`.  Errors are those of `outtake.service.errors`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from outtake.core.diff import diff
from outtake.core.runs import ENDED, Counts, Launch, Run, count
from outtake.engine import live as engine
from outtake.engine.hub import Handler, Hub
from outtake.engine.journal import recover
from outtake.engine.launch import CannotStart, Process, default_python
from outtake.engine.live import Control, LiveRun, NotLive
from outtake.engine.ownership import Ownership
from outtake.engine.plans import BadFork, make_fork, plan_json
from outtake.service import archive, config
from outtake.service.errors import BadBody, Conflict, NotFound, ServiceError, WrongUse
from outtake.service.watch import Watch
from outtake.store import Store, StoreError, UnknownRun
from outtake_probe.conditions import BadCondition, parse
from outtake_probe.process import BadSpec, split_spec
from outtake_probe.records import CallKind, Json, from_json
from outtake_probe.wire import Connection, Frame, ProtocolError

Document = dict[str, Json]
P = ParamSpec("P")
R = TypeVar("R")
GOODBYE = 2.0
"""Seconds in which clients get their answers when the service closes."""
STEPS = ("step", "next", "out", "continue", "pause", "stop")


def _translated(cls: type[R]) -> type[R]:
    """The store's errors as the service's, in every public method."""
    for name, method in list(vars(cls).items()):
        if callable(method) and not name.startswith("_"):
            setattr(cls, name, _translating(method))
    return cls


def _translating(method: Callable[P, R]) -> Callable[P, R]:
    @wraps(method)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        with _of_the_store():
            return method(*args, **kwargs)

    return wrapper


@contextlib.contextmanager
def _of_the_store() -> Iterator[None]:
    try:
        yield
    except UnknownRun as error:
        raise NotFound(str(error)) from error
    except StoreError as error:
        raise ServiceError(str(error)) from error


@_translated
class Service:
    """The owner of a store.  Use `open` of `outtake.service.access` to get it, or a client of who has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ownership = Ownership(folder)
        try:
            self.store = Store(folder)
        except StoreError:
            self._ownership.release()
            raise
        recover(folder, self.store)
        self.token = self._token()
        self._lock = threading.RLock()
        self._live: dict[str, LiveRun] = {}
        self._counts: dict[tuple[str, float, int], Counts] = {}
        """Of runs that are not live: a log never changes."""
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
                self.store.change(run.id, status="lost")

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
                self.store.change(run.id, status=status, ended=None, output=None, error=None)
        with self._answered:
            self._answered.wait_for(lambda: self._answering == 0, GOODBYE)
        self.hub.close()
        self.store.close()
        self._ownership.release()

    # -- starting ----------------------------------------------------------------------------------------------------

    def run(
        self,
        spec: str,
        *,
        input: Json = None,
        has_input: bool = False,
        headless: bool = False,
        pause: bool = False,
        breakpoints: Sequence[str] = (),
        python: str | None = None,
        config: Mapping[str, Json] | None = None,
        folder: str | None = None,
        args: Sequence[str] = (),
        stdin: bool = False,
        name: str = "",
        env: Mapping[str, str] | None = None,
    ) -> Document:
        """Start a run of a target; the document says how it is called.

        `env` is the environment of its process, this one's where none is given; it is not kept.
        """
        launch = Launch(
            spec=spec,
            folder=folder or os.getcwd(),
            python=_python(python),
            input=input,
            has_input=has_input,
            config=dict(config or {}),
            args=list(args),
        )
        _check_spec(launch)
        control = Control(paused=pause, breakpoints=_breakpoints(breakpoints))
        run = self.store.create(launch, None, seed=secrets.randbits(48), name=name)
        return self._start(run, control, headless=headless, stdin=stdin, env=env)

    def fork(
        self,
        run: str,
        *,
        at: int | None = None,
        edits: Sequence[Mapping[str, Json]] = (),
        reuse: str = "matching",
        live: Sequence[str] = (),
        repeat: str | None = None,
        headless: bool = False,
        pause: bool = False,
        breakpoints: Sequence[str] = (),
        python: str | None = None,
        stdin: bool = False,
        name: str = "",
        env: Mapping[str, str] | None = None,
    ) -> Document:
        """Fork a run at a record; everything else is its parent's unless told otherwise."""
        parent = self._run(run)
        repeat = repeat or ("serve" if headless else "ask")
        try:
            fork = make_fork(self.store, parent, at=at, edits=edits, reuse=reuse, live=live, repeat=repeat)
        except BadFork as error:
            raise WrongUse(str(error)) from error
        if parent.launch.python == "":
            raise WrongUse(f"{run} was imported without a target that can be run; it can be read and compared")
        launch = dataclasses.replace(parent.launch, python=_python(python)) if python else parent.launch
        _check_spec(launch)
        control = Control(paused=pause, breakpoints=_breakpoints(breakpoints))
        made = self.store.create(launch, fork, seed=parent.seed, name=name)
        return self._start(made, control, headless=headless, stdin=stdin, env=env)

    def _start(
        self,
        run: Run,
        control: Control,
        *,
        headless: bool,
        stdin: bool,
        env: Mapping[str, str] | None,
        describing: bool = False,
    ) -> Document:
        settings = config.settings(run.launch.folder)
        live = LiveRun(self.store, run, control, headless=headless)
        live.describing = describing
        with self._lock:
            self._live[run.id] = live
        live.settings = {**settings, "stdin": "inherit" if stdin or headless else "ask"}
        try:
            live.process = Process(
                run.launch,
                address=self.hub.address,
                token=self.token,
                run=run.id,
                seed=run.seed,
                stdin=stdin,
                env=env,
                gone=partial(self._gone, live),
            )
        except CannotStart as error:
            self.store.change(run.id, status="failed", error={"message": str(error)})
            raise WrongUse(str(error)) from error
        self._ring()
        return self.info(run.id)

    # -- connections -------------------------------------------------------------------------------------------------

    def _probe(self, connection: Connection, hello: Document) -> None:
        """A debugged process said hello: welcome it to its run, then take what it sends."""
        try:
            live, run = self._joining(hello)
        except ServiceError as error:
            connection.send("refuse", {"reason": str(error)})
            return
        fork = run.fork
        acked = max(run.records, fork.cut) if fork is not None else run.records
        resumed = hello.get("next", 0) > 0
        plan = plan_json(self.store, fork) if fork is not None and not resumed else None
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
        connection.send("welcome", welcome)
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
            self.store.append(live.id, (), frame.nodes)
        if frame.kind == "console":
            self.store.printed(live.id, fields["stream"], fields["text"])
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
        elif frame.kind == "ended":
            live.finished(fields)
        self._ring()

    def _client(self, connection: Connection, hello: Document) -> None:
        """Another process of the user calls methods, one at a time."""
        connection.send("welcome", {"folder": str(self.folder)})
        while (frame := connection.receive()) is not None:
            try:
                method = METHODS.get(frame.fields.get("method", ""))
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

    # -- reading -----------------------------------------------------------------------------------------------------

    def runs(self) -> list[Document]:
        """All runs, oldest first."""
        return [self._document(run, counted=False) for run in self.store.runs()]

    def info(self, run: str, counted: bool = True) -> Document:
        """One run: status, output, counts (which cost something for a long run), and what is held while it lives."""
        return self._document(self._run(run), counted)

    def _document(self, run: Run, counted: bool) -> Document:
        live = self._live.get(run.id)
        document: Document = {
            "run": run.id,
            "name": run.name,
            "status": live.state if live is not None else run.status,
            "spec": run.launch.spec,
            "input": run.launch.input,
            "folder": run.launch.folder,
            "python": run.launch.python,
            "output": run.output,
            "error": run.error,
            "parent": run.fork.parent if run.fork is not None else None,
            "cut": run.fork.cut if run.fork is not None else None,
            "reuse": run.fork.reuse if run.fork is not None else None,
            "edits": list(run.fork.edits) if run.fork is not None else [],
            "records": max(run.records, live.records) if live is not None else run.records,
            "created": run.created,
            "ended": run.ended,
            "live": live is not None and live.state not in ENDED,
        }
        if live is not None:
            document["held"] = list(live.holds.values())
            document["difference"] = live.difference
            document["trouble"] = live.trouble
        if counted:
            document.update(_counts(self._counted(run)))
        return document

    def _counted(self, run: Run) -> Counts:
        live = self._live.get(run.id)
        if live is not None:
            return live.counts
        cut = run.fork.cut if run.fork is not None else 0
        key = (run.id, run.created, run.records)
        if key not in self._counts:
            ended = self.store.records(run.id, kind="invocation_ended")
            self._counts[key] = count((from_json(r) for r in ended), cut)
        return self._counts[key]

    def tree(self, run: str | None = None) -> list[Document]:
        """Runs with their forks inside them: all of them, or the tree that a run belongs to."""
        documents = {d["run"]: {**d, "forks": []} for d in self.runs()}
        roots: list[Document] = []
        for document in documents.values():
            parent = documents.get(document["parent"]) if document["parent"] else None
            (parent["forks"] if parent is not None else roots).append(document)
        if run is None:
            return roots
        at = documents.get(self._run(run).id)
        while at is not None and at["parent"]:
            at = documents[at["parent"]]
        return [at] if at is not None else []

    def show(
        self,
        run: str,
        *,
        after: int = -1,
        bodies: bool = False,
        kind: str | None = None,
        component: str | None = None,
        limit: int | None = None,
        before: int | None = None,
    ) -> Iterator[Document]:
        """The records of a run, in order; with `bodies`, what they refer to."""
        self._run(run)
        try:
            found = self.store.records(run, after=after, before=before, kind=kind, component=component, limit=limit)
            for record in found:
                yield self._with_body(_common(record)) if bodies else _common(record)
        except StoreError as error:
            raise WrongUse(str(error)) from error

    def _with_body(self, record: Document) -> Document:
        record[_body_name(record)] = self.store.body(record["hash"]) if record["hash"] else None
        return record

    def body(self, body: str) -> Document:
        """The value of a body by its hash."""
        try:
            return {"body": body, "value": self.store.body(body)}
        except (KeyError, ValueError) as error:
            raise NotFound(f"there is no body {body}") from error

    def console(self, run: str, after: int = -1) -> Document:
        """What the process of a run printed after part `after`."""
        parts = self.store.console(self._run(run).id, after)
        return {"run": run, "parts": [{"n": n, "stream": stream, "text": text} for n, stream, text in parts]}

    def follow(self, run: str, after: int = -1, bodies: bool = False) -> Iterator[Document]:
        """Records over `after` in batches as they come, each with the state of the run, until it ends or is held."""
        live = self._live.get(self._run(run).id)
        seen, last = -1, after
        while True:
            state = self.info(run)
            version = live.version if live is not None else 0
            batch = list(self.show(run, after=last, bodies=bodies))
            if batch or version != seen:
                last = batch[-1]["seq"] if batch else last
                yield {"records": batch, "state": state}
            seen = version
            if live is None or (state["status"] in ENDED and last + 1 >= live.records):
                return
            live.wait(lambda r, v=version: r.version != v)  # type: ignore[misc]

    def diff(self, a: str, b: str) -> Document:
        """How two runs differ, aligned by identity."""
        left, right = self._run(a), self._run(b)
        shared = self._shared(left, right)
        found = diff(self.store.records(left.id), self.store.records(right.id), shared)
        first = found.first
        changes = [pair for pair in found.pairs if pair.change != "same"]
        return {
            "a": self.info(a),
            "b": self.info(b),
            "shared": shared,
            "same": len(found.pairs) - len(changes),
            "first": self._pair(first) if first is not None else None,
            "changes": [self._pair(pair) for pair in changes],
        }

    def _pair(self, pair: Any) -> Document:
        return {
            "change": pair.change,
            "a": dataclasses.asdict(pair.a) if pair.a is not None else None,
            "b": dataclasses.asdict(pair.b) if pair.b is not None else None,
        }

    def _shared(self, a: Run, b: Run) -> int:
        """How many records two runs have in common because one is the other's fork, or both are of one run."""
        lines: list[dict[str, int]] = []
        for run in (a, b):
            line: dict[str, int] = {run.id: run.records}
            at, limit = run, run.records
            while at.fork is not None:
                limit = min(limit, at.fork.cut)
                at = self._run(at.fork.parent)
                line[at.id] = limit
            lines.append(line)
        return max((min(lines[0][run], lines[1][run]) for run in lines[0].keys() & lines[1].keys()), default=0)

    # -- steering ----------------------------------------------------------------------------------------------------

    def wait(self, run: str, until: Sequence[str] = (), timeout: float | None = None) -> Document:
        """Wait until a run has ended, or is in one of the states `until`; gives its document."""
        live = self._live.get(self._run(run).id)
        if live is not None:
            live.wait(lambda r: r.state in ENDED or r.state in until, timeout)
            if live.state in ENDED and live.process is not None:
                live.wait(lambda r: r.exit_status is not None, 10.0)
        return self.info(run)

    def pending(self, run: str) -> Document:
        """What is about to happen: held invocations, then queued messages, in order."""
        live = self._alive(run)
        with live.changed:
            holds = list(live.holds.values())
            queued = [self._with_body(_common(r)) for r in live.pending.values()]
        return {"run": run, "status": live.state, "held": [self._hold(h) for h in holds], "queued": queued}

    def _hold(self, hold: Document) -> Document:
        value = self.store.body(hold["body"]) if hold.get("body") else None
        return {**hold, "value": value}

    def control(self, run: str, verb: str, hold: int | None = None) -> Document:
        """`step` (in), `next` (over), `out`, `continue`, `pause`, `stop`; the first three let one held thing go."""
        if verb not in STEPS:
            raise WrongUse(f"unknown verb {verb!r}; known: {', '.join(STEPS)}")
        live = self._alive(run)
        if verb == "stop":
            live.stop()
        elif verb == "pause":
            live.set_control(paused=True, through=[], until=None)
        elif verb == "continue":
            live.set_control(paused=False, through=[], until=None)
            self._release_all(live)
        else:
            self._step(live, verb, hold)
        return self.info(run)

    def _step(self, live: LiveRun, verb: str, hold: int | None) -> None:
        held = self._held(live, hold) if live.holds else None
        inside = held.get("parent") if held is not None else None
        if verb == "out" and inside is not None:
            live.set_control(paused=True, through=[inside], until=inside)
        else:
            live.set_control(paused=True, through=[], until=None)
        if held is not None:
            over = verb == "next" and held["when"] == "before"
            self._answer(live, held["hold"], {"verb": "over" if over else "proceed"})

    def _release_all(self, live: LiveRun) -> None:
        for hold in list(live.holds):
            with contextlib.suppress(engine.Refused, NotLive):
                self._answer(live, hold, {"verb": "proceed"})

    def release(self, run: str, hold: int | None = None, answer: Mapping[str, Json] | None = None) -> Document:
        """Answer something that is held.

        `answer` is ``{"verb": "proceed"}``, with ``"value"`` and ``"edited": true`` for another input;
        ``{"verb": "serve", "value": ...}`` for an output, with ``"failed": true`` for an error; ``drop``; ``record``;
        ``stop``.
        """
        live = self._alive(run)
        self._answer(live, self._held(live, hold)["hold"], answer or {"verb": "proceed"})
        return self.info(run)

    def _held(self, live: LiveRun, hold: int | None) -> Document:
        with live.changed:
            if hold is None and live.holds:
                return next(iter(live.holds.values()))
            if hold not in live.holds:
                known = ", ".join(map(str, live.holds)) or "nothing is held"
                raise NotFound(f"{live.id} has no hold {hold}; held: {known}")
            return live.holds[hold]

    def _answer(self, live: LiveRun, hold: int, answer: Mapping[str, Json]) -> None:
        with _told():
            live.release(hold, answer)
        live.freed(hold)  # who asks right after the answer is not told that it is still held

    def breakpoints(self, run: str) -> Document:
        """The breakpoints of a live run."""
        return {"run": run, "breakpoints": self._alive(run).control.breakpoints}

    def add_breakpoint(self, run: str, condition: str) -> Document:
        """Hold where the condition is true, from now on."""
        live = self._alive(run)
        known = live.control.breakpoints
        number = max((b["id"] for b in known), default=0) + 1
        (made,) = _breakpoints([condition])
        live.set_control(breakpoints=[*known, {**made, "id": number}])
        return self.breakpoints(run)

    def change_breakpoint(self, run: str, id: int, enabled: bool | None = None, remove: bool = False) -> Document:
        """Switch a breakpoint on or off, or remove it."""
        live = self._alive(run)
        if all(b["id"] != id for b in live.control.breakpoints):
            raise NotFound(f"{run} has no breakpoint {id}")
        kept = [b for b in live.control.breakpoints if not (remove and b["id"] == id)]
        live.set_control(
            breakpoints=[{**b, "enabled": enabled} if b["id"] == id and enabled is not None else b for b in kept]
        )
        return self.breakpoints(run)

    def run_to(self, run: str, message: int) -> Document:
        """Go on until a queued message is about to be delivered."""
        live = self._alive(run)
        live.set_control(run_to=message, paused=False)
        self._release_all(live)
        return self.info(run)

    def edit(self, run: str, message: int, value: Json) -> Document:
        """Give a queued message another content."""
        return self._do(run, "edit", {"message": message, "value": value})

    def drop(self, run: str, message: int) -> Document:
        """Take a message out of the queue."""
        return self._do(run, "drop", {"message": message})

    def move(self, run: str, message: int, before: int | None = None) -> Document:
        """Put a queued message before another one, or last."""
        return self._do(run, "move", {"message": message, "before": before})

    def send(self, run: str, component: str, value: Json, type: str = "") -> Document:
        """Queue a new message to a component, or to ``topic:NAME``."""
        return self._do(run, "send", {"component": component, "type": type, "value": value})

    def configure(self, run: str, component: str, key: str, value: Json) -> Document:
        """Change a setting of a component, from now on."""
        return self._do(run, "configure", {"component": component, "key": key, "value": value})

    def describe(self, run: str) -> Document:
        """The target of a live run: graph, components, configuration, schemas."""
        with _told():
            return {"run": run, **self._alive(run).command("describe", {})}

    def describe_spec(
        self,
        spec: str,
        python: str | None = None,
        folder: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Document:
        """The target that a spec names, built but not run; nothing is kept."""
        launch = Launch(spec=spec, folder=folder or os.getcwd(), python=_python(python))
        _check_spec(launch)
        run = self.store.create(launch, None, seed=secrets.randbits(48))
        try:
            self._start(run, Control(), headless=True, stdin=False, env=env, describing=True)
            live = self._live[run.id]
            live.wait(lambda r: r.state in ENDED and r.exit_status is not None, 60.0)
            live.end_process()
            found = self.store.run(run.id)
        finally:
            self._live.pop(run.id, None)
            self.store.delete(run.id)
        if found.status != "completed":
            raise WrongUse((found.error or {}).get("message", f"{spec} could not be built"))
        return {"spec": spec, **found.output}

    def _do(self, run: str, verb: str, fields: Document) -> Document:
        with _told():
            return {"run": run, "seq": self._alive(run).command(verb, fields)}

    def delete(self, run: str) -> Document:
        """Remove a run that has ended and has no forks."""
        found = self._run(run)
        live = self._live.get(found.id)
        if live is not None and live.state not in ENDED:
            raise Conflict(f"{run} is running; stop it first")
        forks = [other.id for other in self.store.runs() if other.fork is not None and other.fork.parent == found.id]
        if forks:
            raise Conflict(f"{run} has forks that share its records: {', '.join(forks)}; delete them first")
        self._live.pop(found.id, None)
        self.store.delete(found.id)
        self._ring()
        return {"run": run, "deleted": True}

    # -- files -------------------------------------------------------------------------------------------------------

    def export(self, run: str, path: str) -> Document:
        """Write a run, its ancestors and all their bodies into one file."""
        return archive.export(self.store, self._run(run), Path(path))

    def import_(self, path: str) -> Document:
        """Read what `export` wrote; its runs get new names here."""
        try:
            return archive.load(self.store, Path(path))
        finally:
            self._ring()

    def await_process(self, run: str, timeout: float) -> bool:
        """Wait for the process of a run to come back after its server ended; whether it did."""
        with self._joined:
            return self._joined.wait_for(lambda: run in self._live, timeout)

    # -- finding -----------------------------------------------------------------------------------------------------

    def _run(self, run: str) -> Run:
        try:
            return self.store.run(run)
        except UnknownRun as error:
            raise NotFound(str(error)) from error

    def _alive(self, run: str) -> LiveRun:
        found = self._run(run)
        live = self._live.get(found.id)
        if live is None or live.state in ENDED:
            raise Conflict(
                f"{run} is not running ({live.state if live else found.status}); fork it to go on from a record"
            )
        return live

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


METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(Service, name)
    for name in (
        "run",
        "fork",
        "runs",
        "info",
        "tree",
        "show",
        "body",
        "console",
        "follow",
        "diff",
        "wait",
        "pending",
        "control",
        "release",
        "breakpoints",
        "add_breakpoint",
        "change_breakpoint",
        "run_to",
        "edit",
        "drop",
        "move",
        "send",
        "configure",
        "describe",
        "describe_spec",
        "delete",
        "export",
        "import_",
    )
}
"""What a client may call, by name."""


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """The engine's errors as the service's."""
    try:
        yield
    except engine.Refused as error:
        raise BadBody(str(error), error.schema) from error
    except NotLive as error:
        raise Conflict(str(error)) from error


def _breakpoints(conditions: Sequence[str]) -> list[Document]:
    for condition in conditions:
        try:
            parse(condition)
        except BadCondition as error:
            raise WrongUse(str(error)) from error
    return [{"id": i, "text": text, "enabled": True} for i, text in enumerate(conditions, 1)]


def _python(python: str | None) -> str:
    if python is None:
        return default_python()
    path = Path(python).expanduser()
    if not path.exists():
        raise WrongUse(f"there is no interpreter {python}; --python takes the path of one, such as .venv/bin/python")
    return os.path.abspath(path)


def _check_spec(launch: Launch) -> None:
    """What can be seen of a bad spec before a process is started."""
    try:
        place, _ = split_spec(launch.spec)
    except BadSpec as error:
        raise WrongUse(str(error)) from error
    if not Path(launch.folder).is_dir():
        raise WrongUse(f"the folder {launch.folder} is not there")
    if place.endswith(".py") and not (Path(launch.folder) / place).is_file():
        raise WrongUse(f"there is no file {place} in {launch.folder}")


def _common(record: Document) -> Document:
    """A record with the fields that every record shows, empty or not."""
    shared = ("seq", "kind", "component", "invocation", "parent", "message", "caused_by", "at")
    rest = {name: value for name, value in record.items() if name not in (*shared, "body")}
    return {
        **{name: record.get(name) for name in shared},
        "component": record.get("component", ""),
        "caused_by": record.get("caused_by", []),
        "hash": record.get("body"),
        **rest,
    }


def _body_name(record: Document) -> str:
    if record["kind"] in ("invocation_started", "run_started"):
        return "input"
    if record["kind"] == "invocation_ended":
        return "error" if record.get("failed") else "output"
    if record["kind"] == "run_ended":
        return "error" if record.get("status", "completed") in ("failed", "diverged") else "output"
    return "body"


def _counts(counts: Counts) -> Document:
    kinds: tuple[CallKind, ...] = ("model", "tool", "step", "agent", "task")
    return {
        "executed": {kind: counts.executed[kind] for kind in kinds},
        "reused": {kind: counts.reused[kind] for kind in kinds},
        "mocked": {kind: counts.mocked[kind] for kind in kinds},
        "tokens": {"input": counts.tokens_in, "output": counts.tokens_out},
        "cost": counts.cost,
        "seconds": round(counts.seconds, 3),
    }
