"""The overview and the time line: canvases that a person reads and moves in by pointer and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import BOUND, Camera, Document, Served


@pytest.fixture
def forked(served: Served, writers: str) -> list[Document]:
    """r1 and r2, which left it at the second writer's model call; the records of r1."""
    run = served.run(writers)
    served.ended(run)
    records: list[Document] = served.ask("GET", f"/api/runs/{run}/records")["records"]
    calls = [told["seq"] for told in records if told["kind"] == "invocation_started" and told["call"] == "model"]
    edit = {"op": "mock_output", "seq": calls[1], "value": "Paris is closed."}
    served.ask("POST", f"/api/runs/{run}/fork", {"at": calls[1], "edits": [edit], "name": "closed", "repeat": "run"})
    served.ended("r2")
    return records


def picture(page: Page, name: str) -> Locator:
    """A canvas, once something is in it."""
    found = page.get_by_role("application", name=re.compile(name))
    expect(found).to_be_visible(timeout=BOUND * 1000)
    return found


def starts(records: list[Document], *, parent: int | None = None, call: str | None = None) -> list[int]:
    """Numbers of the records that begin invocations."""
    return [
        told["seq"]
        for told in records
        if told["kind"] == "invocation_started"
        if parent is None or told.get("parent") == parent
        if call is None or told["call"] == call
    ]


def at(number: int) -> re.Pattern[str]:
    return re.compile(rf"[?&]at={number}\b")


def test_the_overview_by_keyboard(visit: Visit, served: Served, forked: list[Document], camera: Camera) -> None:
    page = visit("/runs/r2?bottom=overview")
    overview = picture(page, "2 runs, one column each")
    overview.focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(at(0))
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(at(1))
    page.keyboard.press("End")
    expect(page.get_by_text(f"r2, record {served.ended('r2')['records'] - 1}: Run ends")).to_be_attached()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text(f"r1, record {forked[-1]['seq']}: Run ends")).to_be_attached()
    camera.shoot(page, "overview-cursor")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/runs/r1\b.*at={forked[-1]['seq']}\b"))
    expect(picture(page, "2 runs")).to_be_focused()


def test_the_overview_by_mouse(visit: Visit, forked: list[Document], camera: Camera) -> None:
    page = visit("/runs/r1?bottom=overview")
    overview = picture(page, "2 runs, one column each")
    panel = page.get_by_label("Panel below the history")
    table = panel.get_by_role("table", name="Runs of this tree")
    cells = table.get_by_role("row").filter(has_text="closed").get_by_role("cell")
    expect(cells.first).to_contain_text("r1 at")
    expect(cells.nth(2)).to_have_text("1")
    panel.get_by_label("Colour by").select_option("sender")
    chosen = panel.get_by_role("button", name=re.compile("writer"))
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    camera.shoot(page, "overview-brought-out")
    panel.get_by_role("button", name="Show all", exact=True).click()
    expect(chosen).to_have_attribute("aria-pressed", "false")
    for _ in range(4):
        panel.get_by_role("button", name="Zoom in").click()
    panel.get_by_role("button", name="Show all of it").click()
    box = overview.bounding_box()
    assert box is not None
    overview.click(position={"x": 100, "y": 2})
    expect(page).to_have_url(at(0))
    panel.get_by_role("link", name=re.compile("r2")).click()
    expect(page).to_have_url(re.compile(r"/runs/r2\b"))
    expect(panel.get_by_role("link", name=re.compile("r2"))).to_have_attribute("aria-current", "page")


def test_the_time_line_by_keyboard(visit: Visit, forked: list[Document], camera: Camera) -> None:
    page = visit("/runs/r1?bottom=trace")
    picture(page, "Calls of the run").focus()
    (whole,) = starts(forked, call="flow")
    inside = starts(forked, parent=whole)
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(at(whole))
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(at(inside[0]))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(at(inside[1]))
    page.keyboard.press("ArrowUp")
    expect(page).to_have_url(at(whole))
    page.keyboard.press("Enter")
    page.keyboard.press("+")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("0")
    camera.shoot(page, "trace-order")


def test_the_time_line_by_mouse(visit: Visit, forked: list[Document], camera: Camera) -> None:
    page = visit("/runs/r1?bottom=trace")
    line = picture(page, "Calls of the run")
    box = line.bounding_box()
    assert box is not None
    line.click(position={"x": box["width"] / 2, "y": 8})
    expect(page).to_have_url(at(starts(forked, call="flow")[0]))
    panel = page.get_by_label("Panel below the history")
    panel.get_by_text("Time", exact=True).click()
    expect(panel.get_by_text(re.compile(r"\d m?s$")).first).to_be_attached()
    page.reload()
    picture(page, "Calls of the run")
    expect(panel.get_by_role("radio", name="Time")).to_be_checked()
    camera.shoot(page, "trace-time")
