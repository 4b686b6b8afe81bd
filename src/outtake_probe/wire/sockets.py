"""Local sockets that only this user can reach, and who is at the other end of one.

On Windows, where Python has no Unix sockets, it is a loopback port; anywhere else never.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator

NAME = "probe.sock"
LONGEST = 100
"""Bytes of a path that every system takes as the address of a socket."""
_ROOT = 0
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1


class WrongPeer(ConnectionError):
    """Another user's process is at the other end."""


def listen(directory: str) -> tuple[socket.socket, str]:
    """A listening socket for the store in `directory`, and its address.  Raises `OSError`.

    It lies in the store, or, where its path would be too long or the file system has no sockets, in a short folder of
    this user.
    """
    if sys.platform == "win32":
        return _port()
    failed: OSError | None = None
    for path in _paths(directory):
        try:
            return _bound(path), "unix:" + path
        except OSError as error:
            failed = error
    raise failed or OSError(f"there is no place for a socket of {directory}")


def connect(address: str) -> socket.socket:
    """A socket to the server at `address`: ``unix:PATH``, on Windows ``tcp:PORT``.

    Raises `WrongPeer` where another user's process listens there, and `OSError`.
    """
    family, _, place = address.partition(":")
    if sys.platform == "win32" and family == "tcp":
        return socket.create_connection(("127.0.0.1", int(place)), timeout=None)
    if sys.platform == "win32" or family != "unix":
        raise OSError(f"{address!r} is no address of an Outtake server on this system")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.connect(place)
        other = peer(sock)
        if other is not None and other != os.geteuid():
            raise WrongPeer(f"the process that listens at {place} is of another user ({other}), not of {os.geteuid()}")
    except OSError:
        sock.close()
        raise
    return sock


def is_trusted(sock: socket.socket) -> bool:
    """Whether who has connected is this user, or root."""
    other = peer(sock)
    return other is None or other in (os.geteuid(), _ROOT)


def peer(sock: socket.socket) -> int | None:
    """The user whose process is at the other end; None where the system does not say."""
    if sys.platform == "win32" or sock.family != socket.AF_UNIX:
        return None
    system = str(sys.platform)
    if system.startswith("linux"):
        size = struct.calcsize("iII")
        found: tuple[int, int, int] = struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return found[1]
    if system == "darwin" or system.startswith("freebsd"):
        told: tuple[int, int] = struct.unpack_from("II", sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 128))
        return told[1]
    return None


def _port() -> tuple[socket.socket, str]:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind(("127.0.0.1", 0))
    sock.listen(64)
    return sock, f"tcp:{sock.getsockname()[1]}"


def _bound(path: str) -> socket.socket:
    """Nobody can connect before `listen`, and then its rights are set."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(path)
        os.chmod(path, 0o600)
        sock.listen(64)
    except OSError:
        sock.close()
        raise
    return sock


def _paths(directory: str) -> Iterator[str]:
    """Where the socket may be, the same places for every start."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(directory))).hexdigest()[:16] + ".sock"
    for path in (os.path.join(directory, NAME), *(os.path.join(base, name) for base in _short_folders())):
        if len(os.fsencode(path)) < LONGEST:
            yield path


def _short_folders() -> Iterator[str]:
    """Folders that only this user can enter."""
    bases = dict.fromkeys(filter(None, (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp")))
    for base in bases:
        path = os.path.join(base, f"outtake-{os.geteuid()}")
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileExistsError):
                os.mkdir(path, 0o700)
            if _is_private(path):
                yield path
    for base in bases:  # somebody else has taken the name
        with contextlib.suppress(OSError):
            yield tempfile.mkdtemp(prefix="outtake-", dir=base)


def _is_private(path: str) -> bool:
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
