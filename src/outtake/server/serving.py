"""Serving: find a port, say where the pages are, and serve them until someone ends it."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

import uvicorn

from outtake.server.app import create_app
from outtake.server.auth import Endpoint, Keys
from outtake.server.ui import Ui
from outtake.service import Service, WrongUse
from outtake.service.errors import Conflict
from outtake.service.receiving import Receiver

PORT = 8765
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
PATIENCE = 3
"""Seconds for requests that are still being answered when the server is to end."""


class PortInUse(Conflict):
    """Another program listens at the port."""


def serve(
    service: Service,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    open_browser: bool = True,
    ready: Callable[[str, str], None] | None = None,
    otlp: bool = False,
) -> None:
    """Serve the API and the pages until Ctrl-C or SIGTERM; `service` stays open.

    Without `port` it is 8765, or a free one where that is in use.  `ready` is told the address with its token, and
    where spans are sent (empty without `otlp`); without it, both are printed.  Raises `PortInUse`, and `WrongUse` for a
    host that is none.
    """
    listening = listen(host, port)
    pages = Pages(Endpoint(host, listening.getsockname()[1]), Keys())

    def say() -> None:
        (ready or _print)(pages.address(), pages.spans() if otlp else "")
        service.announce(url=pages.address())
        if open_browser:
            pages.open()

    _warn(pages.place, port)
    with _interruptible(), listening:
        receiver = Receiver(service, _say) if otlp else None
        try:
            _Server(configure(service, pages.keys, pages.place, receiver=receiver), say).run(sockets=[listening])
        finally:
            if receiver is not None:
                receiver.close()


@contextlib.contextmanager
def served(service: Service, *, host: str = "127.0.0.1", port: int | None = None) -> Iterator[Pages]:
    """Serve from a thread of this process, while the caller does something else with the same service."""
    listening = listen(host, port)
    pages = Pages(Endpoint(host, listening.getsockname()[1]), Keys())
    with listening:
        up = threading.Event()
        server = _Server(configure(service, pages.keys, pages.place), up.set)
        thread = threading.Thread(target=server.run, args=([listening],), name="outtake-pages", daemon=True)
        thread.start()
        up.wait(PATIENCE)
        service.announce(url=pages.address())
        try:
            yield pages
        finally:
            server.should_exit = True
            thread.join(2 * PATIENCE)


@dataclass(frozen=True, slots=True)
class Pages:
    """Pages that are being served."""

    place: Endpoint
    keys: Keys

    def address(self, path: str = "/") -> str:
        """Where a page is, with the token, for who reads it."""
        return f"{self.place.url}{path}?token={self.keys.token}"

    def spans(self) -> str:
        """The endpoint of an OTLP exporter, with the token."""
        return f"{self.place.url}/otlp/{self.keys.token}"

    def open(self, path: str = "/") -> None:
        """Open a page in the user's browser, where there is a screen; its command line can be read by others."""
        if has_screen():
            address = f"{self.place.url}{path}?token={self.keys.once()}"
            threading.Thread(target=webbrowser.open, args=(address,), name="outtake-browser", daemon=True).start()


class _Server(uvicorn.Server):
    """Says where it is once it answers and has its signal handlers: who reads the address may end it at once."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def configure(
    service: Service, keys: Keys, place: Endpoint, ui: Ui | None = None, receiver: Receiver | None = None
) -> uvicorn.Config:
    """How uvicorn serves it: no token gets into a log, and pushing within the machine costs no compression."""
    return uvicorn.Config(
        create_app(service, keys, place, ui, receiver),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=64 << 10,  # nothing is expected
        ws_per_message_deflate=not place.loopback,
        timeout_graceful_shutdown=PATIENCE,
    )


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens at a port: the one asked for, 0 for any free one, or the usual one if that is free."""
    if port is not None:
        return _bound(host, port)
    try:
        return _bound(host, PORT)
    except PortInUse:
        return _bound(host, 0)


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server((str(address[0]), port), family=family)
    except socket.gaierror as error:
        told = f"{host!r} is no address of this machine: {error.strerror}; --host takes 127.0.0.1, for example"
        raise WrongUse(told) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            told = f"port {port} of {host} is in use; choose another with --port N, or --port 0 for a free one"
            raise PortInUse(told) from error
        told = f"cannot listen at port {port} of {host}: {error.strerror}; choose another --port or --host"
        raise WrongUse(told) from error


def _warn(place: Endpoint, asked: int | None) -> None:
    if asked is None and place.port != PORT:
        _say(f"port {PORT} is in use, so this is port {place.port}; choose one with --port N")
    if not place.loopback:
        _say(
            f"warning: listening on {place.host}, beyond this machine. Who has the token can run programs here, and "
            "the connection is not encrypted: others on the network can read it"
        )


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _print(url: str, spans: str) -> None:
    sys.stdout.write(f"Outtake is at {url}\n(Ctrl-C ends it)\n")
    if spans:
        sys.stdout.write(f"Spans are taken at OTEL_EXPORTER_OTLP_ENDPOINT={spans}\n")
    sys.stdout.flush()


def has_screen() -> bool:
    """Whether a browser that is opened here has somewhere to show itself."""
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in SCREENS)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM ends it as Ctrl-C does.  The server finishes first, then raises what it got again; that ends here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
