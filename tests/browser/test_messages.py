"""The queue of a live AutoGen team, in the browser: a message changed, dropped, added, put before another one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Document, Served, Troubles
from tests.browser.programs import REMEDY
from tests.browser.test_live import go_on, pending, status

PLANNED = 'agent:WebSurfer and message:GroupChatAgentResponse and text~"Identify the player"'
"""Holds the plan where the web surfer is told of it: what it is told after that waits behind it."""
MISTAKE = "Identify the player with the most walks"
ADDED = "Say on which page you found it."


@pytest.fixture
def waiting(visit: Visit, served: Served, team: Document, troubles: Troubles) -> Page:
    """A run of the demo's team in which the web surfer's messages wait, from the plan to its turn to speak."""
    troubles.allow("status of 409")  # the program ends while it is asked for its queue
    page = visit("/")
    run = served.run(**team, breakpoints=[PLANNED])
    page.get_by_role("row", name=run).get_by_text("Held").wait_for()
    page.get_by_role("link", name=re.compile(run)).first.click()
    expect(status(page)).to_contain_text("Held")
    page.keyboard.press("r")
    expect(page.get_by_role("grid", name="Records")).to_be_visible()
    panel = pending(page)
    expect(messages(panel).last).to_contain_text("GroupChatRequestPublish")
    expect(message(panel, MISTAKE)).to_be_visible()
    return page


def messages(panel: Locator) -> Locator:
    return panel.get_by_role("listitem").filter(has=panel.page.get_by_role("button", name="What to do with message"))


def message(panel: Locator, says: str) -> Locator:
    """The queued message that says this."""
    return messages(panel).filter(has_text=says)


def choose(page: Page, told: Locator, verb: str) -> None:
    """A command of a message's menu, by keyboard."""
    told.get_by_role("button", name="What to do with").focus()
    page.keyboard.press("Enter")
    item = page.get_by_role("menuitem", name=verb, exact=True)
    expect(item).to_be_visible()
    item.focus()
    page.keyboard.press("Enter")


def test_a_queued_message_is_changed_another_dropped_and_the_run_ends_right(
    waiting: Page, served: Served, camera: Camera
) -> None:
    panel = waiting.get_by_role("tabpanel", name="Held")
    before = messages(panel).count()
    choose(waiting, message(panel, MISTAKE), "Edit…")
    field = panel.get_by_role("textbox", name="Content of message")
    expect(field).to_be_focused()
    field.fill(REMEDY)
    camera.shoot(waiting, "queue-edit")
    waiting.keyboard.press("Control+Enter")
    expect(field).to_be_hidden()
    expect(message(panel, REMEDY)).to_contain_text("edited")
    expect(message(panel, MISTAKE)).to_have_count(0)
    choose(waiting, message(panel, "Read the glossary"), "Drop")
    expect(messages(panel)).to_have_count(before - 1)
    go_on(waiting)
    expect(status(waiting)).to_contain_text("Completed")
    told = served.ended("r1")
    assert told["output"]["answer"].endswith("519")
    edits = served.ask("GET", "/api/runs/r1/records?kind=edited")["records"]
    assert "replace_message" in [edit["op"] for edit in edits]
    assert len(served.ask("GET", "/api/runs/r1/records?kind=message_dropped")["records"]) == 1
    history = waiting.get_by_role("grid", name="Records")
    waiting.get_by_label("Search the records").fill(REMEDY)
    expect(history.get_by_role("row").filter(has_text="changed the message")).to_contain_text(REMEDY)
    mark = waiting.get_by_text("dropped", exact=True)
    waiting.get_by_label("Search the records").fill("Read the glossary")
    dropped = history.get_by_role("row").filter(has=mark)
    expect(dropped).to_contain_text("WebSurfer")
    dropped.click()
    details = waiting.get_by_role("article", name=re.compile("Record"))
    camera.shoot(waiting, "message-dropped")
    details.get_by_role("button", name="dropped message").click()
    expect(details).to_contain_text("dropped message")


def test_a_message_is_added_and_put_before_others_by_keyboard(waiting: Page, served: Served, camera: Camera) -> None:
    panel = waiting.get_by_role("tabpanel", name="Held")
    panel.get_by_role("button", name="Send a message…").click()
    form = panel.get_by_role("form", name="Send a message")
    to = form.get_by_role("combobox", name="To")
    expect(to).to_be_focused()
    waiting.keyboard.type("team/WebSurfer")
    waiting.keyboard.press("Escape")
    kind = form.get_by_role("combobox", name="Type")
    kind.select_option("TextMessage")
    form.get_by_text("Form", exact=True).click()
    form.get_by_role("textbox", name=re.compile("Content", re.IGNORECASE)).fill(ADDED)
    source = form.get_by_role("textbox", name=re.compile("Source", re.IGNORECASE))
    source.fill("user")
    camera.shoot(waiting, "queue-send")
    form.get_by_role("button", name="Send", exact=True).click()
    expect(messages(panel).last).to_contain_text(ADDED)
    expect(messages(panel).last).to_contain_text("added")
    turn = message(panel, "GroupChatRequestPublish")
    place = messages(panel).count()
    grip = message(panel, ADDED).get_by_role("button", name="Move message")
    grip.focus()
    waiting.keyboard.press("ArrowUp")
    expect(messages(panel).nth(place - 2)).to_contain_text(ADDED)
    expect(messages(panel).last).to_contain_text("GroupChatRequestPublish")
    expect(turn).to_have_count(1)
    expect(grip).to_be_focused()
    waiting.keyboard.press("ArrowUp")
    expect(messages(panel).nth(place - 3)).to_contain_text(ADDED)
    camera.shoot(waiting, "queue-moved")
    waiting.get_by_role("button", name=f"Remove {PLANNED}").click()
    go_on(waiting)
    expect(status(waiting)).to_contain_text("Completed")
    assert served.ended("r1")["status"] == "completed"
    delivered = [
        record["message"]
        for record in served.ask("GET", "/api/runs/r1/records?kind=invocation_started")["records"]
        if record["component"] == "team/WebSurfer" and "message" in record
    ]
    sent = served.ask("GET", "/api/runs/r1/records?kind=message_queued")["records"]
    (added,) = [record["seq"] for record in sent if record.get("injected")]
    asked = next(r["seq"] for r in sent if r["recipient"] == "team/WebSurfer" and r["type"].endswith("RequestPublish"))
    assert delivered.index(added) < delivered.index(asked)
    row = waiting.get_by_role("grid", name="Records").get_by_role("row").filter(has_text="added")
    waiting.get_by_label("Search the records").fill(ADDED)
    expect(row.first).to_contain_text(ADDED)
