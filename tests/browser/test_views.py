"""Every view, light and dark: a picture to look at, and no serious finding of an accessibility checker."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Document, Served, findings
from tests.browser.programs import REMEDY

VIEWS: Mapping[str, str] = {
    "runs": "/",
    "run": "/runs/r2",
    "message": "/runs/r2?at=91",
    "calls": "/runs/r2?at=91&density=calls",
    "records": "/runs/r2?at=91&density=records",
    "error-filter": "/runs/r2?q=nobody+says+this",
    "component": "/runs/r1?component=team%2FWebSurfer",
    "overview": "/runs/r2?full=overview&side=none",
    "trace": "/runs/r2?full=trace&at=106",
    "graph": "/runs/r2?bottom=graph",
    "compare": "/runs/r2?full=compare&vs=r1",
    "pending": "/runs/r2?mode=held",
    "changes": "/runs/r2?tray=true",
    "console": "/runs/r2?full=console",
    "docked": "/runs/r2?bottom=trace&at=106",
}


@pytest.fixture
def forked(served: Served, wrong: Document) -> None:
    """r2, the fork of the demo with the right answer."""
    (message,) = [
        record["seq"]
        for record in served.ask("GET", "/api/runs/r1/records?kind=message_queued&bodies=1")["records"]
        if str(record.get("body")).count("Identify the player") and record["recipient"].endswith("WebSurfer")
        if len(str(record["body"])) < 700
    ][:1]
    edit = {
        "op": "replace_message",
        "seq": message,
        "value": REMEDY,
    }
    served.ask("POST", "/api/runs/r1/fork", {"at": message, "edits": [edit], "name": "demo, edited"})
    assert "519" in served.ended("r2")["output"]["answer"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view(visit: Visit, forked: None, camera: Camera, scheme: str) -> None:
    page = visit("/", color_scheme=scheme)
    place = page.url.rstrip("/")
    told: list[str] = []
    for name, path in VIEWS.items():
        page.goto(place + path)
        expect(page.get_by_role("main").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        camera.shoot(page, f"{name}-{scheme}")
        told += [f"{name} ({scheme}): {finding}" for finding in findings(page)]
    assert told == []


@pytest.mark.parametrize("size", [(1280, 720), (2560, 1440)])
def test_nothing_overflows_the_window(visit: Visit, forked: None, camera: Camera, size: tuple[int, int]) -> None:
    page = visit("/runs/r2?at=91", viewport={"width": size[0], "height": size[1]})
    expect(page.get_by_role("article")).to_be_visible()
    page.wait_for_load_state("networkidle")
    camera.shoot(page, f"window-{size[0]}")
    scrolls = page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    assert max(scrolls) <= 0


def test_an_empty_store_says_what_to_do(visit: Visit, camera: Camera) -> None:
    page = visit("/")
    expect(page.get_by_text("outtake run").first).to_be_visible()
    expect(page.get_by_role("button", name="New run").first).to_be_visible()
    camera.shoot(page, "empty")
    assert findings(page) == []


def test_a_page_that_is_not_there(visit: Visit, camera: Camera) -> None:
    page = visit("/nowhere")
    expect(page.get_by_text("There is nothing here")).to_be_visible()
    camera.shoot(page, "nowhere")


def test_commands_by_name(visit: Visit, forked: None, camera: Camera) -> None:
    page = visit("/runs/r2")
    expect(page.get_by_role("grid", name="Story")).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("textbox", name="Command")
    expect(field).to_be_focused()
    field.fill("trace")
    camera.shoot(page, "palette")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Trace")).to_be_visible()
    expect(field).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(field).to_be_focused()
    field.fill("91")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Record 91")).to_be_visible()
    page.reload()
    expect(page.get_by_role("article", name="Record 91")).to_be_visible()
    expect(page.get_by_role("region", name="Trace")).to_be_visible()
