"""A debugged process from its first line to its last: hooks in, target built and run, result out, hooks gone."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from outtake_probe import children, environment, life, nondeterminism, printing, thread_context, timer_hooks
from outtake_probe.attached import attach_session, detach_session
from outtake_probe.calls import Call
from outtake_probe.code_hash import OwnCode
from outtake_probe.codec import describe_error, encode, safe_str
from outtake_probe.connection import Address, Link, open_session, say
from outtake_probe.console import Console
from outtake_probe.gate.invoke import NewInput, acall, call
from outtake_probe.handover import claim
from outtake_probe.own_files import OwnFiles
from outtake_probe.records import Json, Status
from outtake_probe.redaction.text import Cleaner
from outtake_probe.requests import Requests, entry_of, stopped, wrong
from outtake_probe.scripts import find_modules_beside, run_kernel, run_script
from outtake_probe.session import Session, Stopped
from outtake_probe.sessions import by_context
from outtake_probe.specs import KERNEL, BadSpec, parse_spec
from outtake_probe.targets import Entry, entries, when_imported
from outtake_probe.targets.base import Program
from outtake_probe.targets.toolkit.adapter import Adapter, RunnableAdapter

Takes = Literal["nothing", "input", "names"]
"""How a function takes the input: not at all, as its only required argument, or as an object with several by name."""
_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_INPUT_NAMES = frozenset({"input", "inputs", "message", "prompt", "query", "question", "task", "text"})


@dataclass(slots=True)
class Joined:
    """This process under the debugger."""

    link: Link
    own: OwnFiles
    console: Console | None = None
    adapters: list[Adapter[Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    loading: set[str] = field(default_factory=set)
    made: object = None
    """What the spec names: a factory, or a function that is the program itself."""
    ended: bool = False
    process: int = field(default_factory=os.getpid)
    undo: list[Callable[[], None]] = field(default_factory=list)
    """What takes each of the hooks out that are no adapter's."""
    requests: Requests | None = None
    """Where calls of marked functions are runs of their own."""
    hooked: Session = field(init=False)
    """What hooks pass: the session of this process, or what stands for that of the code that runs."""

    def __post_init__(self) -> None:
        self.hooked = self.session

    @property
    def session(self) -> Session:
        return self.link.session

    def hook(self, hooks: Adapter[Any]) -> None:
        """Put a framework's hooks in place; what its version lacks is reported, and the rest goes on."""
        if hooks not in self.adapters:
            self.adapters.append(hooks)
        self.missing += hooks.install(self.hooked)

    @property
    def is_forked(self) -> bool:
        """Whether this is a child that the debugged process forked."""
        return os.getpid() != self.process

    @property
    def builds_targets(self) -> bool:
        """Whether a framework is loaded whose objects can be run."""
        return any(isinstance(hooks, RunnableAdapter) for hooks in self.adapters)

    def program(self, made: object) -> Program | None:
        """How to run an object, where a framework's adapter knows."""
        for hooks in self.adapters:
            if isinstance(hooks, RunnableAdapter) and hooks.claims(made):
                return hooks.program(made, self.hooked)
        return None

    def leave(self, status: Status = "completed", output: Json = None) -> None:
        """The program is done: write the end, take the hooks out, wait until all is stored."""
        if self.ended or self.is_forked:
            return
        self.ended = True
        status, output = self.session.finish(status, output)
        self._describe()
        if self.console is not None:
            self.console.close()
        self.session.recorder.send("ended", {"status": status, "output": output, "missing": self.missing})
        if self.requests is not None:
            self.requests.wait()
        self.link.close()
        self.withdraw()

    def withdraw(self) -> None:
        """Take every hook out: from now on the program runs as it would without a debugger."""
        detach_session()
        self.session.close()
        undo, self.undo = self.undo, []
        for take_out in (*(hooks.remove for hooks in self.adapters), *reversed(undo)):
            try:
                take_out()
            except Exception as error:  # noqa: BLE001  an adapter may be a stranger's, and the others are to be taken out
                say(f"a hook could not be taken out: {type(error).__name__}: {error}")

    def forked(self) -> None:
        """This process was forked from the debugged one, whose run is not its own: it goes on without a debugger.

        Locks of other threads may be held for ever here, so nothing is asked of the session.
        """
        self.session.abandon()
        self.link.abandon()
        while self.undo:
            self.undo.pop()()

    def _describe(self) -> None:
        """Tell what the target was made of: now nothing waits for it any more."""
        if self.link.welcome.get("describe"):
            return
        target = self.session.target
        try:
            told = target.describe() if target is not None else _describe_module(self.made)
            if not told["components"]:
                return
            with self.session.lock:
                body = self.session.bodies.put(told)
        except Exception:  # noqa: BLE001  an adapter may be a stranger's, and the run has ended without it
            return
        self.session.recorder.send("described", {"body": body})


def join(address: Address) -> Joined:
    """Connect this process and put every hook in place."""
    hello = address.hello
    link = open_session(address)
    joined = Joined(link, OwnFiles(os.getcwd(), _roots(link.welcome.get("spec") or "", attached=bool(hello))))
    if hello:
        link.gave_up = lambda: _give_up(joined)
    session, welcome = link.session, link.welcome
    python = sys.version.split()[0]
    spec = str(welcome.get("spec") or "")
    joined.undo.append(_know_own_files(joined))
    if not spec or parse_spec(spec).kind in ("script", "module"):
        joined.requests = Requests(link, joined.own, session.code, python)
        joined.hooked = by_context(session)
    hooked = joined.hooked
    attach_session(session, joined.requests)
    session.settings.config.update(welcome.get("config") or {})
    joined.undo += [nondeterminism.seed_all(hooked, welcome["seed"])]
    joined.undo.append(nondeterminism.install_input(hooked, welcome.get("stdin", "inherit")))
    thread_context.install()
    is_kernel = spec.startswith(KERNEL)  # which has timers of its own
    joined.undo += [thread_context.remove, timer_hooks.install(hooked, everywhere=not is_kernel)]
    if session.bodies.clean is not None:
        joined.undo.append(environment.install(session.bodies.clean))
    joined.undo += [
        when_imported(entry.triggers, partial(_hook, joined, entry), partial(_set_variables, joined, entry))
        for entry in entries()
    ]
    joined.undo += [children.install(hooked), when_imported(children.LATER, partial(_tell_of_processes, joined))]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=joined.forked)
    session.begin(welcome.get("input"), python=python, seed=welcome["seed"])
    if hello:
        joined.undo.append(printing.install(hooked))
        session.ready(None)
    return joined


def _roots(spec: str, *, attached: bool) -> list[str]:
    """The folders whose files are the program's own: where it was started, and where its file lies."""
    file = parse_spec(spec).file if spec else None
    beside = [os.path.dirname(os.path.abspath(file))] if file is not None else []
    return beside if attached and beside else [os.getcwd(), *beside]


def _know_own_files(joined: Joined) -> Callable[[], None]:
    """Tell the server of each of the program's own files when it is imported, and know the code in them."""
    own, session = joined.own, joined.session
    session.code = OwnCode(own)
    own.on_import = lambda path, hash: session.recorder.send("imported", {"files": {path: hash}})
    joined.link.reconnected = lambda: session.recorder.send("imported", {"files": own.hashes})
    own.find_imported()
    return nondeterminism.install(own)


def _tell_of_processes(joined: Joined) -> None:
    """The program can start processes of Python's own."""
    joined.undo.append(children.install_multiprocessing(joined.hooked))


def _set_variables(joined: Joined, entry: Entry) -> None:
    """A framework is about to be imported that is to find these environment variables."""
    for name, value in entry.variables:
        before = os.environ.get(name)
        if before != value:
            os.environ[name] = value
            joined.undo.append(partial(_unset_variable, name, value, before))


def _unset_variable(name: str, ours: str, before: str | None) -> None:
    if os.environ.get(name) != ours:
        return  # the program has set it since
    if before is None:
        del os.environ[name]
    else:
        os.environ[name] = before


def _hook(joined: Joined, entry: Entry) -> None:
    """A module of the framework was imported.  Loading the adapter may import more of it: that is one and the same."""
    if entry.name in joined.loading:
        return
    joined.loading.add(entry.name)
    try:
        joined.hook(entry.load())
    except Exception as error:  # noqa: BLE001  an adapter may be a stranger's, and the program is to run all the same
        joined.missing.append(f"{entry.name}: the adapter {entry.module} failed with {type(error).__name__}: {error}")
        say(joined.missing[-1])
    finally:
        joined.loading.discard(entry.name)


def _give_up(joined: Joined) -> None:
    """A script that the user started goes on by itself; who opens the store next is to know."""
    life.say(alone=True)
    say("the server went away; this process goes on without it")
    joined.ended = True
    joined.session.let_go()
    joined.withdraw()


# -- running a target ------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the target that the server names.  The exit status is the script's, or 1 when the target failed."""
    handed = claim()
    if handed is None:
        raise BadSpec("this is started by the owner of a store, which hands the run over")
    joined = join(Address(handed.address, handed.secret, handed.run, store=handed.store))
    welcome = joined.link.welcome
    tell = joined.session.recorder.send
    clean = joined.session.bodies.clean or Cleaner()
    joined.console = Console(lambda stream, text: tell("console", {"stream": stream, "text": text}), clean)
    try:
        joined.console.install()
        joined.undo.append(printing.install(joined.hooked))
        status, output = run_target(joined, welcome)
        joined.leave(status, output)
    finally:
        if not joined.is_forked:  # what a child prints goes where its parent's does
            joined.console.close()
    return 0 if status == "completed" else 1


def run_target(joined: Joined, welcome: dict[str, Json]) -> tuple[Status, Json]:
    """Build the target, run it inside a root invocation, and say how it ended and with what."""
    try:
        output = _run(joined, welcome)
        if joined.session.settings.config:
            return "failed", wrong(_not_set(joined))
        return "completed", output
    except Stopped:
        return stopped(joined.session)
    except BaseException as error:
        if joined.is_forked:
            raise  # as it would without a debugger
        return _failed(joined, error)


def _failed(joined: Joined, error: BaseException) -> tuple[Status, Json]:
    """How a program ended that raised."""
    if isinstance(error, asyncio.CancelledError) and joined.session.stopping:
        return stopped(joined.session)  # on a loop, a delivery that is stopped can only cancel the program's own tasks
    if isinstance(error, BadSpec):
        return "failed", wrong(str(error))
    if isinstance(error, SystemExit):
        return "failed", {**describe_error(error), "message": _exit_words(error.code)}
    return "failed", describe_error(error)  # whatever it is: what goes on from here is printed as it is


def _exit_words(code: object) -> str:
    """What a target says by `sys.exit`."""
    if code is None or isinstance(code, int):
        return f"the program ended itself, with exit status {code or 0}"
    return safe_str(code)


def _not_set(joined: Joined) -> str:
    names = ", ".join(joined.session.settings.config)
    return f"{names} cannot be set: this target has no settings that can be changed"


def _run(joined: Joined, welcome: dict[str, Json]) -> Json:
    spec, given = parse_spec(welcome["spec"]), welcome.get("input")
    if spec.kind not in ("function", "project"):
        if welcome.get("describe"):
            told = f"a {spec.kind} shows its components when it runs"
            return {"components": [], "edges": [], "missing": [], "note": told}
        if welcome.get("has_input"):
            way = (
                ""
                if spec.kind in ("notebook", "kernel")
                else f"; give it arguments, or name a function of it: {spec.place}:main"
            )
            raise BadSpec(f"a {spec.kind} takes no input{way}")
        if spec.kind == "kernel":
            return run_kernel(joined.session, joined.own, spec, welcome.get("kernel"), welcome["seed"])
        return run_script(joined.session, joined.own, spec, welcome.get("args", []))
    attribute = spec.attribute or spec.name
    is_project = spec.kind == "project"
    made = joined.made = _open(spec.place) if is_project else _load(joined.own, spec.place, attribute)
    if welcome.get("describe") and not joined.builds_targets:
        return _describe_module(made)
    return _run_made(joined, attribute, made, given, welcome.get("has_input", given is not None))


def _describe_module(made: object) -> Json:
    """The decorated functions of the module of a plain program."""
    module = sys.modules.get(getattr(made, "__module__", ""), None)
    functions = [v for v in vars(module).values() if hasattr(v, "__outtake__")] if module is not None else []
    components = [
        {"path": name, "kind": kind, "doc": inspect.getdoc(f) or "", "effects": effects}
        for f in functions
        for kind, name, effects in (f.__outtake__,)
    ]
    return {"components": components, "edges": [], "missing": []}


def _load(own: OwnFiles, place: str, attribute: str) -> object:
    """The attribute of a file or a module."""
    if place.endswith(".py"):
        module = _load_file(own, place)
    else:
        sys.path.insert(0, os.getcwd())
        module = _imported(place)
    if not hasattr(module, attribute):
        names = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__]
        known = f"it has {', '.join(names)}" if names else "it defines no function"
        raise BadSpec(f"{place} has no {attribute!r}; {known}")
    return getattr(module, attribute)


def _open(path: str) -> object:
    """What the file of a framework's project describes."""
    name = os.path.basename(path)
    entry = next((entry for entry in entries() if name in entry.projects), None)
    adapter = None
    if entry is not None:
        _imported(entry.triggers[0])  # which has its hooks put
        adapter = entry.load()
    if not isinstance(adapter, RunnableAdapter):
        known = ", ".join(each for entry in entries() for each in entry.projects)
        raise BadSpec(f"{name} is the file of no project; known: {known}")
    find_modules_beside(os.path.abspath(path))
    return adapter.open(path)


def _imported(name: str) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise BadSpec(f"there is no module {name} for {sys.executable} in {os.getcwd()}") from error
        raise


def _load_file(own: OwnFiles, path: str) -> types.ModuleType:
    if not os.path.isfile(path):
        raise BadSpec(f"there is no file {path} in {os.getcwd()}")
    find_modules_beside(os.path.abspath(path))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadSpec(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with open(path, "rb") as file:
        code = nondeterminism.own_code(own, file.read(), os.path.abspath(path))
    exec(code, module.__dict__)
    return module


def _run_made(joined: Joined, name: str, made: object, given: Json, has_input: bool) -> Json:
    """Run what a spec names: a framework's object, or a function that makes one, or that is the program itself."""
    if joined.program(made) is not None:
        return asyncio.run(_run_program(joined, made, given))
    if not callable(made):
        raise BadSpec(f"{name} is {_article(made)}, which no target adapter knows how to run")
    entry = entry_of(made)
    if entry is not None:
        joined.session.ready(None)
        return entry.run(joined.session, given, has_input=has_input)
    takes = _takes(joined, name, made, given, has_input)
    if not joined.builds_targets:
        if joined.session.settings.config:
            raise BadSpec(_not_set(joined))
        joined.session.ready(None)
    root = Call("flow", name, {} if takes == "nothing" else {"input": given}, encode=lambda v: _encode_made(joined, v))

    def function(new: NewInput | None) -> Any:
        value = given if new is None else new.value.get("input")
        return made() if takes == "nothing" else made(value) if takes == "input" else made(**_named(name, made, value))

    if joined.link.welcome.get("describe"):
        return _describe_made(joined, lambda: function(None))
    if inspect.iscoroutinefunction(made):
        return asyncio.run(_run_async(joined, root, function, given))
    result = call(joined.session, root, function)
    if inspect.isawaitable(result):
        return asyncio.run(_finish(joined, result, given))
    if joined.program(result) is not None:
        return asyncio.run(_run_program(joined, result, given))
    return encode(result)


def _describe_made(joined: Joined, make: Callable[[], Any]) -> Json:
    """What a factory makes, described.  A function that does the work itself is ended before anything goes out.

    As in a run, it is called without a loop: it may start one.
    """
    joined.session.stop()
    try:
        made = make()
        return asyncio.run(_describe_object(joined, made))
    except (Stopped, asyncio.CancelledError):
        note = "this function does the work itself instead of making a target: its components are shown when it runs"
        return {**_describe_module(joined.made), "note": note}


async def _describe_object(joined: Joined, made: Any) -> Json:
    made = await made if inspect.isawaitable(made) else made
    program = joined.program(made)
    return program.target.describe() if program is not None else _describe_module(joined.made)


async def _run_async(joined: Joined, root: Call, function: Callable[[NewInput | None], Any], given: Json) -> Json:
    result = await acall(joined.session, root, function)
    return await _finish(joined, result, given)


async def _finish(joined: Joined, result: Any, given: Json) -> Json:
    made = await result if inspect.isawaitable(result) else result
    return await _run_program(joined, made, given) if joined.program(made) is not None else encode(made)


async def _run_program(joined: Joined, made: object, given: Json) -> Json:
    """Run a framework's object to its end, and again for each message that a fork sends to it afterwards."""
    program = joined.program(made)
    if program is None:
        raise BadSpec(f"no target adapter knows how to run {_article(made)}")
    if joined.link.welcome.get("describe"):
        return program.target.describe()
    joined.session.ready(program.target)
    while True:
        root = Call("flow", program.name, {"input": given})
        run = program.run
        output = await acall(joined.session, root, lambda new: run(new.value["input"] if new is not None else given))  # noqa: B023  called before the next round
        given = joined.session.next_input()
        if given is None:
            return output


def _takes(joined: Joined, name: str, function: Callable[..., Any], given: Json, has_input: bool) -> Takes:
    """How a function takes the input.  Raises `BadSpec` where they do not fit.

    A factory of a framework's objects may have options of its own: its first one is the input only if it says so.
    """
    required = _required(function)
    if len(required) > 1 and joined.builds_targets:
        raise BadSpec(
            f"{name} takes {len(required)} arguments ({', '.join(required)}); a factory takes none, or the input"
        )
    by_name = len(required) > 1 or (bool(required) and _first_name(function) is None)
    if required and not has_input:
        way = ": an object with these names" if by_name else ""
        raise BadSpec(f"{name} takes an input ({', '.join(required)}); give it with --input{way}")
    if by_name:
        _named(name, function, given)
        return "names"
    optional = _first_name(function)
    takes = optional is not None and (optional in _INPUT_NAMES or not joined.builds_targets)
    return "input" if has_input and (required or takes) else "nothing"


def _named(name: str, function: Callable[..., Any], given: Json) -> dict[str, Json]:
    """The arguments of a function that takes several, by their names.  Raises `BadSpec` where they do not fit."""
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind not in _COLLECTING]
    if not isinstance(given, dict):
        raise BadSpec(f"{name} takes the arguments {', '.join(names)}; give an object with these names as the input")
    try:
        inspect.signature(function).bind(**given)
    except TypeError as error:
        raise BadSpec(f"{name}: {error}; it takes {', '.join(names)}") from error
    return given


def _encode_made(joined: Joined, value: object) -> Json:
    """A result; a target that a factory made is named, not taken apart."""
    if joined.program(value) is not None or inspect.isawaitable(value):
        return {"made": type(value).__name__}
    return encode(value)


def _article(made: object) -> str:
    return f"an object of {type(made).__module__}.{type(made).__qualname__}"


def _required(function: Callable[..., Any]) -> list[str]:
    """Names of the parameters that have no default."""
    return [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind not in _COLLECTING
    ]


def _first_name(function: Callable[..., Any]) -> str | None:
    """Name of the first parameter that can be given by position."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    named = first is not None and first.kind in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD)
    return first.name if named and first is not None else None
