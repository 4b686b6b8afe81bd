"""The tour of the README, by mouse and by keyboard: a mistake is found, one message changed, the answer right."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Document, Served
from tests.browser.programs import REMEDY

MISTAKE = "Identify the player with the most walks"


def wait_for_right_answer(page: Page, run: str) -> None:
    """The fork is shown, and has ended with the right answer."""
    expect(page).to_have_url(re.compile(rf"/runs/{run}\b"))
    bar = page.get_by_role("banner")
    expect(bar.get_by_text("Completed")).to_be_visible()
    expect(bar.get_by_text("right answer")).to_be_visible()
    expect(page.get_by_label(f"Run {run}", exact=True)).to_contain_text("FINAL ANSWER: 519")


def test_the_tour_by_mouse(visit: Visit, wrong: Document, camera: Camera) -> None:
    page = visit("/")
    page.get_by_role("link", name=re.compile("r1")).first.click()
    expect(page.get_by_role("banner").get_by_text("wrong answer")).to_be_visible()
    page.get_by_test_id("history").get_by_text("Records", exact=True).click()
    page.get_by_label("Search the records").fill(MISTAKE)
    message = page.get_by_role("row").filter(has=page.get_by_role("img", name="message"))
    message = message.filter(has_text=re.compile(rf"GroupChatAgentResponse\s*{MISTAKE}")).first
    message.click()
    details = page.get_by_role("article")
    expect(details).to_contain_text(MISTAKE)
    details.get_by_role("button", name="Edit message").click()
    field = details.get_by_role("textbox", name="Edit message")
    field.fill(REMEDY)
    page.get_by_role("row").filter(has=page.get_by_role("img", name="model")).first.click()
    expect(field).to_be_hidden()
    message.click()  # what was written is there again
    expect(field).to_have_value(REMEDY)
    page.reload()
    expect(field).to_have_value(REMEDY)
    camera.shoot(page, "tour-edit")
    details.get_by_role("button", name="Change and go on").click()
    wait_for_right_answer(page, "r2")
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Overview").click()
    overview = page.get_by_role("region", name="Overview")
    expect(overview).to_contain_text("r1")
    expect(overview).to_contain_text("r2")
    camera.shoot(page, "tour-right")


def test_the_tour_by_keyboard(visit: Visit, served: Served, wrong: Document) -> None:
    page = visit("/runs/r1?density=records")
    records = page.get_by_role("grid", name="Records")
    records.focus()
    for _ in range(100):
        page.keyboard.press("ArrowDown")
        selected = records.get_by_role("row", selected=True)
        expect(selected).to_have_count(1)
        text = selected.inner_text()
        if "→" in text and any(line.startswith(MISTAKE) for line in text.splitlines()):
            break
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Edit message…").focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Edit message")
    expect(field).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type(REMEDY)
    page.keyboard.press("Control+Enter")
    wait_for_right_answer(page, "r2")
    told = served.ask("GET", "/api/runs/r2")
    assert told["reused"]["model"] > 0
    assert told["executed"]["model"] < wrong["executed"]["model"]
