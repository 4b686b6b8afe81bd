"""Runs as files.  What is sent and received are bytes: nobody names a path on the server."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from outtake.server.models.runs import Imported, Vacuumed
from outtake.server.routes.dependencies import RunId, Using
from outtake.server.sharing import share
from outtake.service import Service, WrongUse
from outtake.service.service import Document

router = APIRouter(prefix="/api", tags=["files"])
BINARY = "application/octet-stream"
PIECE = 1 << 20
LARGEST = 4 << 30
"""Bytes of the largest file that is taken."""
_FILE = {"content": {BINARY: {"schema": {"type": "string", "format": "binary"}}}}
_UPLOAD = {"requestBody": {"required": True, **_FILE}}
_Folder = tempfile.TemporaryDirectory[str]


@router.get("/runs/{run}/export", response_class=StreamingResponse, responses={200: _FILE})
def export_run(service: Using, run: RunId) -> StreamingResponse:
    """A run, what it was forked from and all that was said, as one file that import reads."""
    with contextlib.ExitStack() as kept:
        folder = _folder()
        kept.enter_context(folder)
        told = service.export(run, str(_file(folder)))
        kept.pop_all()  # now who reads it removes it
    headers = {
        "Content-Disposition": f'attachment; filename="{told["run"]}.outtake"',
        "Content-Length": str(told["bytes"]),
        "Content-Encoding": "identity",  # it is packed already
    }
    return StreamingResponse(_pieces(folder), media_type=BINARY, headers=headers)


@router.get("/runs/{run}/share", response_class=HTMLResponse)
def share_run(service: Using, run: RunId) -> HTMLResponse:
    """A run as one HTML file that opens without Outtake and without a network."""
    name = f'attachment; filename="{run}.html"'
    return HTMLResponse(share(service, run), headers={"Content-Disposition": name})


@router.post("/import", status_code=201, response_model=Imported, openapi_extra=_UPLOAD)
async def import_run(
    service: Using,
    request: Request,
    name: Annotated[str, Query(max_length=200, description="What the file is called")] = "",
) -> Document:
    """Take a file that export has made, or a log of another program; its runs get new names here."""
    folder = await run_in_threadpool(_folder)
    try:
        await _receive(request, _file(folder))
        return await run_in_threadpool(_import, service, _file(folder), name or "a log")
    finally:
        await run_in_threadpool(folder.cleanup)


def _folder() -> _Folder:
    return tempfile.TemporaryDirectory(prefix="outtake-")


def _file(folder: _Folder) -> Path:
    return Path(folder.name, "run.outtake")


def _pieces(folder: _Folder) -> Iterator[bytes]:
    """The file in pieces; it is removed when they have been sent, or when nobody wants them any more."""
    with folder, open(_file(folder), "rb") as file:
        while piece := file.read(PIECE):
            yield piece


@router.post("/vacuum", response_model=Vacuumed)
def vacuum(service: Using) -> Document:
    """Remove texts that no run refers to, and give the space of what was deleted back to the file system."""
    return service.vacuum()


async def _receive(request: Request, path: Path) -> None:
    file = await run_in_threadpool(path.open, "wb")
    try:
        async for piece in request.stream():
            await run_in_threadpool(file.write, piece)
            if file.tell() > LARGEST:
                raise WrongUse(f"the file is larger than {LARGEST >> 30} GiB; use `outtake import` where the server is")
    finally:
        await run_in_threadpool(file.close)


def _import(service: Service, path: Path, name: str) -> Document:
    try:
        return service.import_(str(path), name)
    except WrongUse as error:
        raise WrongUse(str(error).replace(str(path), "the file")) from error
