"""How a command reaches the service: the owner of the store, or, where nobody owns it, this process."""

from __future__ import annotations

import contextlib
import inspect
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from outtake.engine.launch import default_python
from outtake.engine.ownership import Owned, owner
from outtake.service.errors import KINDS, BadBody, Conflict, ServiceError, WrongUse
from outtake.service.methods import asks, streams
from outtake.service.read_only import ReadOnlyService
from outtake.service.rpc_server import STARTS
from outtake.service.service import METHODS, Service
from outtake.store import NotWritten, StoreError
from outtake.store.private import DATABASE, FOLDER
from outtake_probe import wire
from outtake_probe.records import Json

__all__ = ["FOLDER", "Remote", "default_python", "open_service", "owned", "store_folder"]

T = TypeVar("T")

HANDOVER = 10.0
"""Seconds in which a new owner must have said how to reach it."""


def store_folder(store: str | None) -> Path:
    """The folder of the store: the one named, or ``.outtake`` in the working folder."""
    return (Path(store) if store is not None else Path(FOLDER)).absolute()


def open_service(folder: Path) -> Service:
    """The service of the store in `folder`, to be closed after use.

    Where another process owns the store, what is returned passes every call on to it, and to the next owner.
    """
    return cast(Service, _reach(folder, partial(Remote, folder)))


def owned(service: object) -> bool:
    """Whether this process owns the store of a service."""
    return isinstance(service, Service) or (isinstance(service, Remote) and service.successor is not None)


def _reach(folder: Path, come: Callable[[dict[str, str]], T]) -> Service | T:
    """Own the store in `folder`, or, where another process does, `come` to that."""
    until = time.monotonic() + HANDOVER
    while True:
        try:
            return Service(folder)
        except Owned:
            found = owner(folder) or {}
        except NotWritten as error:
            return _read_only(folder, error)
        except StoreError as error:
            raise WrongUse(str(error)) from error
        except OSError as error:
            return _read_only(folder, error)
        if "address" in found:
            with contextlib.suppress(OSError):  # it has just ended, or just begun
                return come(found)
        if time.monotonic() > until:
            raise Conflict(f"{folder} is locked by a process that cannot be reached; end it, or name another --store")
        time.sleep(0.05)


def _read_only(folder: Path, error: Exception) -> Service:
    """The service of a store that cannot be owned because of `error`.  Raises `WrongUse` where it is no store."""
    reason = str((error.strerror if isinstance(error, OSError) else None) or error)
    if (folder / DATABASE).is_file():
        with contextlib.suppress(StoreError, OSError):
            return ReadOnlyService(folder, reason)
    raise WrongUse(f"{folder} cannot be used as a store: {reason}") from error


class Remote:
    """The service in another process: every method of `Service`, called there.

    That process may end when its own run does.  Then this one asks whoever comes next, or becomes the owner itself: the
    runs that it has asked for go on.
    """

    def __init__(self, folder: Path, found: dict[str, str]) -> None:
        self.successor: Service | None = None
        """This process's own service, once it had to take the store over."""
        self._folder = folder
        self._name = secrets.token_hex(8)
        self._runs: set[str] = set()
        """The runs that were asked for here."""
        self._lock = threading.RLock()
        self._come(found)

    @property
    def url(self) -> str | None:
        """Where the owner serves its pages."""
        return self._found.get("url")

    def _come(self, found: dict[str, str]) -> Remote:
        connection = self._connect(found)
        self._found, self._idle = found, [connection]
        return self

    def _connect(self, found: dict[str, str]) -> wire.Connection:
        connection = wire.connect(found["address"])
        told = {"client": self._name, "runs": sorted(self._runs)}
        try:
            hello = {"protocol": wire.PROTOCOL, "role": "client", "token": found["token"], **told}
            connection.send("hello", hello)
            welcome = connection.receive()
            if welcome is None:
                raise ConnectionError("the owner of the store hung up")
            if welcome.kind != "welcome":
                raise Conflict(str(welcome.fields.get("reason", "the owner of the store refuses")))
        except BaseException:
            connection.close()
            raise
        return connection

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"the owner of a store offers its clients no {name!r}")
        return partial(self._call, name)

    def _call(self, method: str, *args: Json, **params: Json) -> Any:
        names = list(inspect.signature(METHODS[method]).parameters)[1:]
        told = {**dict(zip(names, args, strict=False)), **params}
        while self.successor is None:
            found = self._found
            asked = self._asked(found, {"method": method, "params": told}, again=asks(METHODS[method]))
            if asked is not None:
                connection, first = asked
                if first.kind == "item" or streams(METHODS[method]):
                    return self._items(method, told, found, connection, first)
                return self._result(method, connection, first)
            self._move(found)
        return getattr(self.successor, method)(**told)

    def _asked(
        self, found: dict[str, str], call: dict[str, Json], *, again: bool
    ) -> tuple[wire.Connection, wire.Frame] | None:
        """Send a call; returns the first thing that comes back.

        None where the owner has gone and did nothing, or what it did may be done `again`.
        """
        try:
            connection = self._take(found)
            connection.send("call", call)
        except OSError:
            return None
        first = _next(connection)
        if first is not None and first.kind != "moved":
            return connection, first
        connection.close()
        if first is None and not again:
            raise Conflict("the owner of the store ended before it answered; `outtake runs` tells how its runs stand")
        return None

    def _take(self, found: dict[str, str]) -> wire.Connection:
        with self._lock:  # several threads may ask
            if self._found is found and self._idle:
                return self._idle.pop()
        return self._connect(found)

    def _move(self, found: dict[str, str]) -> None:
        """The owner has gone: ask the next one, or be it."""
        with self._lock:
            if self._found is not found or self.successor is not None:
                return  # another thread was faster
            self._leave()
            reached = _reach(self._folder, self._come)
            if isinstance(reached, Service):
                self.successor = reached

    def _result(self, method: str, connection: wire.Connection, frame: wire.Frame) -> Any:
        with self._lock:
            self._idle.append(connection)
        if frame.kind == "error":
            kind = KINDS.get(frame.fields["code"], ServiceError)
            if kind is BadBody:
                raise BadBody(frame.fields["message"], frame.fields.get("schema"))
            raise kind(frame.fields["message"])
        result = frame.fields["result"]
        if method in STARTS:
            self._runs.add(result["run"])
        return result

    def _items(
        self, method: str, told: dict[str, Json], found: dict[str, str], connection: wire.Connection, first: wire.Frame
    ) -> Iterator[Any]:
        frame: wire.Frame | None = first
        whole = False
        try:
            while frame is not None and frame.kind == "item":
                told = _after(told, frame.fields["result"])
                yield frame.fields["result"]
                frame = _next(connection)
            whole = frame is not None and frame.kind != "moved"
        finally:
            if not whole:  # who reads has had enough, or the owner has gone
                connection.close()
        if frame is not None and whole:
            self._result(method, connection, frame)
            return
        self._move(found)
        yield from self._call(method, **told)

    def _leave(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def close(self) -> list[str]:
        """Leave the owner, or as one give the store up; returns the runs that go on without it."""
        with self._lock:
            self._leave()
        return self.successor.close() if self.successor is not None else []


def _next(connection: wire.Connection) -> wire.Frame | None:
    try:
        return connection.receive()
    except OSError:
        return None


def _after(told: dict[str, Json], item: dict[str, Json]) -> dict[str, Json]:
    """How to ask for what comes after an item of `show` or `follow`."""
    records = item["records"] if "records" in item and "state" in item else [item]
    if not records:
        return told
    limit = told.get("limit")
    left = {} if limit is None else {"limit": limit - len(records)}
    return {**told, **left, "after": records[-1]["seq"]}
