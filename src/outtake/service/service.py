"""The service object: runs are started, forked, steered, read and compared here.

Every method takes plain values and gives a JSON document, the same for ``--json``, for the HTTP API and for a client in
another process; see `METHODS`.  Errors are those of `outtake.service.errors`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from outtake.core.runs import ENDED, Fork, Launch, Run
from outtake.demo import programs
from outtake.demo.question import EXPECTED, TASK
from outtake.engine.launch import CannotStart, Started, default_python
from outtake.engine.live import Control, LiveRun, NotLive, Refused
from outtake.engine.plans import BadFork, check_mocks, make_fork
from outtake.engine.processes import Traces
from outtake.importers.registry import ImportedLogs
from outtake.service import archive, config, describing, logs
from outtake.service.annotating import check_expected
from outtake.service.errors import Conflict, ServiceError, Untrusted, WrongUse, translated
from outtake.service.methods import command, local, question, remote_methods
from outtake.service.programs import program as find_program
from outtake.service.programs import programs as find_programs
from outtake.service.programs import suggestion
from outtake.service.rpc_server import Document
from outtake.service.steering import Steering, breakpoint_list
from outtake.store.annotations import storable
from outtake.store.sweeping import Swept, delete_run, sweep
from outtake_probe.records import Json
from outtake_probe.specs import KERNEL, BadSpec, parse_spec

__all__ = ["METHODS", "Document", "Service"]
LONGEST_NAME = 200
BACK = 5.0
"""Seconds in which a process that has outlived its server should have found this one."""


@translated
class Service(Steering):
    """Everything that can be done with the runs of a store.  `outtake.service.rpc_client.open_service` gives one."""

    @command
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

    @command
    def demo(
        self,
        *,
        python: str | None = None,
        model: str = "",
        question: str | None = None,
        headless: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> Document:
        """Start the demo's run: a team that gives a wrong answer, which one sensible edit sets right.

        It is AutoGen's team where an interpreter has AutoGen (`python`, or else the user's and this process's), else
        the same team in plain Python.  `model` is a real model (``openai:NAME``), which only AutoGen's team takes.  The
        right answer is known for the demo's own question only, and expected then.
        """
        try:
            program = programs.choose([_python(python)] if python else [default_python(), sys.executable])
        except OSError as error:
            raise WrongUse(f"{python or default_python()} cannot be started: {error.strerror}") from error
        if model and program.spec != programs.AUTOGEN:
            raise WrongUse(
                f"on a real model the demo's team is AutoGen's, which {program.python} does not have: "
                f"{programs.GET_AUTOGEN}, or name an interpreter that has it with --python"
            )
        environ = dict(os.environ if env is None else env)
        return self.run(
            program.spec,
            input=question or TASK,
            has_input=True,
            headless=headless,
            python=program.python,
            folder=str(programs.FOLDER),
            name=programs.NAME,
            env={**environ, programs.MODEL_VARIABLE: model} if model else environ,
            expected=None if question else EXPECTED,
        )

    @command
    def fork(
        self,
        run: str,
        *,
        at: int | None = None,
        edits: Sequence[Mapping[str, Json]] = (),
        reuse: str = "matching",
        live: Sequence[str] = (),
        repeat: str | None = None,
        serve_failures: bool = False,
        headless: bool = False,
        pause: bool = False,
        breakpoints: Sequence[str] = (),
        python: str | None = None,
        stdin: bool = False,
        name: str = "",
        env: Mapping[str, str] | None = None,
        trust: bool = False,
    ) -> Document:
        """Fork a run at a record; everything else is its parent's by default.

        After the cut, what failed is tried again unless `serve_failures`, and what has changed code is executed.
        Raises `Conflict` where the fork would only do what the program of the run, which lives, is about to do itself,
        and `Untrusted` for a run that came in a file, unless the user has seen what it starts (`trust`).
        """
        parent = self._settled(run)
        started = _trusted(parent, trust)
        repeat = repeat or ("serve" if headless else "ask")
        try:
            fork = make_fork(
                self.store,
                parent,
                at=at,
                edits=edits,
                reuse=reuse,
                live=live,
                repeat=repeat,
                serve_failures=serve_failures,
            )
        except BadFork as error:
            raise WrongUse(str(error)) from error
        self._check_one_life(parent, fork)
        launch = dataclasses.replace(started, python=_python(python)) if python else started
        _check_spec(launch)
        control = Control(paused=pause, breakpoints=breakpoint_list(breakpoints))
        made = self.store.create(launch, fork, seed=parent.seed, name=_name(name))
        return self._start(made, control, headless=headless, stdin=stdin, env=env)

    def _settled(self, run: str) -> Run:
        """A run that is to be forked: what its process still had to say is there, and if it has ended, so has that."""
        found = self._with_program(run)
        live = self._live.get(found.id)
        if live is None:
            return found
        live.wait(lambda r: r.state != "reconnecting", BACK)
        if live.state in ENDED:
            live.end_process()
        return self._run(found.id)

    def _check_one_life(self, parent: Run, fork: Fork) -> None:
        """Nobody goes on with a run whose process lives and does that itself."""
        live = self._live.get(parent.id)
        changes = fork.edits or fork.live or fork.reuse != "matching"
        if live is None or live.state in ENDED or (changes and fork.cut < parent.records) or fork.reuse == "none":
            return
        pid = f"process {live.pid}" if live.pid is not None else "its process"
        raise Conflict(
            f"{parent.id} is {live.state}: {pid} lives and goes on by itself, and a fork from there would do the same "
            f"things beside it. Follow it (outtake debug {parent.id}), end it first (outtake stop {parent.id}), "
            "or fork at an earlier record with a change"
        )

    def _start(
        self,
        run: Run,
        control: Control,
        *,
        headless: bool,
        stdin: bool,
        env: Mapping[str, str] | None,
    ) -> Document:
        self._launch(run, control, headless=headless, stdin=stdin, env=env)
        return self.info(run.id)

    def _launch(
        self,
        run: Run,
        control: Control,
        *,
        headless: bool,
        stdin: bool,
        env: Mapping[str, str] | None,
        describing: bool = False,
    ) -> LiveRun:
        try:
            settings = config.settings(run.launch.folder)
            live = LiveRun(self.store, run, control, headless=headless)
        except (ServiceError, OSError) as error:  # it is not there yet, so nothing else would ever end it
            self.store.change(run.id, status="failed", ended=time.time(), error={"message": str(error)})
            raise WrongUse(str(error)) from error
        live.describing = describing
        about: Document = {"headless": headless, "stdin": "inherit" if stdin or headless else "ask"}
        live.settings = {**settings, "stdin": about["stdin"]}
        live.environ = env if env is not None else os.environ
        with self._lock:
            self._live[run.id] = live
        try:
            live.process = Started(
                run.launch,
                Traces(self.folder, run.id),
                handed=self._handed(run),
                seed=run.seed,
                stdin=stdin,
                env=env,
                about=about,
            )
        except (CannotStart, OSError, ValueError) as error:
            live.cannot_start(str(error))
            self._retire(live)
            raise WrongUse(str(error)) from error
        live.process.watch(partial(self._gone, live))
        self._ring()
        return live

    @command
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
            live = self._launch(run, Control(), headless=True, stdin=False, env=env, describing=True)
            live.wait(lambda r: r.over, 60.0)
            live.end_process()
            live.wait(lambda r: r.over, 10.0)
            found = self.store.run(run.id)
        finally:
            self.store.delete(run.id)
        if found.status != "completed":
            raise WrongUse((found.error or {}).get("message", f"{spec} could not be built"))
        return {"spec": spec, **found.output, "source": "built"}

    @question
    def programs(self, folder: str | None = None, spec: str | None = None) -> Document:
        """The programs in a folder, this process's where none is named, found without importing or executing any.

        With `spec`, only the one that it names, where its file shows it.
        """
        place = folder or os.getcwd()
        return find_programs(place) if spec is None else find_program(place, spec)

    @question
    def describe(self, run: str) -> Document:
        """What the target of a run is made of: graph, components, settings, schemas; `source` says who told.

        The program says it while it lives; what it said is kept, for its forks, too.  Where it never did, the records
        show what they can.
        """
        found = self._run(run)
        live = self._live.get(found.id)
        if live is not None and live.state not in ENDED:
            with contextlib.suppress(Refused, NotLive):  # it is not built yet, or has nothing to say
                told = live.command("describe", {})
                describing.keep(self.store, found.id, told)
                return {"run": run, **told, "source": "live"}
        return {"run": run, **describing.known(self.store, found)}

    @command
    def describe_built(self, run: str, *, env: Mapping[str, str] | None = None, trust: bool = False) -> Document:
        """The same of the target as it is now: built in a process of its own, not run, and asked.

        Raises `Untrusted` as `fork` does.
        """
        found = self._with_program(run)
        launch = _trusted(found, trust)
        told = self.describe_spec(launch.spec, launch.python, launch.folder, env)
        return {"run": run, **describing.built(self.store, found, told)}

    @command
    def rename(self, run: str, name: str) -> Document:
        """Call a run something, or with an empty name nothing any more; its number stays."""
        found = self._run(run)
        self.store.change(found.id, name=_name(name))
        if (live := self._live.get(found.id)) is not None:
            live.wake()
        self._ring()
        return self.info(run)

    @command
    def delete(self, run: str) -> Document:
        """Remove a run that has ended and has no forks, with the texts that no other run refers to."""
        found = self._run(run)
        live = self._live.get(found.id)
        if live is not None and live.state not in ENDED:
            raise Conflict(f"{run} is running; stop it first")
        forks = [other.id for other in self.store.runs() if other.fork is not None and other.fork.parent == found.id]
        if forks:
            raise Conflict(f"{run} has forks that share its records: {', '.join(forks)}; delete them first")
        if live is not None:
            live.end_process()
            live.wait(lambda r: r.over, 10.0)
            self._retire(live)
        swept = delete_run(self.store, found.id, self._recorded_now())
        self._ring()
        return {"run": run, "deleted": True, "texts": swept.removed, "stays": _what_stays(swept)}

    @command
    def vacuum(self) -> Document:
        """Remove texts that no run refers to, and give the space of all that was deleted back to the file system."""
        before = self.store.size()
        with self.store.still():
            living = ", ".join(self._recorded_now())
            if living:
                raise Conflict(f"{living} is being recorded, and may refer to any text; stop it or wait for its end")
            swept = sweep(self.store)
            self.store.compact()
        return {"texts": swept.removed, "before": before, "after": self.store.size()}

    def _recorded_now(self) -> Iterator[str]:
        """The runs whose processes may live."""
        with self._lock:
            live = list(self._live.values())
        yield from (run.id for run in live if run.state not in ENDED or (run.state == "lost" and not run.over))

    # -- files -------------------------------------------------------------------------------------------------------

    @question
    def export(self, run: str, path: str) -> Document:
        """Write a run, its ancestors and all their bodies into one file."""
        return archive.export(self.store, self._run(run), Path(path))

    @command
    def import_(self, path: str, name: str = "") -> Document:
        """Read what `export` wrote, its runs get new names here; or a log of another program, see `service.logs`.

        `name` is what the file is called, where its path does not say it.  The document has what was `recognised`,
        and what of a log was `guessed`; both are empty for an export.
        """
        file = Path(path)
        try:
            with self.store.still():  # what is read of it is named by records a moment later
                if archive.is_export(file):
                    return {**archive.load(self.store, file), "log": "", "recognised": "", "guessed": []}
                called = name or file.name
                found = logs.read(file, called, time.time())
                return {"file": path, **logs.kept(self.store, found, called)}
        finally:
            self._ring()

    @local
    def keep_logs(self, found: ImportedLogs, name: str) -> Document:
        """Keep what was received, and is no file, as runs, all or nothing.  Raises `BadLog`."""
        try:
            with self.store.still():
                return logs.kept(self.store, logs.ready(found, time.time()), name)
        finally:
            self._ring()


def _what_stays(swept: Swept) -> list[str]:
    """What a deleted run leaves behind, in words."""
    if swept.waits_for:
        told = f"its texts, as {swept.waits_for} is being recorded and may refer to them"
        return [f"{told}; `outtake vacuum` removes them later"]
    return [f"texts that other runs refer to, too ({swept.shared})"] if swept.shared else []


METHODS = remote_methods(Service)
"""What a client may call, by name."""
Service.METHODS = METHODS


def _trusted(run: Run, trust: bool) -> Launch:
    """How the program of a run is started.  Raises `Untrusted`."""
    launch = run.launch
    if not run.untrusted:
        return launch
    if not trust:
        command = " ".join([launch.spec, *launch.args])
        what = (
            "executes the cells that the file holds" if launch.spec.startswith(KERNEL) else "starts what the file names"
        )
        raise Untrusted(
            f"{run.id} came in a file, and this {what}: {command!r} in {launch.folder} with "
            f"{launch.python}. Look at it first; to start it, say so (--trust; in the API, trust)"
        )
    return dataclasses.replace(launch, trusted=True)


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
        file = parse_spec(launch.spec).file
    except BadSpec as error:
        raise WrongUse(f"{error}{suggestion(launch.folder)}") from error
    if not Path(launch.folder).is_dir():
        raise WrongUse(f"the folder {launch.folder} is not there")
    if file is not None and not (Path(launch.folder) / file).is_file():
        raise WrongUse(f"there is no file {file} in {launch.folder}{suggestion(launch.folder)}")
