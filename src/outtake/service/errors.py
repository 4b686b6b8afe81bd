"""What goes wrong, as the user should read it.

ServiceError        the message names the thing, the reason and the way out
  WrongUse          what was asked for does not exist or does not fit
    NotFound        a run, a record, a file
    BadBody         a value that the target does not accept, with the schema of what it does
  Conflict          not now: the run has ended, the store has another owner
    Untrusted       it would start what came in a file; the user has to say so
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec, TypeVar

from outtake.store import Overtaken, StoreError, UnknownRun
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


class Untrusted(Conflict):
    """It would start a program that the user has not chosen: that of a run which came in a file."""

    code = "untrusted"


KINDS: dict[str, type[ServiceError]] = {
    cls.code: cls for cls in (ServiceError, WrongUse, NotFound, BadBody, Conflict, Untrusted)
}

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def translated(cls: type[C]) -> type[C]:
    """The store's errors as the service's, in every public method."""
    for name, method in list(vars(cls).items()):
        if callable(method) and not name.startswith("_"):
            setattr(cls, name, _translating(method))
    return cls


def _translating(method: Callable[P, R]) -> Callable[P, R]:
    @wraps(method)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        with _of_the_store():
            return method(*args, **kwargs)

    return wrapper


@contextlib.contextmanager
def _of_the_store() -> Iterator[None]:
    try:
        yield
    except UnknownRun as error:
        raise NotFound(str(error)) from error
    except Overtaken as error:
        raise Conflict(str(error)) from error
    except StoreError as error:
        raise ServiceError(str(error)) from error
    except OverflowError as error:
        raise NotFound("a number is larger than any that there is") from error
    except RecursionError as error:
        raise ServiceError("something in the record is nested too deeply to be read") from error
