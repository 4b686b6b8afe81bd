"""A debugged process from its first line to its last: hooks in, target built and run, result out, hooks gone."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import os
import sys
import threading
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from outtake_probe import contexts, sources
from outtake_probe.attached import attach_session, detach_session
from outtake_probe.calling import NewInput, acall, call
from outtake_probe.calls import Call
from outtake_probe.client import Address, Link, open_session, say
from outtake_probe.console import Console
from outtake_probe.records import Json, Status
from outtake_probe.session import Session, Stopped
from outtake_probe.targets import Entry, entries, when_imported
from outtake_probe.targets.base import Adapter, Program
from outtake_probe.values import describe_error, encode

_INPUT_NAMES = frozenset({"input", "inputs", "message", "prompt", "query", "question", "task", "text"})
SCRIPT_OUTPUT = 4000
"""Characters of a script's last output that count as its result."""


class BadSpec(Exception):
    """The spec names no target; the message says what is wrong and what a spec looks like."""


@dataclass(slots=True)
class Joined:
    """This process under the debugger."""

    link: Link
    console: Console | None = None
    adapters: list[Adapter] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    loading: set[str] = field(default_factory=set)
    made: object = None
    """What the spec names: a factory, or a function that is the program itself."""
    ended: bool = False

    @property
    def session(self) -> Session:
        return self.link.session

    def hook(self, hooks: Adapter) -> None:
        """Put a framework's hooks in place; what its version lacks is told, and the rest goes on."""
        if hooks not in self.adapters:
            self.adapters.append(hooks)
        self.missing += hooks.install(self.session)

    @property
    def builds_targets(self) -> bool:
        """Whether a framework is loaded whose objects can be run."""
        return any(hasattr(hooks, "program") for hooks in self.adapters)

    def program(self, made: object) -> Program | None:
        """How to run an object, where a framework's adapter knows."""
        for hooks in self.adapters:
            if hasattr(hooks, "program") and hooks.claims(made):
                return hooks.program(made, self.session)
        return None

    def leave(self, status: Status = "completed", output: Json = None) -> None:
        """The program is done: write the end, take the hooks out, wait until all is stored."""
        if self.ended:
            return
        self.ended = True
        status, output = self.session.finish(status, output)
        self._describe()
        if self.console is not None:
            self.console.close()
        told = self.session.bodies.cleaned(output)
        self.session.recorder.send("ended", {"status": status, "output": told, "missing": self.missing})
        self.link.close()
        detach_session()
        for hooks in self.adapters:
            hooks.remove()
        contexts.remove()

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


def join(
    place: str, token: str, run: str | None, hello: dict[str, Json] | None = None, root: str | None = None
) -> Joined:
    """Connect this process and put every hook in place; the program's own code lies at or below `root`."""
    link = open_session(Address(place, token, run, hello or {}))
    joined = Joined(link)
    if hello is not None:
        link.gave_up = lambda: _give_up(joined)
    session, welcome = link.session, link.welcome
    attach_session(session)
    sources.seed_all(welcome["seed"])
    sources.install(os.path.dirname(root) if root and os.path.isfile(root) else root or os.getcwd())
    sources.install_input(session, welcome.get("stdin", "inherit"))
    contexts.install()
    for entry in entries():
        when_imported(entry.triggers, partial(_hook, joined, entry))
    session.begin(welcome.get("input"), python=sys.version.split()[0], seed=welcome["seed"])
    if hello is not None:
        session.ready(None)
    return joined


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
    """A script that the user started goes on by itself."""
    say("the server went away; this process goes on without it")
    joined.ended = True
    detach_session()
    joined.session.let_go()


# -- running a target ------------------------------------------------------------------------------------------------


def main() -> int:
    """Run the target that the server names.  The exit status is the script's, or 1 when the target failed."""
    address, token, run = sys.argv[1:4]
    joined = join(address, token, run)
    welcome = joined.link.welcome
    tell = joined.session.recorder.send
    clean = joined.session.bodies.cleaned
    joined.console = Console(lambda stream, text: tell("console", {"stream": stream, "text": clean(text)}))
    try:
        joined.console.install()
        status, output = run_target(joined, welcome)
        joined.leave(status, output)
    finally:
        joined.console.close()
    return 0 if status == "completed" else 1


def run_target(joined: Joined, welcome: dict[str, Json]) -> tuple[Status, Json]:
    """Build the target, run it inside a root invocation, and say how it ended and with what."""
    try:
        output = _run(joined, welcome)
        if joined.session.settings.config:
            names = ", ".join(joined.session.settings.config)
            return "failed", _wrong(f"{names} cannot be set: this target has no settings that can be changed")
        return "completed", output
    except Stopped:
        return _stopped(joined.session)
    except asyncio.CancelledError as error:
        # on a loop, a delivery that is stopped can only cancel the program's own tasks
        return _stopped(joined.session) if joined.session.stopping else ("failed", describe_error(error))
    except BadSpec as error:
        return "failed", _wrong(str(error))
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  the program is the boundary
        return "failed", describe_error(error)


def _stopped(session: Session) -> tuple[Status, Json]:
    """How a run ended that did not end by itself."""
    if session.failure:
        return "failed", _wrong(session.failure)
    difference = session.rerun.diverged if session.rerun is not None else None
    return ("stopped", None) if difference is None else ("diverged", {"difference": str(difference)})


def _wrong(reason: str) -> Json:
    """An error of what was asked for, not of the program."""
    return {"$type": "exception", "class": "outtake:WrongUse", "message": reason, "wrong_use": True}


def _run(joined: Joined, welcome: dict[str, Json]) -> Json:
    spec, given = welcome["spec"], welcome.get("input")
    path, attribute = split_spec(spec)
    if welcome.get("describe") and attribute is None:
        return {"components": [], "edges": [], "missing": [], "note": "a script shows its components when it runs"}
    if attribute is None and welcome.get("has_input"):
        raise BadSpec(f"a script takes no input; give it arguments, or name a function of it: {path}:main")
    if attribute is None:
        return _run_script(joined, path, welcome.get("args", []))
    made = joined.made = _load(path, attribute)
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


def split_spec(spec: str) -> tuple[str, str | None]:
    """A spec's file or module and its attribute; a script has none.  Raises `BadSpec`."""
    place, colon, attribute = spec.rpartition(":")
    if not colon or (len(place) == 1 and attribute[:1] in ("\\", "/")):
        place, attribute = spec, ""
    if not place:
        raise BadSpec(f"{spec!r} names no target; say path.py:factory, pkg.module:factory or script.py")
    if not attribute and not place.endswith(".py"):
        raise BadSpec(f"{spec!r} names no target; a module needs its factory, as in {spec}:main")
    return place, attribute or None


def _load(place: str, attribute: str) -> object:
    """The attribute of a file or a module."""
    if place.endswith(".py"):
        module = _load_file(place)
    else:
        sys.path.insert(0, os.getcwd())
        module = _imported(place)
    if not hasattr(module, attribute):
        names = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__]
        known = f"it has {', '.join(names)}" if names else "it defines no function"
        raise BadSpec(f"{place} has no {attribute!r}; {known}")
    return getattr(module, attribute)


def _imported(name: str) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise BadSpec(f"there is no module {name} for {sys.executable} in {os.getcwd()}") from error
        raise


def _load_file(path: str) -> types.ModuleType:
    if not os.path.isfile(path):
        raise BadSpec(f"there is no file {path} in {os.getcwd()}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadSpec(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with open(path, "rb") as file:
        code = sources.compile_source(file.read(), os.path.abspath(path))
    exec(code, module.__dict__)
    return module


def _run_script(joined: Joined, path: str, args: Sequence[str]) -> Json:
    if not os.path.isfile(path):
        raise BadSpec(f"there is no file {path} in {os.getcwd()}")
    joined.session.ready(None, joined.link.welcome.get("config"))
    sys.argv = [path, *args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    tail = _Tail(sys.stdout)
    sys.stdout = tail
    code = call(joined.session, Call("flow", name, {"args": list(args)}), lambda _: _exit_code(path))
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()  # as the interpreter does at the end of a script
    output = {"exit_code": code, "output": tail.text()}
    if code:
        raise ScriptFailed(f"the script ended with exit code {code}", output)
    return output


class ScriptFailed(Exception):
    """A script ended with another exit code than 0."""


def _exit_code(path: str) -> int:
    with open(path, "rb") as file:
        code = sources.compile_source(file.read(), os.path.abspath(path))
    module = types.ModuleType("__main__")
    module.__file__ = os.path.abspath(path)
    sys.modules["__main__"] = module
    try:
        exec(code, module.__dict__)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        sys.stderr.write(f"{end.code}\n")
        return 1
    return 0


class _Tail:
    """A text stream that keeps its end."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._end = ""

    def write(self, text: str) -> int:
        self._end = (self._end + text)[-SCRIPT_OUTPUT:]
        return int(self._stream.write(text))

    def text(self) -> str:
        return self._end.strip()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _run_made(joined: Joined, name: str, made: object, given: Json, has_input: bool) -> Json:
    """Run what a spec names: a framework's object, or a function that makes one, or that is the program itself."""
    if joined.program(made) is not None:
        return asyncio.run(_run_program(joined, made, given))
    if not callable(made):
        raise BadSpec(f"{name} is {_article(made)}, which no target adapter knows how to run")
    args = _arguments(joined, name, made, given, has_input)
    if not joined.builds_targets:
        joined.session.ready(None)
    root = Call("flow", name, {"input": given} if args else {}, encode=lambda v: _encode_made(joined, v))
    if inspect.iscoroutinefunction(made):
        return asyncio.run(_run_async(joined, root, made, args, given))
    result = call(joined.session, root, lambda new: made(*_new_args(args, new)))
    if inspect.isawaitable(result):
        return asyncio.run(_finish(joined, result, given))
    if joined.program(result) is not None:
        return asyncio.run(_run_program(joined, result, given))
    return encode(result)


async def _run_async(
    joined: Joined, root: Call, function: Callable[..., Any], args: tuple[Json, ...], given: Json
) -> Json:
    result = await acall(joined.session, root, lambda new: function(*_new_args(args, new)))
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
    joined.session.ready(program.target, joined.link.welcome.get("config"))
    while True:
        root = Call("flow", program.name, {"input": given})
        run = program.run
        output = await acall(joined.session, root, lambda new: run(new.value["input"] if new is not None else given))  # noqa: B023  called before the next round
        given = joined.session.next_input()
        if given is None:
            return output


def _arguments(
    joined: Joined, name: str, function: Callable[..., Any], given: Json, has_input: bool
) -> tuple[Json, ...]:
    """The input, where the function takes one.  Raises `BadSpec` where they do not fit.

    A factory of a framework's objects may have options of its own: its first one is the input only if it says so.
    """
    required = _required(function)
    if len(required) > 1:
        raise BadSpec(
            f"{name} takes {len(required)} arguments ({', '.join(required)}); a target takes none, or the input"
        )
    if required and not has_input:
        raise BadSpec(f"{name} takes an input ({required[0]}); give it with --input")
    optional = _first_name(function)
    takes = optional is not None and (optional in _INPUT_NAMES or not joined.builds_targets)
    return (given,) if has_input and (required or takes) else ()


def _new_args(args: tuple[Json, ...], new: NewInput | None) -> tuple[Json, ...]:
    return (new.value.get("input"),) if new is not None and args else args


def _encode_made(joined: Joined, value: object) -> Json:
    """A result; a target that a factory made is named, not taken apart."""
    if joined.program(value) is not None or inspect.isawaitable(value):
        return {"made": type(value).__name__}
    return encode(value)


def _article(made: object) -> str:
    return f"an object of {type(made).__module__}.{type(made).__qualname__}"


def _required(function: Callable[..., Any]) -> list[str]:
    return [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]


def _first_name(function: Callable[..., Any]) -> str | None:
    """Name of the first parameter that can be given by position."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    named = first is not None and first.kind in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD)
    return first.name if named and first is not None else None
