"""A program that runs, in the browser: paused, stepped, held, changed, seen by two, and outliving its server."""

from __future__ import annotations

import re
import signal

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, Troubles, findings


def status(page: Page) -> Locator:
    return page.get_by_role("banner").get_by_role("status")


def pending(page: Page) -> Locator:
    """What is held and queued, opened in the inspector."""
    page.get_by_role("tab", name="Held").click()
    return page.get_by_role("tabpanel", name="Held")


def go_on(page: Page) -> None:
    """The one button that lets a run go on."""
    page.get_by_role("toolbar", name="Control of the run").get_by_role("button", name="Continue").click()


def test_a_running_program_is_paused_stepped_and_stopped(visit: Visit, writers: str, camera: Camera) -> None:
    page = visit("/")
    page.get_by_role("button", name="New run").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Target").fill("writers.py:forever")
    dialog.get_by_label("Start it without an input").check()
    dialog.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="r1", exact=True)).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="look").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(status(page)).to_contain_text("Held")
    before = status(page).inner_text()
    page.keyboard.press("F11")
    expect(status(page)).not_to_have_text(before)
    expect(status(page)).to_contain_text("Held")
    camera.shoot(page, "held")
    page.keyboard.press("F5")
    expect(status(page)).to_contain_text("Running")
    page.keyboard.press("F6")
    expect(status(page)).to_contain_text("Held")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(status(page)).to_contain_text("Stopped")
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()


def test_a_tool_is_held_and_its_result_given(visit: Visit, served: Served, writers: str) -> None:
    run = served.run(writers, input="Oslo Paris", breakpoints=["tool:publish"])
    page = visit(f"/runs/{run}")
    expect(status(page)).to_contain_text("publish is about to run (breakpoint 1")
    panel = page.get_by_role("tabpanel", name="Held")  # a hold opens it
    card = panel.get_by_role("article")
    expect(card).to_contain_text("Oslo (4 marks)")
    assert findings(page) == []
    panel.get_by_role("button", name="Give the result…").click()
    field = panel.get_by_role("textbox", name="What comes back")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    panel.get_by_role("button", name="Give the result…").click()
    field.fill("not today")
    expect(card).to_contain_text("Oslo (4 marks)")  # what is answered stays in sight
    expect(page.get_by_role("toolbar").get_by_role("button", name="Continue")).to_be_disabled()
    page.keyboard.press("F10")  # and nothing else throws it away either
    expect(page.get_by_role("alert").filter(has_text="not set yet")).to_be_visible()
    page.reload()
    expect(field).to_have_value("not today")
    panel.get_by_role("button", name="Set", exact=True).click()
    expect(field).to_be_hidden()
    expect(panel.get_by_role("region", name="What you set")).to_contain_text("not today")
    expect(status(page)).to_contain_text("publish is about to run")
    page.keyboard.press("F5")
    expect(card).to_contain_text("Paris")
    panel.get_by_role("button", name="Give the result…").click()
    panel.get_by_role("button", name="Copy an earlier result").click()
    page.get_by_role("menuitem", name=re.compile("not today")).click()
    expect(field).to_have_value("not today")
    field.fill("nor this")
    panel.get_by_role("button", name="Set and continue").click()
    expect(status(page)).to_contain_text("Completed")
    told = served.ended(run)
    assert told["output"] == "not today; nor this"


def test_an_error_is_looked_at_and_tried_again_with_another_input(
    visit: Visit, served: Served, writers: str, camera: Camera
) -> None:
    run = served.run(writers, input="Oslo Rome", breakpoints=["error"])
    page = visit(f"/runs/{run}?density=records")
    expect(status(page)).to_contain_text("publish has failed")
    panel = pending(page)
    expect(panel).to_contain_text("Rome was published already")
    expect(panel).to_contain_text('raise ValueError("Rome was published already")')
    expect(panel.get_by_role("term").filter(has_text="text")).to_be_visible()
    camera.shoot(page, "error")
    assert findings(page) == []
    panel.get_by_role("button", name="Let it fail").click()
    expect(status(page)).to_contain_text("Failed")  # it is not held again on its way up
    row = page.get_by_role("row").filter(has_text="publish").filter(has_text="called").last
    row.click()
    article = page.get_by_role("article")
    article.get_by_role("button", name="Edit input").click()
    article.get_by_text("JSON", exact=True).first.click()
    field = article.get_by_role("textbox")
    field.fill('{"text": "Rimini is worth a visit."}')
    article.get_by_role("button", name="Change and go on").click()
    expect(status(page)).to_contain_text("Completed")
    assert served.ended("r2")["output"].endswith("published: Rimini is worth a visit.")


def test_two_tabs_show_and_steer_the_same(visit: Visit, served: Served, writers: str) -> None:
    run = served.run("writers.py:forever")
    one, two = visit(f"/runs/{run}"), visit(f"/runs/{run}")
    one.get_by_role("button", name="Pause").click()
    for page in (one, two):
        expect(status(page)).to_contain_text("Held")
    one.get_by_role("treeitem", name=re.compile("look")).focus()
    one.keyboard.press("F9")
    point = two.get_by_role("switch", name=re.compile("Breakpoint tool:.*look"))
    expect(point).to_be_checked()
    point.focus()
    two.keyboard.press("Space")
    expect(one.get_by_role("switch", name=re.compile("Breakpoint tool:.*look"))).not_to_be_checked()
    two.get_by_role("button", name=re.compile("Remove tool:.*look")).click()
    expect(one.get_by_role("region", name="Breakpoints")).to_contain_text("None.")
    two.get_by_role("button", name="Continue").first.click()
    for page in (one, two):
        expect(status(page)).to_contain_text("Running")
    two.get_by_role("button", name="Stop", exact=True).click()
    expect(status(one)).to_contain_text("Stopped")


def test_a_page_outlives_its_server(visit: Visit, served: Served, writers: str, troubles: Troubles) -> None:
    troubles.allow("WebSocket|Failed to|401|ERR_|Unable to preload")
    run = served.run("writers.py:forever")
    page = visit(f"/runs/{run}")
    expect(page.get_by_role("row").filter(has_text="look").first).to_be_visible()
    served.stop(signal.SIGKILL)
    expect(status(page)).to_contain_text("does not answer")
    served.start()
    expect(status(page)).to_contain_text("started again")
    other = page.context.new_page()
    other.goto(served.address(f"/runs/{run}"))  # the address that it printed
    expect(status(other)).to_contain_text("Running")
    expect(status(page)).to_contain_text("Running")
    page.get_by_role("button", name="Pause").click()
    expect(status(other)).to_contain_text("Held")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(status(other)).to_contain_text("Stopped")
