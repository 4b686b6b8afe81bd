"""Where runs are kept: one SQLite file, in tables that PostgreSQL can hold as well."""

from outtake.store.store import NewerFormat, NotWritten, Store, StoreError, UnknownRun

__all__ = ["NewerFormat", "NotWritten", "Store", "StoreError", "UnknownRun"]
