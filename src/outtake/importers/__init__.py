"""Importers: logs of other programs, read as runs that can be looked at, searched, compared and annotated.

One module reads one kind of log, and knows it by its content.  A package adds one of its own by an entry point in the
group `registry.GROUP` that names an `Importer`; what such a one needs is exported here, and docs/importing.md has an
example.
"""

from outtake.importers.conversation import Conversation
from outtake.importers.log import (
    TEAM,
    USER,
    BadLog,
    Call,
    Event,
    Importer,
    Log,
    LogMessage,
    Part,
    Prompt,
    Remark,
    Usage,
)
from outtake.importers.source import Packed, Source

__all__ = [
    "TEAM",
    "USER",
    "BadLog",
    "Call",
    "Conversation",
    "Event",
    "Importer",
    "Log",
    "LogMessage",
    "Packed",
    "Part",
    "Prompt",
    "Remark",
    "Source",
    "Usage",
]
