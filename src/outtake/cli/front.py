"""What every command has in its hands: where to print, in which form, and the way to the service."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from outtake.cli.problems import OutputGone, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from outtake.service import Service

Document = dict[str, Any]
PIPE_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Front:
    """One command of a user: as JSON on standard output, or as text for a person; news and errors on standard error."""

    json: bool = False
    store: str | None = None
    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        return not self.json and sys.stdin is not None and sys.stdin.isatty() and self.out.is_terminal

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        from outtake.service.access import store_folder  # noqa: PLC0415  see `service`

        return store_folder(self.store)

    @contextmanager
    def service(self) -> Iterator[Service]:
        """The service of the store, with its errors as problems of the command.

        Imported here, because it brings the database: `outtake --help` and wrong use need not wait for that.
        """
        from outtake.service import ServiceError  # noqa: PLC0415
        from outtake.service.access import open_service  # noqa: PLC0415

        try:
            service = open_service(self.folder)
            try:
                yield service
            finally:
                service.close()
        except ServiceError as error:
            raise Problem(str(error), error.code, getattr(error, "schema", None)) from error
        except ConnectionError as error:
            raise Problem(f"the owner of the store {self.folder} went away: {error}", "conflict") from error

    def owns(self, service: Service) -> bool:
        """Whether this process owns the store, and so starts the programs that are debugged."""
        from outtake.service import Service  # noqa: PLC0415  see `service`

        return isinstance(service, Service)

    def document(self, document: Any) -> None:
        """One JSON document, on a line of its own."""
        try:
            sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise OutputGone from error

    def documents(self, documents: Iterable[Any]) -> None:
        for document in documents:
            self.document(document)

    def say(self, text: str) -> None:
        """A line for the person at the terminal, which is no part of a JSON result."""
        (self.err if self.json else self.out).print(text, highlight=False, markup=False, soft_wrap=True)

    def news(self, text: str) -> None:
        """Something worth knowing that is not the result."""
        self.err.print(text, style="dim", highlight=False, markup=False, soft_wrap=True)


class _Output(Console):
    """A console that tells when who read it has gone."""

    def on_broken_pipe(self) -> None:
        raise OutputGone


def _console(*, stderr: bool) -> Console:
    """Colours and the real width on a terminal; in a pipe plain, and no line is broken."""
    console = _Output(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console
