"""What the routes ask for again and again."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Path, Query
from starlette.requests import HTTPConnection

from outtake.service import Service


def _service(connection: HTTPConnection) -> Service:
    return cast(Service, connection.app.state.service)


Using = Annotated[Service, Depends(_service)]
RunId = Annotated[str, Path(description="A run, as in r7", max_length=16)]
After = Annotated[int, Query(ge=-1, le=2**53, description="Only what has a number over this")]
