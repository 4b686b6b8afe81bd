"""Why a run came out wrong, and what can be done about it: the strip above the story, the path, the verbs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served
from tests.browser.programs import REMEDY


@pytest.mark.usefixtures("wrong")
def test_a_wrong_answer_is_explained_changed_and_right(visit: Visit, camera: Camera) -> None:
    page = visit("/runs/r1")
    verdict = page.get_by_label("How it came out")
    expect(verdict).to_contain_text("Wrong: 525, expected 519. First said in #127 (a tool gave it)")
    verdict.get_by_role("button", name="Why?").click()
    path = page.get_by_label("What led to it")
    thought = path.get_by_role("listitem").filter(has_text="I know that name, so I take it")
    expect(thought).to_contain_text(re.compile(r"^\d+\s*WebSurfer · model decided.*click\("))
    expect(path.get_by_role("listitem").filter(has_text="first said here")).to_contain_text("127")
    camera.shoot(page, "why")
    asked = path.get_by_role("listitem").filter(has_text=re.compile(r"^90\s*orchestrator said"))
    asked.get_by_role("button", name="Change and go on").click()
    article = page.get_by_role("article")
    field = article.get_by_role("textbox", name="Edit message")
    expect(article).to_contain_text(
        re.compile(r"About 13 calls will be executed, as far as the record tells .* 9 come from the")
    )
    field.fill(REMEDY)
    article.get_by_role("button", name="Change and go on").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    expect(verdict).to_contain_text("Right: 519 · changed at #90 · 13 calls executed, 9 from the record of r1")
    camera.shoot(page, "right")
    verdict.get_by_role("button", name="Compare with r1").click()
    expect(page.get_by_role("group", name="Figures")).to_contain_text("Answered")


UNCOVERED = """(field) => {
    const { left, top, bottom } = field.getBoundingClientRect();
    const seen = (y) => document.elementFromPoint(left + 20, y) === field;
    return top >= 0 && bottom <= innerHeight && seen(top + 3) && seen((top + bottom) / 2) && seen(bottom - 3);
}"""


@pytest.mark.usefixtures("wrong")
@pytest.mark.parametrize("height", [720, 800])
def test_while_a_step_is_changed_its_line_stands_for_the_path(visit: Visit, camera: Camera, height: int) -> None:
    page = visit("/runs/r1?why=true", viewport={"width": 1280, "height": height})
    path = page.get_by_label("What led to it")
    thought = path.get_by_role("listitem").filter(has_text="I know that name, so I take it")
    thought.get_by_role("button", name="Change and go on").click()
    field = page.get_by_role("article").get_by_role("textbox", name=re.compile("thought$"))
    expect(field).to_be_focused()
    assert field.evaluate("field => field.selectionEnd - field.selectionStart === field.value.length")
    expect(page.get_by_role("article").get_by_role("status").filter(has_text="It still calls")).to_be_visible()
    field.press("Control+End")
    field.press_sequentially(" Then I read the whole table, sort it by walks, and take the first row of it." * 3)
    note = page.get_by_role("article").get_by_role("status").filter(has_text="It still calls")
    expect(note).to_contain_text("afterwards the agent reads your words")
    expect(note).not_to_contain_text("…")
    assert field.evaluate(UNCOVERED)
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight")
    camera.shoot(page, f"why-edited-{height}")
    expect(path.get_by_role("listitem")).to_have_count(1)
    expect(path.get_by_role("listitem")).to_contain_text("I know that name, so I take it")
    path.get_by_role("button", name=re.compile(r"^All \d+ steps$")).click()
    expect(path.get_by_role("listitem").filter(has_text="first said here")).to_be_visible()
    path.get_by_role("button", name="Only the step that is changed").click()
    expect(path.get_by_role("listitem")).to_have_count(1)
    page.get_by_role("article").get_by_role("button", name="Cancel").click()
    expect(path.get_by_role("listitem").filter(has_text="first said here")).to_be_visible()


@pytest.mark.usefixtures("wrong")
def test_the_same_by_keyboard(visit: Visit) -> None:
    page = visit("/runs/r1")
    expect(page.get_by_label("How it came out")).to_contain_text("Why?")
    page.keyboard.press("w")
    step = page.get_by_label("What led to it").get_by_role("button", name=re.compile(r"^90\b"))
    step.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"at=90\b"))
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="Edit message")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type(REMEDY)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("How it came out")).to_contain_text("Right: 519")


@pytest.mark.usefixtures("wrong")
def test_a_repair_that_does_not_help_says_how_far_it_went(visit: Visit, served: Served, camera: Camera) -> None:
    said = "Identify the player with the most walks for the New York Yankees in the 1977 regular season, and report his"
    edit = {"op": "replace_message", "seq": 90, "value": f"{said} walks and his at bats. Thank you very much."}
    served.ask("POST", "/api/runs/r1/fork", {"at": 90, "edits": [edit]})
    assert served.ended("r2")["changed"] == "… Thank you very much."
    page = visit("/runs/r2")
    expect(page.get_by_role("heading", level=1)).to_have_text("Run r2 … Thank you very much.")
    verdict = page.get_by_label("How it came out")
    told = r"The change at #90 of r1 was used by \d+ calls, first #\d+; #\d+ said 525 all the same\."
    expect(verdict).to_contain_text(re.compile(told))
    camera.shoot(page, "no-help")
    again = verdict.get_by_role("button", name=re.compile(r"^#\d+$")).last
    seq = again.inner_text().removeprefix("#")
    again.click()
    expect(page).to_have_url(re.compile(rf"at={seq}\b"))


@pytest.mark.usefixtures("wrong")
def test_a_changed_thought_is_named_by_what_is_new_and_the_record_that_was_chosen(visit: Visit, served: Served) -> None:
    ends = served.ask("GET", "/api/runs/r1/records?kind=invocation_ended&bodies=true")["records"]
    (seq,) = [end["seq"] for end in ends if "I know that name" in str(end.get("output")) and end["call"] == "model"][:1]
    page = visit(f"/runs/r1?at={seq}")
    page.get_by_role("article").get_by_role("button", name="Edit output").click()
    thought = page.get_by_role("textbox", name=re.compile("thought$"))
    thought.press("Control+End")
    thought.press_sequentially(" Then read the table and take the highest.")
    article = page.get_by_role("article")
    expect(article.get_by_role("status").filter(has_text="It still calls")).to_contain_text("link: Reggie Jackson")
    article.get_by_role("button", name="Change and go on").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    made = served.ended("r2")
    assert (made["changed"], made["changed_at"]) == ("… Then read the table and take the highest.", seq)
    expect(page.get_by_label("How it came out")).to_contain_text(f"#{seq}")
    page.get_by_role("button", name="Compare with r1").click()
    first = page.get_by_role("article").filter(has_text="first ·")
    expect(first).to_contain_text("thought")
    expect(first).to_contain_text("Then read the table and take the highest.")


def test_a_call_is_tried_again_and_several_times(visit: Visit, served: Served, writers: str) -> None:
    run = served.run(writers)
    served.ended(run)
    told = served.ask("GET", f"/api/runs/{run}/records?kind=invocation_ended")["records"]
    seq = next(record["seq"] for record in told if record["call"] == "model")
    page = visit(f"/runs/{run}?at={seq}")
    expect(page.get_by_role("article").get_by_role("button", name="Try 5 times")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_label("Tries").get_by_role("status")).to_contain_text(f"5 tries of #{seq}: 5 ended")
    page.keyboard.press("t")
    expect(page).not_to_have_url(re.compile(f"/runs/{run}\\?"))
    again = served.ended(page.url.rpartition("/")[2].partition("?")[0])
    assert again["executed"]["model"] == 1


@pytest.mark.usefixtures("wrong")
def test_a_record_and_a_marked_text_tell_where_they_came_from(visit: Visit) -> None:
    page = visit("/runs/r1?at=229")
    article = page.get_by_role("article")
    origins = article.get_by_label("Where from, and what follows")
    origins.get_by_role("button", name="Where from?").click()
    expect(origins).to_contain_text(re.compile(r"was given #\d+ orchestrator"))
    origins.get_by_role("button", name="What follows?").click()
    expect(origins).to_contain_text("as far as the record tells")
    article.get_by_text("FINAL ANSWER: 525").first.evaluate(
        """(element) => {
            const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf("525");
                if (at < 0) continue;
                document.getSelection().setBaseAndExtent(walk.currentNode, at, walk.currentNode, at + 3);
                return;
            }
        }"""
    )
    origins.get_by_role("button", name="Where is “525” from?").click()
    expect(origins.get_by_role("listitem").first).to_contain_text(re.compile("gave it: #1(27|37) WebSurfer"))
