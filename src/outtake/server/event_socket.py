"""Pushing: a source's news go out over a WebSocket, as arrays of events, until the reader hangs up.

A thread for each reader sleeps until its source changes, reads what is new, and waits until that has been sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from concurrent.futures import CancelledError, Future
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from outtake.server.auth import PROTOCOL
from outtake.server.encoding import encode
from outtake.server.event_feed import Source
from outtake.service import ServiceError

LINGER = 0.25
"""Seconds in which a run that has just ended may still have a word: its last records may be on their way."""
PATIENCE = 5.0
"""Seconds for a reader's thread to notice that the reader is gone."""


class _Pump(threading.Thread):
    """Brings a source's news to an event loop, which sends them."""

    def __init__(self, source: Source, websocket: WebSocket) -> None:
        super().__init__(name="outtake-push", daemon=True)
        self._source = source
        self._websocket = websocket
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

    def run(self) -> None:
        try:
            # The socket or the loop is gone, or the run was deleted: there is nobody to tell, or nothing.
            with contextlib.suppress(WebSocketDisconnect, CancelledError, ServiceError, RuntimeError):
                self._push()
        finally:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ended.set)

    def _push(self) -> None:
        source = self._source
        while source.watch.wait(LINGER if source.over else None):
            sent = time.monotonic()
            self._send(source.news())
            while source.more and not source.watch.closed:
                self._send(source.news())
            self._pause(source.tick - (time.monotonic() - sent))

    def _send(self, events: list[dict[str, Any]]) -> None:
        if events:
            done: Future[None] = asyncio.run_coroutine_threadsafe(self._websocket.send_text(encode(events)), self._loop)
            done.result()

    def _pause(self, seconds: float) -> None:
        """Let news gather; a reader that hangs up meanwhile is noticed after it."""
        if seconds > 0:
            time.sleep(seconds)

    async def ended(self) -> None:
        await self._ended.wait()


async def push(websocket: WebSocket, source: Source) -> None:
    """Serve one reader, from the opening of the socket to its end."""
    await websocket.accept(PROTOCOL if PROTOCOL in websocket.scope.get("subprotocols", ()) else None)
    pump = _Pump(source, websocket)
    pump.start()
    ended, hung_up = asyncio.ensure_future(pump.ended()), asyncio.ensure_future(_hung_up(websocket))
    try:
        await asyncio.wait({ended, hung_up}, return_when=asyncio.FIRST_COMPLETED)
        if ended.done() and not hung_up.done():
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await websocket.close(1000, "there is no more to come")
    finally:
        hung_up.cancel()
        # Its lock may be taken for a while, so not here.
        asyncio.get_running_loop().run_in_executor(None, source.watch.close)
        await asyncio.wait({ended}, timeout=PATIENCE)
        ended.cancel()


async def _hung_up(websocket: WebSocket) -> None:
    """Only the server speaks; what the reader says is not read, but its end is noticed."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        continue
