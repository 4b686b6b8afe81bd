"""What goes wrong, as the user should read it.

ServiceError        the message names the thing, the reason and the way out
  WrongUse          what was asked for does not exist or does not fit
    NotFound        a run, a record, a file
    BadBody         a value that the target does not accept, with the schema of what it does
  Conflict          not now: the run has ended, the store has another owner
"""

from __future__ import annotations

from outtake_probe.records import Json


class ServiceError(Exception):
    """Something could not be done."""

    code = "error"


class WrongUse(ServiceError):
    """What was asked for cannot be; nothing was changed."""

    code = "wrong_use"


class NotFound(WrongUse):
    """The thing that was named is not there."""

    code = "not_found"


class BadBody(WrongUse):
    """A value does not fit."""

    code = "bad_body"

    def __init__(self, message: str, schema: Json = None) -> None:
        super().__init__(message)
        self.schema = schema


class Conflict(ServiceError):
    """It could be done at another time."""

    code = "conflict"


KINDS: dict[str, type[ServiceError]] = {cls.code: cls for cls in (ServiceError, WrongUse, NotFound, BadBody, Conflict)}
