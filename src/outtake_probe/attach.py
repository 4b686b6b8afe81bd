"""`attach`: a script, or a kernel, that the user starts joins the server of its folder."""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING

from outtake_probe.attached import active
from outtake_probe.handover import claim
from outtake_probe.wire.owners import STORE, announced

if TYPE_CHECKING:
    from outtake_probe.process import Joined
    from outtake_probe.records import Json


class NoServer(RuntimeError):
    """No server to attach to; the message says where was looked and how to start one."""


def attach(*, store: str | os.PathLike[str] | None = None, pause: bool = False) -> None:
    """Debug this process from here on, with the server whose store is found in this folder or above it.

    Start the server with ``outtake serve``.  Does nothing in a process that is debugged already.
    `store` names another folder than ``.outtake``; `pause` holds at the first gate.
    Raises `NoServer` when none is running there.
    """
    if active() is not None:
        return
    script = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    atexit.register(join_server({"script": script, "args": sys.argv[1:], "pause": pause}, store).leave)


def join_server(told: dict[str, Json], store: str | os.PathLike[str] | None = None) -> Joined:
    """Join the server of this folder, and tell it what this process is.  Raises `NoServer`."""
    from outtake_probe import connection, process  # noqa: PLC0415  attaching loads the debugger, importing must not

    hello: dict[str, Json] = {"attach": {**told, "folder": os.getcwd()}}
    if sys.executable:
        hello["attach"]["executable"] = sys.executable
    handed = claim()
    if handed is not None:
        return process.join(connection.Address(handed.address, handed.secret, handed.run, hello, handed.store))
    folder, owner = _owner(os.fspath(store) if store is not None else os.environ.get(STORE))
    return process.join(connection.Address(owner["address"], owner["token"], None, hello, folder))


def _owner(store: str | None) -> tuple[str, dict[str, str]]:
    """The folder of a store that somebody owns, and how to reach the owner.  Raises `NoServer`."""
    here = os.getcwd()
    above = [here]
    while os.path.dirname(above[-1]) != above[-1]:
        above.append(os.path.dirname(above[-1]))
    folders = [os.path.abspath(store)] if store is not None else [os.path.join(folder, ".outtake") for folder in above]
    for folder in folders:
        if (found := announced(folder)) is not None:
            return folder, found
    raise NoServer(f"no Outtake server owns {folders[0]} or a folder above it; start one there with `outtake serve`")
