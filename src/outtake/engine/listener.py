"""The listener: where debugged processes and clients connect to the owner of a store."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from outtake_probe import wire
from outtake_probe.records import Json
from outtake_probe.wire import Connection, Frame, ProtocolError, sockets

Handler = Callable[[Connection, dict[str, Json]], None]
Admits = Callable[[Mapping[str, Json]], bool]
"""Whether the token of a hello is right."""
AGAIN = 0.2
"""Seconds until a connection is accepted again after the system had nothing left for one."""
LEAVE = 10.0
"""Seconds in which the threads of connections that were closed should be done."""
log = logging.getLogger(__name__)


class Listener:
    """Listens, checks who comes, and hands each connection to the handler of its role, in a thread of its own."""

    def __init__(self, folder: Path, admits: Admits, handlers: dict[str, Handler]) -> None:
        self._socket, self.address = sockets.listen(str(folder))
        self._admits = admits
        self._handlers = handlers
        self._open: dict[Connection, threading.Thread] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        threading.Thread(target=self._accept, name="outtake-listener", daemon=True).start()

    def close(self) -> None:
        """Hang up on everybody, and wait until what they sent has been taken."""
        with self._lock:
            self._closed.set()
            served = list(self._open.items())
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection, _ in served:
            connection.close()
        for _, thread in served:
            if thread is not threading.current_thread():
                thread.join(LEAVE)
        family, _, path = self.address.partition(":")
        if family == "unix":
            with contextlib.suppress(OSError):
                Path(path).unlink()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                sock, _ = self._socket.accept()
            except OSError as error:  # no descriptor is left, or who connected has gone
                if not self._closed.is_set():
                    log.warning("a connection could not be accepted: %s", error)
                self._closed.wait(AGAIN)
                continue
            if not sockets.is_trusted(sock):
                sock.close()
                continue
            self._take(Connection(sock))

    def _take(self, connection: Connection) -> None:
        """Serve a connection in a thread of its own."""
        thread = threading.Thread(target=self._serve, args=(connection,), name="outtake-connection", daemon=True)
        with self._lock:
            if not self._closed.is_set():
                self._open[connection] = thread
                try:
                    thread.start()
                except RuntimeError as error:  # no thread is left
                    log.warning("a connection could not be served: %s", error)
                else:
                    return
                del self._open[connection]
        connection.close()

    def _serve(self, connection: Connection) -> None:
        try:
            hello = connection.receive(wire.FIRST)
            if hello is None:
                return
            reason = self._refusal(hello)
            if reason:
                connection.send("refuse", {"reason": reason, "protocol": wire.PROTOCOL})
                return
            self._handlers[hello.fields["role"]](connection, hello.fields)
        except (OSError, ProtocolError):
            return  # the other side is gone, or was no probe
        finally:
            with self._lock:
                self._open.pop(connection, None)
            connection.close()

    def _refusal(self, hello: Frame) -> str:
        fields = hello.fields
        if hello.kind != "hello" or fields.get("role") not in self._handlers:
            return f"the first frame is a hello of a {' or '.join(self._handlers)}, not {hello.kind}"
        if fields.get("protocol") != wire.PROTOCOL:
            return (
                f"this server speaks version {wire.PROTOCOL} of the probe protocol, the {fields['role']} version "
                f"{fields.get('protocol')}: use the same release of Outtake on both sides"
            )
        if not self._admits(fields):
            return "the token is wrong: it is not of this run, or not of the process that owns the store now"
        return ""
