"""The window: views by key, panels that take all the room and come back, the minimap, and what a small window does."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Document, Served, Troubles, findings

VIEWS = ("Story", "Compare", "Trace", "Graph", "Console", "Overview")
LAST = "() => document.querySelector('[role=grid]').scrollTop"


@pytest.fixture
def forked(served: Served, wrong: Document) -> None:
    """r2 goes on from the demo's record 90 as that was."""
    served.ask("POST", "/api/runs/r1/fork", {"at": 90, "edits": [], "name": "the same"})
    served.ended("r2")


def story(page: Page) -> Locator:
    return page.get_by_role("grid", name="Story")


def minimap(page: Page) -> Locator:
    return page.get_by_role("scrollbar", name="Where in the run")


def test_every_view_has_a_key_and_the_story_keeps_its_place(visit: Visit, forked: None) -> None:
    page = visit("/runs/r2?at=90")
    views = page.get_by_role("navigation", name="Views")
    expect(story(page).get_by_role("row", selected=True)).to_be_in_viewport()
    page.keyboard.press("1")
    expect(story(page)).to_be_focused()
    for key, name in enumerate(VIEWS[1:], 2):
        page.keyboard.press(str(key))
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
        expect(views.get_by_role("button", name=name)).to_have_attribute("aria-current", "page")
        expect(page).to_have_url(re.compile(f"full={name.lower()}"))
        expect(story(page)).to_be_hidden()
    page.reload()
    expect(page.get_by_role("region", name="Overview")).to_be_visible()
    page.keyboard.press("6")  # the same key again goes back
    expect(story(page)).to_be_focused()
    page.keyboard.press("3")
    page.get_by_role("button", name="Back to the story").click()
    expect(story(page)).to_be_visible()
    story(page).hover()
    page.mouse.wheel(0, 300)
    page.wait_for_function(f"() => ({LAST})() >= 300")
    before = page.evaluate(LAST)
    page.keyboard.press("2")
    expect(story(page)).to_be_hidden()
    page.keyboard.press("1")
    expect(story(page)).to_be_visible()
    assert page.evaluate(LAST) == before


def test_a_view_is_docked_and_every_panel_takes_all_the_room(visit: Visit, forked: None) -> None:
    page = visit("/runs/r2?full=trace")
    page.get_by_role("button", name="Move Trace").click()
    page.get_by_role("menuitem", name="Dock Trace below the story").click()
    docked = page.get_by_role("tabpanel", name="Trace")
    expect(docked).to_be_visible()
    expect(story(page)).to_be_visible()
    page.get_by_role("button", name="Maximise Trace").click()
    expect(page.get_by_role("region", name="Trace")).to_be_visible()
    expect(docked).to_be_hidden()
    page.keyboard.press("m")
    expect(docked).to_be_visible()
    beside = page.get_by_role("complementary", name="Panel beside the history")
    beside.get_by_role("tab").first.focus()
    for _ in range(2):
        page.keyboard.press("m")
        expect(beside).to_be_hidden()
        expect(page.get_by_role("region", name="Inspector")).to_be_visible()
        page.keyboard.press("m")
        expect(beside).to_be_visible()
    page.get_by_role("button", name="Close Trace").click()
    expect(docked).to_be_hidden()


def test_the_inspector_has_the_full_height(visit: Visit, forked: None) -> None:
    page = visit("/runs/r2?bottom=trace")
    expect(page.get_by_role("tabpanel", name="Trace")).to_be_visible()
    beside = page.get_by_role("complementary", name="Panel beside the history").bounding_box()
    below = page.get_by_role("region", name="Panel below the history").bounding_box()
    assert beside is not None
    assert below is not None
    assert beside["y"] + beside["height"] == below["y"] + below["height"] == 720
    assert below["x"] + below["width"] <= beside["x"]


def test_a_click_in_the_minimap_scrolls_the_story_there(visit: Visit, forked: None, camera: Camera) -> None:
    page = visit("/runs/r1?at=5&why=true")
    bar = minimap(page)
    expect(page.get_by_role("region", name="What led to it")).to_be_visible()
    expect(bar).to_have_attribute("aria-valuetext", re.compile(r"records 0 to \d+"))
    box = bar.bounding_box()
    assert box is not None
    rows = int(bar.get_attribute("aria-valuemax") or 0) + 1
    high = min(4.0, (box["height"] - 12) / rows)
    bar.click(position={"x": 10, "y": 6 + high * (rows - 2)})
    answered = story(page).get_by_role("row").filter(has_text="FINAL ANSWER").first  # the end of the run says it again
    expect(answered).to_be_in_viewport()
    expect(page).to_have_url(re.compile(r"at=5\b"))  # what is selected stays so
    camera.shoot(page, "minimap")
    bar.focus()
    page.keyboard.press("Home")
    expect(story(page).get_by_text("The run begins")).to_be_in_viewport()
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('#story [role=grid]').scrollTop > 100")
    for _ in range(4):  # a card may be higher than the window
        page.keyboard.press("PageDown")
    expect(bar).not_to_have_attribute("aria-valuenow", "0")
    page.mouse.move(box["x"] + 10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, box["y"] + high * rows, steps=5)
    page.mouse.up()
    answered = story(page).get_by_role("row").filter(has_text="FINAL ANSWER").first  # the end of the run says it again
    expect(answered).to_be_in_viewport()
    bar.click(position={"x": 24, "y": 6 + high * (rows - 2)})  # the fork's column
    expect(page).to_have_url(re.compile(r"/runs/r2\?.*at=\d\d\d"))
    expect(story(page).get_by_role("row", selected=True)).to_be_in_viewport()
    page.get_by_role("button", name="Open the overview large").click()
    expect(page.get_by_role("application", name=re.compile("2 runs, one column each"))).to_be_visible()


def test_a_fork_that_was_stopped_before_any_record_of_its_own_has_a_column(
    visit: Visit, served: Served, writers: str
) -> None:
    run = served.run(writers)
    served.ended(run)
    asked = {"at": 5, "edits": [], "pause": True}
    fork = served.ask("POST", f"/api/runs/{run}/fork", asked)["run"]
    page = visit(f"/runs/{fork}")
    expect(page.get_by_role("banner").get_by_role("status")).to_contain_text("Held")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("banner").get_by_role("status")).to_contain_text("Stopped")
    other = visit(f"/runs/{run}?full=overview")
    expect(other.get_by_role("application", name=re.compile("2 runs, one column each"))).to_be_visible()
    expect(other.get_by_role("link", name=re.compile(fork))).to_be_visible()


def test_a_small_window_has_one_column_and_drawers(visit: Visit, forked: None, camera: Camera) -> None:
    page = visit("/runs/r2", viewport={"width": 640, "height": 720})
    expect(story(page)).to_be_visible()
    expect(page.get_by_role("navigation", name="Components and breakpoints")).to_be_hidden()
    expect(page.get_by_role("dialog")).to_have_count(0)
    camera.shoot(page, "narrow")
    assert findings(page) == []
    page.get_by_role("button", name="Components", exact=True).click()
    drawer = page.get_by_role("dialog", name="Components")
    drawer.get_by_role("treeitem", name=re.compile("WebSurfer")).first.click()
    expect(drawer).to_be_hidden()
    beside = page.get_by_role("dialog", name="Panel beside the history")
    expect(beside.get_by_role("tabpanel", name="Inspector")).to_contain_text("WebSurfer")
    camera.shoot(page, "narrow-drawer")
    assert findings(page) == []
    page.keyboard.press("Escape")
    expect(beside).to_be_hidden()
    page.keyboard.press("3")
    expect(page.get_by_role("region", name="Trace")).to_be_visible()
    for name in VIEWS:
        page.get_by_role("navigation", name="Views").get_by_role("button", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("tab", name="Inspector").click()
    expect(beside.get_by_role("tabpanel", name="Inspector")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.get_by_role("complementary", name="Panel beside the history")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_window_has_names_and_a_heading(visit: Visit, forked: None) -> None:
    page = visit("/runs/r2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Run r2 the same")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="All commands")).to_be_visible()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.goto(page.url.partition("/runs")[0])
    page.get_by_role("button", name="New run").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(dialog).to_be_hidden()


NOTICES = """
    window.told = [];
    window.Notification = class extends EventTarget {
        static permission = "default";
        static requestPermission = async () => (window.Notification.permission = "granted");
        constructor(title, { body }) { super(); window.told.push([title, body]); }
        close() {}
    };
"""
AWAY = "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })"


def test_who_looks_elsewhere_is_told_of_a_run(visit: Visit, served: Served, writers: str) -> None:
    waiting = served.run(writers, input="Oslo", breakpoints=["tool:publish"])
    busy = served.run("writers.py:forever")
    page = visit("/")
    page.add_init_script(NOTICES)
    page.goto(f"{served.place}/runs/{waiting}")
    expect(page.get_by_role("banner").get_by_role("status")).to_contain_text("Held")
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notify me", pressed=True)).to_be_visible()
    assert page.evaluate("window.told") == []
    page.evaluate(AWAY)
    served.ask("POST", f"/api/runs/{busy}/pause", {})
    page.wait_for_function(
        f"() => window.told.some(([title]) => title.startsWith('{busy}') && title.endsWith('is held'))"
    )
    served.ask("POST", f"/api/runs/{waiting}/continue", {})
    page.wait_for_function(
        f"() => window.told.some(([title]) => title.startsWith('{waiting}') && title.endsWith('finished'))"
    )
    served.ask("POST", f"/api/runs/{busy}/stop", {})


def test_a_page_asks_for_the_address_of_a_server_that_was_started_again(
    visit: Visit, served: Served, writers: str, troubles: Troubles
) -> None:
    troubles.allow("WebSocket|Failed to|401|ERR_|Unable to preload")
    run = served.run(writers)
    served.ended(run)
    page = visit(f"/runs/{run}")
    expect(story(page)).to_be_visible()
    old = served.address()
    served.stop()
    notice = page.get_by_role("alert", name="The server")
    expect(notice).to_contain_text("does not answer")
    expect(notice).to_contain_text("outtake serve")
    served.start()
    notice.get_by_role("button", name="Try now").click()
    expect(notice).to_contain_text("was started again")
    assert findings(page) == []
    field = notice.get_by_role("textbox", name="Address that the server printed")
    field.fill("hello")
    field.press("Enter")
    expect(notice).to_contain_text("There is no token in this")
    field.fill(old)
    field.press("Enter")
    expect(notice).to_contain_text("does not know this token")
    field.fill(served.address())
    field.press("Enter")
    expect(notice).to_be_hidden()
    page.keyboard.press("2")
    expect(page.get_by_role("region", name="Compare")).to_be_visible()
    page.reload()
    expect(story(page)).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Run {run}")
