"""The service object: runs are started, forked, steered, read and compared here.

Every method takes plain values and gives a JSON document, the same for ``--json``, for the HTTP API and for a client in
another process; see `METHODS`.  Errors are those of `outtake.service.errors`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from outtake.core.runs import ENDED, Launch, Run
from outtake.engine.launch import CannotStart, Process, default_python
from outtake.engine.live import Control, LiveRun, NotLive, Refused
from outtake.engine.plans import BadFork, check_mocks, make_fork
from outtake.service import archive, config, describing, logs
from outtake.service.annotating import check_expected
from outtake.service.errors import Conflict, WrongUse, translated
from outtake.service.owner import Document
from outtake.service.steering import Steering, breakpoint_list
from outtake.store.annotations import storable
from outtake_probe.process import BadSpec, split_spec
from outtake_probe.records import Json

__all__ = ["METHODS", "Document", "Service"]
LONGEST_NAME = 200


@translated
class Service(Steering):
    """Everything that can be done with the runs of a store.  `outtake.service.access.open_service` gives one."""

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
        edits: Sequence[Mapping[str, Json]] = (),
        folder: str | None = None,
        args: Sequence[str] = (),
        stdin: bool = False,
        name: str = "",
        env: Mapping[str, str] | None = None,
        expected: str | None = None,
    ) -> Document:
        """Start a run of a target; the document says how it is called.

        `edits` are mocks: what they name, or match, is not executed, from the start and in every fork.  `env` is the
        environment of its process, this one's where none is given; it is not kept.  `expected` is the right answer.
        """
        check_expected(expected)
        try:
            mocks = check_mocks(edits)
        except BadFork as error:
            raise WrongUse(str(error)) from error
        launch = Launch(
            spec=spec,
            folder=folder or os.getcwd(),
            python=_python(python),
            input=input,
            has_input=has_input,
            config=dict(config or {}),
            args=list(args),
            edits=mocks,
        )
        _check_spec(launch)
        control = Control(paused=pause, breakpoints=breakpoint_list(breakpoints))
        run = self.store.create(launch, None, seed=secrets.randbits(48), name=_name(name))
        if expected is not None:
            self._expect(run, expected)
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
        parent = self._with_program(run)
        repeat = repeat or ("serve" if headless else "ask")
        try:
            fork = make_fork(self.store, parent, at=at, edits=edits, reuse=reuse, live=live, repeat=repeat)
        except BadFork as error:
            raise WrongUse(str(error)) from error
        launch = dataclasses.replace(parent.launch, python=_python(python)) if python else parent.launch
        _check_spec(launch)
        control = Control(paused=pause, breakpoints=breakpoint_list(breakpoints))
        made = self.store.create(launch, fork, seed=parent.seed, name=_name(name))
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
        run = self.store.create(launch, None, seed=secrets.randbits(48), listed=False)
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
        return {"spec": spec, **found.output, "source": "built"}

    def describe(self, run: str, *, build: bool = False, env: Mapping[str, str] | None = None) -> Document:
        """What the target of a run is made of: graph, components, settings, schemas; `source` says who told.

        The program says it while it lives; what it said is kept, for its forks, too.  Where it never did, the records
        show what they can, or, with `build`, the target as it is now is built (but not run) and asked.
        """
        found = self._run(run)
        if build:
            launch = self._with_program(run).launch
            told = self.describe_spec(launch.spec, launch.python, launch.folder, env)
            return {"run": run, **describing.built(self.store, found, told)}
        live = self._live.get(found.id)
        if live is not None and live.state not in ENDED:
            with contextlib.suppress(Refused, NotLive):  # it is not built yet, or has nothing to say
                told = live.command("describe", {})
                describing.keep(self.store, found.id, told)
                return {"run": run, **told, "source": "live"}
        return {"run": run, **describing.known(self.store, found)}

    def rename(self, run: str, name: str) -> Document:
        """Call a run something, or with an empty name nothing any more; its number stays."""
        found = self._run(run)
        self.store.change(found.id, name=_name(name))
        if (live := self._live.get(found.id)) is not None:
            live.wake()
        self._ring()
        return self.info(run)

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

    def import_(self, path: str, name: str = "") -> Document:
        """Read what `export` wrote, its runs get new names here; or a log of another program, see `service.logs`.

        `name` is what the file is called, where its path does not say it.
        """
        file = Path(path)
        try:
            if archive.is_export(file):
                return archive.load(self.store, file)
            called = name or file.name
            run = logs.keep(self.store, logs.read(file, time.time()), called)
            return {"file": path, "run": run, "runs": {called: run}}
        finally:
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
        "pick",
        "outline",
        "search",
        "body",
        "console",
        "follow",
        "diff",
        "report",
        "trace",
        "annotations",
        "annotate",
        "change_annotation",
        "remove_annotation",
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
        "rename",
        "delete",
        "export",
        "import_",
    )
}
"""What a client may call, by name."""
Service.METHODS = METHODS


def _name(name: str) -> str:
    """What a run is called, as one line."""
    line = " ".join(storable(name).split())
    if len(line) > LONGEST_NAME:
        raise WrongUse(f"a name has up to {LONGEST_NAME} characters; {line[:30]!r} and so on has {len(line)}")
    return line


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
