"""The pages: the user interface at every address that is nobody else's, and one that needs no script."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException

from outtake.server import page, serializers
from outtake.server import ui as built
from outtake.server.routes.dependencies import Using
from outtake.server.ui import Ui
from outtake.service import Service

router = APIRouter(include_in_schema=False)
FOR_EVER = "private, max-age=31536000, immutable"


class _PageConvertor(PathConvertor):
    """Any path that is not of the API: there, what is not found is an error in the API's form."""

    regex = "(?!api(?:/|$)).*"


register_url_convertor("page", _PageConvertor())


@router.get("/plain")
def show_runs(service: Using) -> HTMLResponse:
    return _plain(service, hint=False)


@router.get("/plain.css")
def show_style() -> Response:
    return Response(page.STYLE, media_type="text/css")


@router.get("/assets/{name:path}")
def send_asset(request: Request, name: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """A file that is named by its content."""
    file = _ui(request).file(f"assets/{name}")
    if file is None:
        raise HTTPException(404, "there is no such file; reload the page")
    headers = {"Cache-Control": FOR_EVER, "Vary": "Accept-Encoding"}
    kind, smaller = built.media_type(file), built.packed(file, accept_encoding)
    if smaller is None:
        return FileResponse(file, media_type=kind, headers=headers)
    form, content = smaller
    return Response(content, media_type=kind, headers={**headers, "Content-Encoding": form})


@router.get("/{path:page}")
def show_ui(request: Request, service: Using, path: str) -> Response:
    """The user interface, which finds by the address what to show; without it, the plain page."""
    ui = _ui(request)
    if not ui.is_built:
        return _plain(service, hint=True)
    if file := ui.file(path):
        return FileResponse(file, media_type=built.media_type(file))
    return HTMLResponse(ui.page(request.state.nonce))


def _ui(request: Request) -> Ui:
    return cast(Ui, request.app.state.ui)


def _plain(service: Service, *, hint: bool) -> HTMLResponse:
    text = page.runs(serializers.branches(service.tree()), without_ui=hint)
    return HTMLResponse(text.encode("utf-8", "replace"))  # a program may say what is no valid Unicode
