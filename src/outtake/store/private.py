"""Files that only their owner can read, from their first moment on."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

FOLDER, DATABASE = ".outtake", "outtake.db"
_OTHERS = 0o077


def private_folder(folder: Path) -> None:
    """Make the folder of a store.  Raises `OSError`, also where it belongs to another user.

    One that was there before is closed to others, too, if it is a store's own: by its name, or because it is empty.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sys.platform == "win32":
        return
    found = folder.stat()
    if found.st_uid != os.geteuid():
        if os.geteuid() != 0:
            raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
    elif found.st_mode & _OTHERS and (folder.name == FOLDER or not any(folder.iterdir())):
        folder.chmod(0o700)


def private_file(path: Path) -> None:
    """Make an empty file before anything is written to it, or close one that is there to others."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        close_to_others(path, handle)
    finally:
        os.close(handle)


def close_to_others(path: Path, handle: int | None = None) -> None:
    """Take others' rights to a file away, where it has any."""
    if sys.platform != "win32" and stat.S_IMODE(os.stat(path if handle is None else handle).st_mode) & _OTHERS:
        os.chmod(path if handle is None else handle, 0o600)
