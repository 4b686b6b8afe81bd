"""What the owner of a store says of itself: how to reach it, in a file that only this user can read."""

from __future__ import annotations

import json
import os
import sys

FILE = "owner.json"
STORE = "OUTTAKE_STORE"
"""Environment variable with the store's folder, for what a debugged process starts: it holds no secret."""


def announced(folder: str) -> dict[str, str] | None:
    """What the store's owner says of itself, or None where nobody owns it, or another user wrote that."""
    try:
        with open(os.path.join(folder, FILE), encoding="utf-8") as file:
            if sys.platform != "win32" and os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            found = json.load(file)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
