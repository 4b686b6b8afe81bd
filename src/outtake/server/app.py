"""The application: the routes, one form of errors, and the door in front of them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.gzip import GZipMiddleware

from outtake.server import problems
from outtake.server.auth import Endpoint, Guard, Keys
from outtake.server.encoding import Plain
from outtake.server.leaving import Leaving
from outtake.server.routes import annotating, events, files, pages, provenance, receiving, runs, searching, steering
from outtake.server.ui import BUILT, Ui
from outtake.service import Service
from outtake.service.receiving import Receiver

WORTH_PACKING = 16 << 10
"""Bytes from which an answer is compressed."""
ABOUT = (
    "Runs of agent teams: start, follow, hold, change, fork and compare them. Every request needs the token of the "
    "server's start, as `Authorization: Bearer TOKEN`; a WebSocket may offer it as the protocol `token.TOKEN`, with "
    "`outtake`."
)


def create_app(
    service: Service, keys: Keys, place: Endpoint, ui: Ui | None = None, receiver: Receiver | None = None
) -> FastAPI:
    """The application for one service at one place; `keys` holds the token that every request must give.

    Without a `receiver` no spans are taken.
    """
    app = describe_app()
    if receiver is not None:
        app.state.receiver = receiver
        app.router.routes[:0] = receiving.router.routes  # before the pages, which take every path
    app.state.service = service
    app.state.ui = ui or Ui(BUILT)
    app.add_middleware(Leaving)
    app.add_middleware(GZipMiddleware, minimum_size=WORTH_PACKING, compresslevel=6)
    app.add_middleware(Guard, keys=keys, place=place, ui=app.state.ui)
    return app


def describe_app() -> FastAPI:
    """The routes and types without a service behind them."""
    app = _Api(
        title="Outtake",
        version="1",
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # its scripts would come from another host
        redoc_url=None,
        default_response_class=Plain,
        responses=problems.ANSWERS,
        generate_unique_id_function=_name,
    )
    problems.install(app)
    for module in (runs, searching, provenance, annotating, steering, files, events, pages):
        app.include_router(module.router)
    return app


class _Api(FastAPI):
    """Describes each kind of error once; the routes refer to it."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            self.openapi_schema = problems.shared(super().openapi())
        return self.openapi_schema


def _name(route: APIRoute) -> str:
    """What a generated client calls a route."""
    return route.name
