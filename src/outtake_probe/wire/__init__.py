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
import select
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outtake_probe.records import Json
from outtake_probe.wire import sockets

PROTOCOL = 1
HEAD = struct.Struct("!II")
LIMIT = 1 << 30
FIRST = 1 << 20
"""Bytes of a first frame: who sends it is not known yet."""
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

    def receive(self, limit: int = LIMIT) -> Frame | None:
        """The next frame, or None at the end.  Raises `ProtocolError` for what is no frame of up to `limit` bytes."""
        head = self._exactly(HEAD.size)
        if head is None:
            return None
        length, payload = HEAD.unpack(head)
        if length + payload > limit:
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

    def abandon(self) -> None:
        """Close this process's copy of the socket, which goes on being another process's."""
        self._sock.close()

    @property
    def is_open(self) -> bool:
        """Whether the other side is there, as far as is known without waiting; for the thread that reads."""
        try:
            readable, _, _ = select.select([self._sock], [], [], 0)
            return not readable or bool(self._sock.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False

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
    nodes: list[Node] = []
    try:
        fields = json.loads(header)
        kind = fields.pop("t")
        at = 0
        for name, size in fields.pop("nodes", ()):
            nodes.append((name, payload[at : at + size]))
            at += size
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ProtocolError(f"not a frame of the probe protocol: {header[:80]!r}") from error
    if not isinstance(kind, str) or not all(isinstance(name, str) for name, _ in nodes):
        raise ProtocolError(f"not a frame of the probe protocol: {header[:80]!r}")
    return Frame(kind, fields, nodes, head + header + payload if kind == "records" else b"")


def connect(address: str) -> Connection:
    """A connection to the server at `address`, see `outtake_probe.wire.sockets`.  Raises `OSError`."""
    return Connection(sockets.connect(address))
