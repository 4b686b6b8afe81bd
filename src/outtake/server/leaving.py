"""Questions whose client has gone are given up, instead of being answered to the end for nobody."""

from __future__ import annotations

import asyncio
import threading

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outtake.service import GivenUp, wanted_while

ASKING = ("GET", "HEAD")
"""Methods that change nothing: anything else is done to its end."""


class Leaving:
    """The middleware that notices that a client hangs up while its question is worked on."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ASKING:
            await self.app(scope, receive, send)
            return
        gone = threading.Event()
        heard: asyncio.Queue[Message] = asyncio.Queue(1)

        async def listen() -> None:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    gone.set()
                await heard.put(message)
                if gone.is_set():
                    return

        listening = asyncio.create_task(listen())
        try:
            with wanted_while(lambda: not gone.is_set()):
                await self.app(scope, heard.get, send)
        except GivenUp:
            return
        finally:
            listening.cancel()
