"""Runs inside of a process that goes on: each call of a function that is marked with `outtake.run` is one.

A server handles many requests at the same time, and a program may go through a list of questions: each is a run of its
own, with its own log, its own holds and its own end.  Its target is the function, and its input the arguments, so that
a fork calls the function again, in a process of its own.  In the run of the process such a call is one tool call, with
the number of its run beside it.

Where the function is the target, as in such a fork, its call is that run.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import inspect
import os
import random
import struct
import sys
import threading
import typing
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from outtake_probe import attached, codec
from outtake_probe.calls import Call, current
from outtake_probe.code_hash import OwnCode
from outtake_probe.codec import Opaque, decode, describe_error, encode
from outtake_probe.commands import BadValue
from outtake_probe.connection import Address, Link, RefusedByServer, open_session, say
from outtake_probe.gate.invoke import NewInput, acall, astream, call, stream
from outtake_probe.own_files import OwnFiles
from outtake_probe.records import Json, Status
from outtake_probe.session import Session, Stopped
from outtake_probe.specs import BadSpec
from outtake_probe.targets.plain import Args, Component, Kwargs

RUN = "run"
"""Type of the note of a process's run that names the run of a request."""
_PATIENCE = 10.0
"""Seconds for which a process that ends waits until the last words of its requests are stored."""


class RunStopped(RuntimeError):
    """The user of the debugger has ended the run of this request; the process goes on."""


class Entry(Component):
    """A function whose calls are runs."""

    def call(self, session: Session, args: Args, kwargs: Kwargs) -> Any:
        requests = self._requests()
        if requests is None:
            return self.function(*args, **kwargs)
        what, bound = self._describe(session, args, kwargs)
        return call(session, what, lambda new: requests.call(self, self._given(bound, new)))

    async def acall(self, session: Session, args: Args, kwargs: Kwargs) -> Any:
        requests = self._requests()
        if requests is None:
            return await self.function(*args, **kwargs)
        what, bound = self._describe(session, args, kwargs)
        return await acall(session, what, lambda new: requests.acall(self, self._given(bound, new)))

    def stream(self, session: Session, args: Args, kwargs: Kwargs) -> Iterator[Any]:
        requests = self._requests()
        if requests is None:
            return iter(self.function(*args, **kwargs))
        what, bound = self._describe(session, args, kwargs)
        return stream(session, what, lambda new: requests.stream(self, self._given(bound, new)))

    def astream(self, session: Session, args: Args, kwargs: Kwargs) -> AsyncIterator[Any]:
        requests = self._requests()
        if requests is None:
            made: AsyncIterator[Any] = self.function(*args, **kwargs)
            return made
        what, bound = self._describe(session, args, kwargs)
        return astream(session, what, lambda new: requests.astream(self, self._given(bound, new)))

    def _requests(self) -> Requests | None:
        found = attached.requests()
        return found if found is not None and found.spec(self.function) is not None else None

    def _given(self, bound: inspect.BoundArguments, new: NewInput | None) -> inspect.BoundArguments:
        if new is not None:
            bound.arguments.update(new.value)
        return bound

    # -- as the target -----------------------------------------------------------------------------------------------

    def root(self, given: Json) -> Call:
        """What encloses everything in the run of one call."""
        return Call("flow", self.name, {"input": given}, normalize=self._normalize_root)

    def _normalize_root(self, current: Json, value: Json) -> Json:
        if not (isinstance(value, dict) and set(value) == {"input"}):
            raise BadValue('its input is {"input": {argument: value, ...}}')
        return {"input": self._normalize(current["input"], value["input"])}

    def execute(self, session: Session, bound: inspect.BoundArguments, new: NewInput | None) -> Any:
        """Call the function inside of its run, with the random numbers that it would draw."""
        if new is not None:
            given = new.value["input"]
            bound.arguments.update({name: self._coerced(name, value) for name, value in given.items()})
        drawn = session.read("random", _random_state)
        if session.replay is not None:
            _set_random_state(drawn)
        return self.function(*bound.args, **bound.kwargs)

    def bound(self, given: Json, *, has_input: bool) -> inspect.BoundArguments:
        """The arguments of a call that is a run, of its input.  Raises `BadSpec` where they cannot be made."""
        try:
            named = self._normalize({}, given) if has_input else {}
        except BadValue as error:
            raise BadSpec(str(error)) from error
        bound = self.signature.bind_partial()
        for name, value in named.items():
            bound.arguments[name] = self._made(name, value)
        lacks = [
            name
            for name, p in self.signature.parameters.items()
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and name not in named
        ]
        if lacks == [self.bound_to]:
            raise BadSpec(
                f"{self.name} is a method, and its object is not in the record; mark a function that makes the object"
            )
        if lacks:
            raise BadSpec(
                f"{self.name} takes {', '.join(lacks)}; give its arguments as the input, an object with their names"
            )
        return bound

    def _made(self, name: str, value: Json) -> object:
        """An argument of its record, or as the user has written it down."""
        try:
            made = decode(value)
        except Opaque as error:
            raise BadSpec(
                f"the argument {name} of {self.name} cannot be made again: {error}; mark a function that takes values"
            ) from error
        return self._coerced(name, made)

    def _coerced(self, name: str, value: object) -> object:
        """An argument that was written down as plain JSON, as the model or dataclass that the function takes."""
        expected = self._types.get(name)
        if not isinstance(value, dict) or not isinstance(expected, type):
            return value
        validate = getattr(expected, "model_validate", None)
        if validate is None and not dataclasses.is_dataclass(expected):
            return value
        try:
            return validate(value) if validate is not None else expected(**value)
        except (TypeError, ValueError) as error:
            raise BadSpec(f"{name} is no {expected.__name__}: {error}") from error

    @property
    def _types(self) -> dict[str, object]:
        try:
            return typing.get_type_hints(self.function)
        except Exception:  # noqa: BLE001  an annotation may be any expression of the user's
            return {}

    def run(self, session: Session, given: Json, *, has_input: bool) -> Json:
        """Call the function as the target of this process, and return what came of it."""
        bound, root = self.bound(given, has_input=has_input), self.root(given if has_input else {})
        execute = partial(self.execute, session, bound)
        if inspect.isasyncgenfunction(self.function):
            return asyncio.run(_collected(astream(session, root, execute)))
        if inspect.isgeneratorfunction(self.function):
            return [encode(piece) for piece in stream(session, root, execute)]
        if inspect.iscoroutinefunction(self.function):
            return encode(asyncio.run(acall(session, root, execute)))
        return encode(call(session, root, execute))


async def _collected(pieces: AsyncIterator[Any]) -> Json:
    return [encode(piece) async for piece in pieces]


def entry_of(function: object) -> Entry | None:
    """What a function is that is marked as a run; None for any other object."""
    lazy = getattr(function, "__outtake_entry__", None)
    found = lazy.component if lazy is not None else None
    return found if isinstance(found, Entry) else None


_FORMAT = struct.Struct("<625L")


def _random_state() -> Json:
    _, numbers, gauss = random.getstate()
    return [base64.b64encode(_FORMAT.pack(*numbers)).decode(), gauss]


def _set_random_state(drawn: Json) -> None:
    packed, gauss = drawn
    random.setstate((random.Random.VERSION, _FORMAT.unpack(base64.b64decode(packed)), gauss))


# -- a process with requests -----------------------------------------------------------------------------------------


class Requests:
    """The runs of the requests of one process."""

    def __init__(self, link: Link, own: OwnFiles, code: OwnCode, python: str) -> None:
        self._link = link
        self._own = own
        self._code = code
        self._python = python
        self._specs: dict[object, str | None] = {}
        self._lock = threading.RLock()  # what is collected as garbage meanwhile may be a request
        self._leaving = 0
        """Runs that have ended and are not all stored yet."""
        self._left = threading.Condition(self._lock)

    def spec(self, function: Callable[..., Any]) -> str | None:
        """How a fork finds a function; None, and a word to the user, where it could not."""
        if function not in self._specs:
            self._specs[function] = _spec(function, self._own.folder)
            if self._specs[function] is None:
                say(f"calls of {function.__qualname__} are no runs of their own: it is no function of a module's file")
        return self._specs[function]

    def call(self, entry: Entry, bound: inspect.BoundArguments) -> Any:
        """One call, in this thread."""
        request = self._open(entry, bound)
        if request is None:
            return entry.function(*bound.args, **bound.kwargs)
        with request.to_its_end(), request.inside():
            return request.came(call(request.session, request.root, request.execute))

    async def acall(self, entry: Entry, bound: inspect.BoundArguments) -> Any:
        """One call, on the running loop."""
        request = self._open(entry, bound)
        if request is None:
            return await entry.function(*bound.args, **bound.kwargs)
        with request.to_its_end(), request.inside():
            return request.came(await acall(request.session, request.root, request.execute))

    def stream(self, entry: Entry, bound: inspect.BoundArguments) -> Iterator[Any]:
        """One call that answers in pieces."""
        request = self._open(entry, bound)
        if request is None:
            yield from entry.function(*bound.args, **bound.kwargs)
            return
        with request.to_its_end():
            pieces = stream(request.session, request.root, request.execute)
            try:
                while True:
                    try:
                        with request.inside():
                            piece = next(pieces)
                    except StopIteration:
                        return
                    yield request.gave(piece)
            finally:
                if isinstance(pieces, Generator):
                    with request.inside():
                        pieces.close()

    async def astream(self, entry: Entry, bound: inspect.BoundArguments) -> AsyncIterator[Any]:
        """One call that answers in pieces, on the running loop."""
        request = self._open(entry, bound)
        if request is None:
            async for piece in entry.function(*bound.args, **bound.kwargs):
                yield piece
            return
        with request.to_its_end():
            pieces = astream(request.session, request.root, request.execute)
            try:
                while True:
                    try:
                        with request.inside():
                            piece = await pieces.__anext__()
                    except StopAsyncIteration:
                        return
                    yield request.gave(piece)
            finally:
                if isinstance(pieces, AsyncGenerator):
                    with request.inside():
                        await pieces.aclose()

    def _open(self, entry: Entry, bound: inspect.BoundArguments) -> Request | None:
        """Begin a run; None, and a word to the user, where the server takes none."""
        given = {name: encode(value) for name, value in bound.arguments.items() if name != entry.bound_to}
        process = self._link.session
        told = {"function": self.spec(entry.function), "input": process.bodies.cleaned(given)}
        if sys.executable:
            told["executable"] = sys.executable
        address = self._link.address
        try:
            link = open_session(
                Address(address.place, address.token, address.run, {"request": told}, address.store).now()
            )
        except (OSError, RefusedByServer) as error:
            say(f"this call of {entry.name} is not recorded as a run of its own: {error}")
            return None
        session = link.session
        session.code = self._code
        name = link.welcome["run"]
        process.note(RUN, entry.name, {"run": name})
        session.recorder.send("imported", {"files": self._own.hashes})
        link.reconnected = lambda: session.recorder.send("imported", {"files": self._own.hashes})
        request = Request(self, link, entry, bound, given)
        link.gave_up = request.give_up
        session.begin(given, python=self._python, seed=link.welcome["seed"])
        session.ready(None)
        return request

    def leave(self, link: Link) -> None:
        """See to it that all of a run is stored, while the program goes on."""
        with self._lock:
            self._leaving += 1
        threading.Thread(target=self._leave, args=(link,), name="outtake-leaving", daemon=True).start()

    def _leave(self, link: Link) -> None:
        try:
            link.close()
        finally:
            with self._left:
                self._leaving -= 1
                self._left.notify_all()

    def wait(self) -> None:
        """The process ends: give what its requests said last the time to be stored."""
        with self._left:
            self._left.wait_for(lambda: not self._leaving, _PATIENCE)


class Request:
    """One call that is a run."""

    def __init__(
        self, requests: Requests, link: Link, entry: Entry, bound: inspect.BoundArguments, given: Json
    ) -> None:
        self.session = link.session
        self.root = entry.root(given)
        self._requests = requests
        self._link = link
        self._entry = entry
        self._bound = bound
        self._pieces: list[Json] | None = None
        self._output: Json = None
        self._given_up = False
        self._process = os.getpid()

    def execute(self, new: NewInput | None) -> Any:
        """Call the function."""
        return self._entry.execute(self.session, self._bound, new)

    def came(self, result: Any) -> Any:
        """It returned."""
        self._output = encode(result)
        return result

    def gave(self, piece: Any) -> Any:
        """It gave a piece of its answer."""
        if self._pieces is None:
            self._pieces = []
        self._pieces.append(encode(piece))
        return piece

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What runs now belongs to this run, and is inside of nothing else."""
        frame, session = current.set(None), attached.of_request.set(self.session)
        try:
            yield
        finally:
            attached.of_request.reset(session)
            current.reset(frame)

    @contextmanager
    def to_its_end(self) -> Iterator[None]:
        """From the call to its end, whichever that is."""
        try:
            yield
        except Stopped as error:
            self._end(*stopped(self.session))
            raise RunStopped(f"{self._link.welcome['run']} was ended by the user of the debugger") from error
        except GeneratorExit:
            self._end("completed", self._pieces)
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and self.session.stopping:
                self._end(*stopped(self.session))
            else:
                self._end("failed", describe_error(error))
            raise
        else:
            self._end("completed", self._output if self._pieces is None else self._pieces)

    def give_up(self) -> None:
        """There is no server any more: the call goes on without it."""
        self._given_up = True
        self.session.let_go()
        self.session.close()

    def _end(self, status: Status, output: Json) -> None:
        if self._given_up or os.getpid() != self._process:
            return
        session = self.session
        status, output = session.finish(status, output)
        session.recorder.send("ended", {"status": status, "output": output, "missing": []})
        session.closed = True
        self._requests.leave(self._link)


def stopped(session: Session) -> tuple[Status, Json]:
    """How a run ended that did not end by itself."""
    if session.failure:
        return "failed", wrong(session.failure)
    replay = session.replay
    return ("stopped", None) if replay is None or replay.diverged is None else ("diverged", replay.difference())


def wrong(reason: str) -> Json:
    """An error of what was asked for, not of the program."""
    return {"$type": "exception", "class": "outtake:WrongUse", "message": reason, "wrong_use": True}


def _spec(function: Callable[..., Any], folder: str) -> str | None:
    """The spec of a function of a module's file; None where there is none."""
    module = sys.modules.get(function.__module__)
    file, name = getattr(module, "__file__", None), function.__qualname__
    if module is None or not isinstance(file, str) or not file.endswith(".py") or "<" in name:
        return None
    spec = getattr(module, "__spec__", None)
    called: str = spec.name if spec is not None else module.__name__
    stem = os.path.splitext(os.path.basename(file))[0]
    if module.__name__ == "__main__":  # which it is not called in a fork
        codec.alias("__main__", stem if called == "__main__" else called)
    if "." in called:
        return f"{called}:{name}"
    path = os.path.relpath(os.path.realpath(file), folder)
    return f"{path if not path.startswith(os.pardir) else os.path.realpath(file)}:{name}"
