"""What a store raises, and how the damage of its file is told."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import zstandard
from sqlalchemy.exc import DBAPIError

UNREADABLE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,
    zstandard.ZstdError,
)
"""What comes of a row that is not as it was written."""
MALFORMED = ("malformed", "not a database", "corrupt")
"""What the database says of a file that is damaged."""
WAY_OUT = (
    "it is damaged. Put a copy of the folder back, or end what uses it and save what can be read: "
    "sqlite3 outtake.db .recover | sqlite3 saved.db, then put saved.db in its place"
)


class StoreError(Exception):
    """The store cannot do what was asked; the message says why and what to do."""


class NewerFormat(StoreError):
    """The store was written by a newer Outtake."""


class NotWritten(StoreError):
    """There is no room, or the file cannot be written just now: what was to be written may be tried again."""


class Overtaken(StoreError):
    """Somebody else has meanwhile removed what this refers to, or refers to what this would remove."""


class UnknownRun(StoreError):
    """There is no such run."""


class UnknownBody(StoreError):
    """There is no such body, or not all of it."""


class Damaged(StoreError):
    """The file does not hold what was written to it."""


def unreadable(path: Path, error: Exception, what: str) -> StoreError:
    """What to raise for an error of the database, or of a row that is not as it was written."""
    reason = error.orig if isinstance(error, DBAPIError) else error
    kind = "" if isinstance(reason, sqlite3.Error) else f"{type(reason).__name__}: "
    told = f"{path} {what}: {kind}{one_line(reason)}"
    failed = isinstance(reason, sqlite3.OperationalError) and not any(word in told for word in MALFORMED)
    return StoreError(told) if failed else Damaged(f"{told}; {WAY_OUT}")


def one_line(reason: object) -> str:
    """What the database says, on one line."""
    return " ".join(str(reason).split())[:300]
