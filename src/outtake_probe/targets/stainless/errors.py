"""An error of a client library on its way through the gate.

The gate sees it without the library's frames, because their locals hold headers and keys; the program sees it with the
frames it had.  One from the record gets the request and the response that it had, as far as they are known.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class Errors:
    """The errors of one request."""

    def __init__(self, complete: Callable[[BaseException], None]) -> None:
        self.complete = complete
        self.failure: tuple[BaseException, TracebackType | None] | None = None
        self.inside = _Inside(self)
        """Around the library's own code."""
        self.outside = _Outside(self)
        """Around the gate."""


class _Inside:
    def __init__(self, errors: Errors) -> None:
        self._errors = errors

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, GeneratorExit):
            self._errors.failure = error, trace
            try:
                raise error.with_traceback(None)
            finally:
                del error, trace  # see `outtake_probe.gate.invoke`: a frame must not keep an error


class _Outside:
    def __init__(self, errors: Errors) -> None:
        self._errors = errors

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        failure, self._errors.failure = self._errors.failure, None
        if failure is not None and failure[0] is error:
            try:
                raise failure[0].with_traceback(failure[1])
            finally:
                del failure, error, trace
        if error is not None:
            self._errors.complete(error)
