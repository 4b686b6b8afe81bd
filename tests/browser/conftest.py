"""Fixtures of the tests in a browser: `served` is a server, `visit` opens pages on it, `page` is one at 1280 x 720.

After each test, no page may have asked another host, written an error into its console, or gone against the policy.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "playwright.sync_api", reason="the tests in a browser are left out: scripts/test --browser runs them"
)

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.ground import BOUND, FLAGS, SCREENSHOTS, Camera, Served, Troubles, chromium
from tests.browser.programs import autogen, team, writers, wrong

__all__ = ["autogen", "team", "writers", "wrong"]
Visit = Callable[..., Page]
"""`visit(path="/", **options)`: a page in a context of its own; the options are those of a context."""
SIZE = {"width": 1280, "height": 720}
REPORT = pytest.StashKey[pytest.TestReport]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[REPORT] = report
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=BOUND * 1000)  # a busy machine is slow, and no test is about time
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def troubles(served: Served) -> Iterator[Troubles]:
    watched = Troubles(served.place)
    yield watched
    assert watched.left() == []


@pytest.fixture
def camera() -> Camera:
    return Camera(SCREENSHOTS)


@pytest.fixture
def visit(
    browser: Browser, served: Served, troubles: Troubles, camera: Camera, request: pytest.FixtureRequest
) -> Iterator[Visit]:
    opened: list[BrowserContext] = []

    def visited(path: str = "/", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": SIZE, "reduced_motion": "reduce", **options})
        opened.append(context)
        context.set_default_timeout(BOUND * 1000)
        troubles.watch(context)
        page = context.new_page()
        page.goto(served.address(path))
        return page

    yield visited
    report = request.node.stash.get(REPORT, None)
    pages = [page for context in opened for page in context.pages]
    for number, page in enumerate(pages):
        if report is not None and report.failed:
            camera.shoot(page, f"failed-{request.node.name}-{number}")
    for context in opened:
        context.close()


@pytest.fixture
def page(visit: Visit) -> Page:
    """The first page of the user interface."""
    return visit()
