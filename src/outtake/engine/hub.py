"""The hub: where debugged processes and clients connect to the owner of a store."""

from __future__ import annotations

import contextlib
import hmac
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from outtake_probe import wire
from outtake_probe.records import Json
from outtake_probe.wire import Connection, Frame, ProtocolError

Handler = Callable[[Connection, dict[str, Json]], None]


class Hub:
    """Listens, checks who comes, and hands each connection to the handler of its role, in a thread of its own."""

    def __init__(self, folder: Path, token: str, handlers: dict[str, Handler]) -> None:
        self._socket, self.address = wire.listen(str(folder))
        self._token = token
        self._handlers = handlers
        self._open: set[Connection] = set()
        self._closed = False
        threading.Thread(target=self._accept, name="outtake-hub", daemon=True).start()

    def close(self) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in list(self._open):
            connection.close()
        family, _, path = self.address.partition(":")
        if family == "unix":
            with contextlib.suppress(OSError):
                Path(path).unlink()

    def _accept(self) -> None:
        while not self._closed:
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            connection = Connection(sock)
            threading.Thread(target=self._serve, args=(connection,), name="outtake-connection", daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        self._open.add(connection)
        try:
            hello = connection.receive()
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
            self._open.discard(connection)
            connection.close()

    def _refusal(self, hello: Frame) -> str:
        fields = hello.fields
        if hello.kind != "hello" or fields.get("role") not in self._handlers:
            return f"the first frame is a hello of a {' or '.join(self._handlers)}, not {hello.kind}"
        if not hmac.compare_digest(str(fields.get("token", "")), self._token):
            return "the token is wrong: the server was started anew, or this is another store's"
        if fields.get("protocol") != wire.PROTOCOL:
            return (
                f"this server speaks version {wire.PROTOCOL} of the probe protocol, the {fields['role']} version "
                f"{fields.get('protocol')}: use the same release of Outtake on both sides"
            )
        return ""
