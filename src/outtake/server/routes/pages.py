"""The pages that need no script."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from outtake.server import page, shapes
from outtake.server.routes.given import Using

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_runs(service: Using) -> HTMLResponse:
    text = page.runs(shapes.branches(service.tree()))
    return HTMLResponse(text.encode("utf-8", "replace"))  # a program may say what is no valid Unicode


@router.get("/plain.css")
def show_style() -> Response:
    return Response(page.STYLE, media_type="text/css")
