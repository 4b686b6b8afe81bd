"""Where runs are kept: one SQLite file, in tables that PostgreSQL can hold as well."""

from outtake.store.errors import Damaged, NewerFormat, NotWritten, Overtaken, StoreError, UnknownBody, UnknownRun
from outtake.store.store import Store

__all__ = ["Damaged", "NewerFormat", "NotWritten", "Overtaken", "Store", "StoreError", "UnknownBody", "UnknownRun"]
