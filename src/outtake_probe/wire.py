"""The probe protocol: frames over a local socket between a debugged process and the server.

A frame is a JSON header and a payload of nodes (see `outtake_probe.bodies`), each with its length in front.  The first
frame of the probe says which protocol it speaks; the server answers ``welcome`` or ``refuse`` with a reason.

=================  =========  ==============================================================
frame              from       meaning
=================  =========  ==============================================================
hello              probe      protocol, run, token, process, number of the next record
records            probe      records in order, with the nodes that the server has not seen
console            probe      what the process printed
held, freed        probe      an invocation or a message is held; it is not any more
replay             probe      the prefix was replayed: the program is live, or it diverged
done               probe      the result of a command
need               probe      names of nodes that the probe wants
described          probe      the body that says what the target was made of, now that it has ended
ended              probe      the target returned; the process is about to leave
welcome, refuse    server     the connection stands (settings, plan, stance), or why not
ack                server     every record before this number is stored
stance             server     run, pause, step, breakpoints
release            server     the answer for something that is held
do                 server     a command for the target: edit, drop, move, send, configure
nodes              server     the nodes that were asked for
stop               server     end the program
=================  =========  ==============================================================
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outtake_probe.records import Json

PROTOCOL = 1
HEAD = struct.Struct("!II")
LIMIT = 1 << 30
Node = tuple[str, bytes]


class ProtocolError(ConnectionError):
    """The other side does not speak this protocol; the message says what came instead."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: what it is (`kind`), its fields, and the nodes that came with it."""

    kind: str
    fields: dict[str, Json]
    nodes: Sequence[Node] = ()
    raw: bytes = b""
    """The bytes that it came as, for a frame of records."""


_encode = json.JSONEncoder(separators=(",", ":")).encode


def pack(kind: str, fields: dict[str, Json], nodes: Sequence[Node] = ()) -> bytes:
    header: dict[str, Json] = {"t": kind, **fields}
    if nodes:
        header["nodes"] = [(name, len(data)) for name, data in nodes]
    head = _encode(header).encode()
    payload = b"".join(data for _, data in nodes)
    return HEAD.pack(len(head), len(payload)) + head + payload


class Connection:
    """A socket that carries frames; any thread may send, one thread reads."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()
        self._buffer = bytearray()

    def send(self, kind: str, fields: dict[str, Json], nodes: Sequence[Node] = ()) -> None:
        """Send one frame.  Raises `OSError` when the other side is gone."""
        data = pack(kind, fields, nodes)
        with self._lock:
            self._sock.sendall(data)

    def receive(self) -> Frame | None:
        """The next frame, or None at the end.  Raises `ProtocolError` for what is no frame."""
        head = self._exactly(HEAD.size)
        if head is None:
            return None
        length, payload = HEAD.unpack(head)
        if length + payload > LIMIT:
            raise ProtocolError(f"a frame of {length + payload} bytes is no frame of the probe protocol")
        header, rest = self._exactly(length), self._exactly(payload)
        if header is None or rest is None:
            return None
        return _frame(head, header, rest)

    def _exactly(self, size: int) -> bytes | None:
        while len(self._buffer) < size:
            data = self._sock.recv(1 << 18)
            if not data:
                return None
            self._buffer += data
        out = bytes(self._buffer[:size])
        del self._buffer[:size]
        return out

    @property
    def buffered(self) -> bool:
        """Whether part of another frame has already arrived."""
        return bool(self._buffer)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the other side was faster
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()


def read_frames(data: bytes) -> Iterator[Frame]:
    """The frames in `data`; a last one that is incomplete is left out."""
    at = 0
    while at + HEAD.size <= len(data):
        length, payload = HEAD.unpack_from(data, at)
        begin, end = at + HEAD.size, at + HEAD.size + length + payload
        if end > len(data):
            return
        yield _frame(data[at:begin], data[begin : begin + length], data[begin + length : end])
        at = end


def _frame(head: bytes, header: bytes, payload: bytes) -> Frame:
    try:
        fields = json.loads(header)
        kind = fields.pop("t")
        sizes = fields.pop("nodes", ())
    except (ValueError, KeyError, AttributeError) as error:
        raise ProtocolError(f"not a frame of the probe protocol: {header[:80]!r}") from error
    nodes: list[Node] = []
    at = 0
    for name, size in sizes:
        nodes.append((name, payload[at : at + size]))
        at += size
    return Frame(kind, fields, nodes, head + header + payload if kind == "records" else b"")


def connect(address: str) -> Connection:
    """A connection to the server at `address`: ``unix:PATH`` or ``tcp:PORT`` (loopback).  Raises `OSError`."""
    family, _, place = address.partition(":")
    if family == "unix" and sys.platform != "win32":
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.connect(place)
        except OSError:
            sock.close()
            raise
        return Connection(sock)
    if family == "tcp":
        return Connection(socket.create_connection(("127.0.0.1", int(place)), timeout=None))
    raise OSError(f"{address!r} is no address of an Outtake server (unix:PATH or tcp:PORT)")


def listen(directory: str) -> tuple[socket.socket, str]:
    """A listening socket that only this user can reach, and its address."""
    path = os.path.join(directory, "probe.sock")
    if sys.platform != "win32" and len(path.encode()) < 100:
        if os.path.exists(path):
            os.unlink(path)
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.bind(path)
        os.chmod(path, 0o600)
        sock.listen(64)
        return sock, "unix:" + path
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind(("127.0.0.1", 0))
    sock.listen(64)
    return sock, f"tcp:{sock.getsockname()[1]}"
