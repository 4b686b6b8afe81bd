"""Who may talk to the owner of a store: the token of this owner, and a secret for each run.

The secret of a run comes from a key that lies in the store and never leaves it: the process of a run knows its secret,
and finds the next owner with it when this one has ended.  It opens nothing but that run.  The token is for the user's
other commands; it is new with each owner, and stands in a file that only the user can read.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from outtake.core.runs import Run
from outtake.store.private import private_file

FILE = "key"
_FORMER = "token"
"""What an earlier Outtake kept: it stood in the list of processes."""
_SIZE = 32


class Keys:
    """The token and the key of the store in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_urlsafe(24)
        self._key = _kept(folder / FILE)
        with contextlib.suppress(OSError):
            (folder / _FORMER).unlink()

    def of_run(self, run: Run) -> str:
        """The secret of a run.  Another run that gets its number has another one."""
        return hmac.new(self._key, f"{run.id} {run.seed} {run.created}".encode(), hashlib.sha256).hexdigest()


def same(given: str, secret: str) -> bool:
    """Whether two texts are the same, found out in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _kept(path: Path) -> bytes:
    private_file(path)
    key = path.read_bytes()
    if len(key) == _SIZE:
        return key
    key = secrets.token_bytes(_SIZE)
    part = path.with_suffix(".part")
    private_file(part)
    part.write_bytes(key)
    os.replace(part, path)
    return key
