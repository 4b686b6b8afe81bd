"""The user's commands are carried out on the event loop of the program, where its state may be touched."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
from collections.abc import Callable

from outtake_probe.commands import BadValue
from outtake_probe.records import Json

TIMEOUT = 10.0
"""Seconds that a command waits for the program's event loop."""


def perform_on(loop: asyncio.AbstractEventLoop | None, act: Callable[[], Json], *, timeout: float = TIMEOUT) -> Json:
    """The result of `act`, called on `loop` from any thread; called at once where no such loop runs elsewhere.

    Raises what `act` raises, and `BadValue` where the loop has not called it within `timeout` seconds; then it is never
    called.
    """
    if loop is None or _running_loop() is loop or not loop.is_running():
        return act()
    result: concurrent.futures.Future[Json] = concurrent.futures.Future()
    loop.call_soon_threadsafe(functools.partial(_settle, result, act))
    try:
        return result.result(timeout)
    except concurrent.futures.TimeoutError:
        if result.cancel():
            raise BadValue("the program is busy: its event loop did not answer, so nothing was changed") from None
        return result.result()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _settle(result: concurrent.futures.Future[Json], act: Callable[[], Json]) -> None:
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(act())
    except BaseException as error:  # noqa: BLE001  it is raised again where the command came from
        result.set_exception(error)
