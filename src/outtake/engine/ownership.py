"""One process owns a store at a time: it holds the lock, and says in a file how to reach it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from outtake.store.private import private_file, private_folder
from outtake_probe.wire.owners import FILE, announced

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Owned(Exception):
    """Another process owns the store; `owner` is what it says of itself."""

    def __init__(self, folder: Path, owner: Mapping[str, str]) -> None:
        super().__init__(f"{folder} is owned by process {owner.get('pid', '?')}")
        self.owner = owner


class Ownership:
    """The lock of a store's folder, held until `release` or the end of the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        private_folder(folder)
        private_file(folder / "lock")
        self._file: IO[str] = open(folder / "lock", "a+", encoding="utf-8")  # noqa: SIM115  held as long as we own
        try:
            _lock(self._file)
        except OSError:
            self._file.close()
            raise Owned(folder, owner(folder) or {}) from None

    def announce(self, fields: Mapping[str, str]) -> None:
        """Say how to reach this process; only this user can read it."""
        path = self.folder / FILE
        part = path.with_suffix(".part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump({"pid": str(os.getpid()), **fields}, file)
        os.replace(part, path)

    def release(self) -> None:
        with contextlib.suppress(OSError):
            (self.folder / FILE).unlink()
        self._file.close()


def owner(folder: Path) -> dict[str, str] | None:
    """What the store's owner says of itself, or None where nobody owns it."""
    return announced(str(folder))


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
