"""How a command reaches the service: the owner of the store, or, where nobody owns it, this process."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

from outtake.engine.launch import default_python
from outtake.engine.ownership import Owned, owner
from outtake.service.errors import KINDS, BadBody, Conflict, ServiceError, WrongUse
from outtake.service.service import Service
from outtake.store import StoreError
from outtake_probe import wire
from outtake_probe.records import Json

__all__ = ["FOLDER", "Remote", "default_python", "open_service", "store_folder"]

FOLDER = ".outtake"
QUESTIONS = (
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
    "why",
    "affects",
    "annotations",
    "wait",
)
"""Methods that change nothing."""
HANDOVER = 5.0
"""Seconds in which a new owner must have said how to reach it."""


def store_folder(store: str | None) -> Path:
    """The folder of the store: the one named, or ``.outtake`` in the working folder."""
    return Path(store) if store is not None else Path.cwd() / FOLDER


def open_service(folder: Path) -> Service:
    """The service of the store in `folder`, to be closed after use.

    Where another process owns the store, what is returned passes every call on to it.
    """
    until = time.monotonic() + HANDOVER
    while True:
        try:
            return Service(folder)
        except Owned:
            remote = _remote(folder)
        except StoreError as error:
            raise WrongUse(str(error)) from error
        except OSError as error:
            raise WrongUse(f"{folder} cannot be used as a store: {error.strerror or error}") from error
        if remote is not None:
            return cast(Service, remote)
        if time.monotonic() > until:
            raise Conflict(f"{folder} is locked by a process that cannot be reached; end it, or name another --store")
        time.sleep(0.05)


def _remote(folder: Path) -> Remote | None:
    found = owner(folder)
    if found is None or "address" not in found:
        return None
    try:
        return Remote(folder, found)
    except OSError:
        return None  # it has just ended, or just begun


class Remote:
    """The service in another process: every method of `Service`, called there.

    That process may end when its own run does.  Questions that change nothing are then asked of whoever comes next.
    """

    def __init__(self, folder: Path, found: dict[str, str]) -> None:
        self.url = found.get("url")
        self._folder = folder
        self._successor: Service | None = None
        self._found = found
        self._idle = [self._connect()]

    def _connect(self) -> wire.Connection:
        connection = wire.connect(self._found["address"])
        connection.send("hello", {"protocol": wire.PROTOCOL, "role": "client", "token": self._found["token"]})
        welcome = connection.receive()
        if welcome is None:
            raise ConnectionError("the owner of the store hung up")
        if welcome.kind != "welcome":
            raise Conflict(str(welcome.fields.get("reason", "the owner of the store refuses")))
        return connection

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self._call, name)

    def _call(self, method: str, *args: Json, **params: Json) -> Any:
        if self._successor is not None:
            return getattr(self._successor, method)(*args, **params)
        names = list(inspect.signature(getattr(Service, method)).parameters)[1:]
        call = {"method": method, "params": {**dict(zip(names, args, strict=False)), **params}}
        try:
            connection, first = self._asked(call)
        except OSError:
            return self._outlived(method, *args, **params)
        if first is None:
            return self._outlived(method, *args, **params)
        if first.kind == "item" or method in ("show", "follow"):
            return self._items(connection, first)
        return self._result(connection, first)

    def _asked(self, call: dict[str, Json]) -> tuple[wire.Connection, wire.Frame | None]:
        """Send a call; returns the first thing that comes back."""
        try:
            connection = self._idle.pop()  # at once, because several threads may ask
        except IndexError:
            connection = self._connect()
        connection.send("call", call)
        return connection, connection.receive()

    def _outlived(self, method: str, *args: Json, **params: Json) -> Any:
        """The owner ended before it answered."""
        if method not in QUESTIONS:
            raise Conflict("the owner of the store ended before it answered; `outtake runs` tells how its runs stand")
        self._successor = open_service(self._folder)
        return getattr(self._successor, method)(*args, **params)

    def _result(self, connection: wire.Connection, frame: wire.Frame | None) -> Any:
        if frame is None:
            raise ServiceError("the owner of the store ended before it answered")
        self._idle.append(connection)
        if frame.kind == "error":
            kind = KINDS.get(frame.fields["code"], ServiceError)
            if kind is BadBody:
                raise BadBody(frame.fields["message"], frame.fields.get("schema"))
            raise kind(frame.fields["message"])
        return frame.fields["result"]

    def _items(self, connection: wire.Connection, frame: wire.Frame | None) -> Iterator[Any]:
        while frame is not None and frame.kind == "item":
            yield frame.fields["result"]
            frame = connection.receive()
        self._result(connection, frame)

    def close(self) -> None:
        for connection in self._idle:
            connection.close()
        if self._successor is not None:
            self._successor.close()
