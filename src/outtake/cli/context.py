"""What every command has in its hands: where to print, in which form, and the way to the service."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from outtake.cli.output import console, write_json
from outtake.cli.problems import OutputGone, Problem

if TYPE_CHECKING:
    from pathlib import Path

    from outtake.service import Service

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Front:
    """One command of a user: as JSON on standard output, or as text for a person; news and errors on standard error."""

    json: bool = False
    store: str | None = None
    out: Console = field(default_factory=lambda: console(stderr=False))
    err: Console = field(default_factory=lambda: console(stderr=True))

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        return not self.json and sys.stdin is not None and sys.stdin.isatty() and self.out.is_terminal

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        from outtake.service.rpc_client import store_folder  # noqa: PLC0415  see `service`

        return store_folder(self.store)

    @contextmanager
    def service(self) -> Iterator[Service]:
        """The service of the store, with its errors as problems of the command.

        Imported here, because it brings the database: `outtake --help` and wrong use need not wait for that.
        """
        from outtake.service import ServiceError  # noqa: PLC0415
        from outtake.service.rpc_client import open_service  # noqa: PLC0415

        try:
            service = open_service(self.folder)
            try:
                yield service
            finally:
                left = service.close()
                if left:
                    self.news(f"not ended: {', '.join(left)}, of other commands, which take the store over")
        except ServiceError as error:
            raise Problem(str(error), error.code, getattr(error, "schema", None)) from error
        except ConnectionError as error:
            raise Problem(f"the owner of the store {self.folder} went away: {error}", "conflict") from error

    def owns(self, service: Service) -> bool:
        """Whether this process owns the store, and so starts the programs that are debugged."""
        from outtake.service.rpc_client import owned  # noqa: PLC0415  see `service`

        return owned(service)

    def document(self, document: Any) -> None:
        """One JSON document, on a line of its own."""
        try:
            write_json(document)
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
