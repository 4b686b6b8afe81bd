"""Prompts and answers of models, edited message by message: nobody has to write JSON."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, findings

CHAT = '''
"""A chat with a model that repeats what it was told, and a tool that it may ask for."""

import outtake

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "description": "Looks at a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "depth": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
]


@outtake.model
def complete(messages, tools, temperature=0.5):
    said = " / ".join(f"{one['role']}: {one['content']}" for one in messages)
    return {"role": "assistant", "content": f"{said} at {temperature}"}


@outtake.tool(effects="read")
def look(city, depth=1):
    return f"{city} is cold"


def main(question="Where is Oslo?"):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    answer = complete(messages, TOOLS, temperature=0.5)
    for call in answer.get("tool_calls", []):
        import json

        return look(**json.loads(call["function"]["arguments"]))
    return answer["content"]
'''


@pytest.fixture
def chat(served: Served) -> str:
    """A run of a chat that has ended."""
    run = served.run(served.write("chat.py", CHAT) + ":main", input="Where is Oslo?")
    assert served.ended(run)["output"] == "system: Be brief. / user: Where is Oslo? at 0.5"
    return run


def record(served: Served, run: str, kind: str, component: str) -> int:
    found = served.ask("GET", f"/api/runs/{run}/records?kind={kind}")["records"]
    return int(next(one["seq"] for one in found if one["component"].endswith(component)))


def go_on(page: Page) -> None:
    page.get_by_role("button", name="Change and go on").click()
    expect(page).to_have_url(re.compile("/runs/r2"))


def test_a_prompt_is_edited_message_by_message(visit: Visit, served: Served, chat: str, camera: Camera) -> None:
    at = record(served, chat, "invocation_started", "complete")
    page = visit(f"/runs/{chat}?at={at}")
    expect(page.get_by_role("article")).to_contain_text("Where is Oslo?")
    page.keyboard.press("e")
    editor = page.get_by_role("region", name="Edit input")
    last = editor.get_by_role("textbox", name="Message 2")
    expect(last).to_be_focused()
    last.fill("Where is Rome?")
    editor.get_by_role("button", name="Move message 2 up").click()
    expect(editor.get_by_role("textbox", name="Message 1")).to_have_value("Where is Rome?")
    editor.get_by_role("button", name="Add a message").click()
    page.get_by_role("menuitem", name="assistant").click()
    added = editor.get_by_role("textbox", name="Message 3")
    expect(added).to_be_focused()
    page.keyboard.type("In Italy")
    editor.get_by_role("combobox", name="Role of message 3").select_option("user")
    editor.get_by_role("button", name="Delete message 2").click()
    expect(editor.get_by_role("textbox", name="Message 2")).to_have_value("In Italy")
    camera.shoot(page, "conversation")
    assert findings(page) == []
    editor.get_by_text("Tools and settings").click()
    editor.get_by_role("textbox", name="temperature").fill("0.9")
    page.keyboard.press("Escape")
    expect(editor).to_be_hidden()
    page.keyboard.press("e")  # what was written is there again
    expect(editor.get_by_role("textbox", name="Message 2")).to_have_value("In Italy")
    go_on(page)
    assert served.ended("r2")["output"] == "user: Where is Rome? / user: In Italy at 0.9"


def test_an_answer_asks_for_a_tool_by_a_form(visit: Visit, served: Served, chat: str, camera: Camera) -> None:
    at = record(served, chat, "invocation_ended", "complete")
    page = visit(f"/runs/{chat}?at={at}")
    page.get_by_role("article").get_by_role("button", name="Edit output").click()
    editor = page.get_by_role("region", name="Edit output")
    text = editor.get_by_role("textbox", name="Edit output")
    expect(text).to_be_focused()
    text.fill("I look.")
    editor.get_by_role("button", name="call a tool").click()
    page.get_by_role("menuitem", name="look").click()
    call = editor.get_by_role("region", name=re.compile("call of look"))
    call.get_by_role("textbox", name="city").fill("Oslo")
    camera.shoot(page, "answer")
    assert findings(page) == []
    go_on(page)
    assert served.ended("r2")["output"] == "Oslo is cold"
