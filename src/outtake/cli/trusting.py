"""Asking before the program of a run is started that came in a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from outtake.cli.context import Document, Front

TrustOption = Annotated[
    bool, typer.Option("--trust", help="Start the program of a run that came in a file, without asking.")
]


def trusting(front: Front, trust: bool, asked: Callable[[bool], Document]) -> Document:
    """What `asked` gives when it is told whether the program is trusted; a person at a terminal is asked once.

    Raises `Untrusted` where nobody can be asked, and `typer.Abort` for a no.
    """
    from outtake.service.errors import Untrusted  # noqa: PLC0415  as in `Front.service`

    try:
        return asked(trust)
    except Untrusted as error:
        if not front.interactive:
            raise
        front.say(str(error))
        typer.confirm("Start it?", abort=True)
        return asked(True)
