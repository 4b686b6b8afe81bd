"""`attach`: a script that the user starts joins the server of its folder."""

from __future__ import annotations

import atexit
import json
import os
import sys
from typing import TYPE_CHECKING

from outtake_probe.attached import active

if TYPE_CHECKING:
    from outtake_probe.records import Json

ADDRESS = "OUTTAKE_ADDRESS"
"""Environment variable with the server's address, token and run, for a process that Outtake started."""
OWNER = "owner.json"


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
    from outtake_probe import process  # noqa: PLC0415  attaching loads the debugger, importing must not

    place = _environment() or _owner(os.fspath(store) if store is not None else None)
    script = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
    hello: dict[str, Json] = {"attach": {"script": script, "args": sys.argv[1:], "folder": os.getcwd(), "pause": pause}}
    joined = process.join(place["address"], place["token"], place.get("run"), hello, script)
    atexit.register(joined.leave)


def _environment() -> dict[str, str] | None:
    text = os.environ.get(ADDRESS)
    found: dict[str, str] | None = json.loads(text) if text else None
    return found


def _owner(store: str | None) -> dict[str, str]:
    here = os.getcwd()
    above = [here]
    while os.path.dirname(above[-1]) != above[-1]:
        above.append(os.path.dirname(above[-1]))
    folders = [store] if store is not None else [os.path.join(folder, ".outtake") for folder in above]
    for folder in folders:
        try:
            with open(os.path.join(folder, OWNER), encoding="utf-8") as file:
                found: dict[str, str] = json.load(file)
        except OSError:
            continue
        return found
    raise NoServer(f"no Outtake server owns {folders[0]} or a folder above it; start one there with `outtake serve`")
