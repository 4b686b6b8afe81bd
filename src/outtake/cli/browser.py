"""A run in the browser while a command conducts it: the command's own process serves the pages, as long as it lasts.

Where another process owns the store, the pages are that one's, if it serves any.
"""

from __future__ import annotations

import shlex
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Protocol
from urllib.parse import urlsplit

import typer

from outtake.cli.context import Front
from outtake.cli.problems import Problem

if TYPE_CHECKING:
    from outtake.server import Pages
    from outtake.service import Service

UiOption = Annotated[
    bool | None,
    typer.Option(
        "--ui/--no-ui",
        help="Show the run in the browser, and stay until Ctrl-C (default: at a terminal, where there is a screen).",
    ),
]


class Beside(Protocol):
    """The pages beside one command."""

    def show(self, run: str) -> None:
        """Say where a run can be seen, and open it there."""

    def leave(self) -> None:
        """The user has enough."""

    def stay(self, run: str) -> None:
        """The run has ended: where its pages would end with this command, wait until the user has enough."""


class Own:
    """Pages that this process serves."""

    def __init__(self, front: Front, pages: Pages) -> None:
        self._front = front
        self._pages = pages
        self._left = False

    def show(self, run: str) -> None:
        self._front.say(f"in the browser: {self._pages.address(page_of(run))}  (Ctrl-C ends the run)")
        self._pages.open(page_of(run))

    def leave(self) -> None:
        self._left = True

    def stay(self, run: str) -> None:
        if self._left:
            return
        try:
            self._front.say(f"\n{run} stays open at {self._pages.address(page_of(run))}  (Ctrl-C ends this)")
            threading.Event().wait()
        except KeyboardInterrupt:
            self._front.say("")


class Others:
    """Pages of the process that owns the store; they go on without this command."""

    def __init__(self, front: Front, url: str, *, screen: bool) -> None:
        self._front = front
        self._url = url
        self._screen = screen

    def show(self, run: str) -> None:
        self._front.say(f"in the browser: {at(self._url, run)}")
        if self._screen:  # who has opened those pages before needs no token; a command line can be read by others
            webbrowser.open(at(self._url, run).partition("?")[0])

    def leave(self) -> None:
        pass

    def stay(self, run: str) -> None:
        pass


@contextmanager
def beside(front: Front, service: Service, asked: bool | None, *, headless: bool) -> Iterator[Beside | None]:
    """The pages beside what follows, where they are asked for or there is somebody to see them."""
    if asked and headless:
        raise Problem("--ui waits until a person has seen enough, and --headless says that nobody watches: use one")
    if asked is False or headless or not (asked or front.interactive):
        yield None
        return
    from outtake.server import has_screen, served  # noqa: PLC0415  it brings a web framework

    screen, url = has_screen(), _others_url(service)
    if not (asked or screen):
        yield None
    elif front.owns(service):
        with served(service) as pages:
            yield Own(front, pages)
    elif url is not None:
        yield Others(front, url, screen=screen)
    elif asked:
        told = f"another process owns the store {front.folder} and serves no pages: end it first, or leave out --ui"
        raise Problem(told, "conflict")
    else:
        yield None


def hint(front: Front, service: Service, run: str) -> str:
    """How to see a run in the browser that is not seen there now."""
    if front.owns(service):
        return f"outtake serve --store {shlex.quote(front.store)}" if front.store else "outtake serve"
    url = _others_url(service)
    return at(url, run) if url is not None else ""


def at(url: str, run: str) -> str:
    """The address of a run's page, from that of the first page."""
    return urlsplit(url)._replace(path=page_of(run)).geturl()


def page_of(run: str) -> str:
    return f"/runs/{run}"


def _others_url(service: Service) -> str | None:
    return getattr(service, "url", None)
