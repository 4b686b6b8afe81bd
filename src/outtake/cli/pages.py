"""The pages in the browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated

import typer

from outtake.cli.commands import command
from outtake.cli.context import Front
from outtake.cli.problems import Problem


@command("serve")
def serve(
    front: Front,
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help="The port (default: 8765, or a free one).")
    ] = None,
    host: Annotated[str, typer.Option(metavar="H", help="The address to listen on.")] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    otlp: Annotated[
        bool | None, typer.Option("--otlp/--no-otlp", help="Take spans that programs send (default: outtake.toml's).")
    ] = None,
) -> None:
    """Serve the pages and the API, and own the store while they are open."""
    from outtake.server import serve as serve_pages  # noqa: PLC0415  it brings a web framework
    from outtake.service.config import takes_spans  # noqa: PLC0415  with the service

    with front.service() as service:
        if not front.owns(service):
            found = getattr(service, "url", None)
            where = f"its pages are at {found}" if found else "end it first, or name another --store"
            raise Problem(f"another process owns the store {front.folder}; {where}", "conflict")
        serve_pages(
            service,
            host=host,
            port=port,
            open_browser=not no_browser,
            ready=_ready(front),
            otlp=takes_spans(os.getcwd()) if otlp is None else otlp,
        )


def _ready(front: Front) -> Callable[[str, str], None] | None:
    """How the address is told, where that is not the server's own way."""
    return (lambda url, spans: front.document({"url": url, "otlp": spans or None})) if front.json else None
