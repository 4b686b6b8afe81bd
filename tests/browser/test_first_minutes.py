"""The first five minutes: the demo from the empty page, and the three steps that its run is shown with."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, findings
from tests.browser.programs import REMEDY


def test_the_demo_from_the_empty_page_to_the_right_answer(visit: Visit, camera: Camera) -> None:
    page = visit("/")
    page.get_by_role("button", name="Try the demo").click()
    coach = page.get_by_label("The demo in three steps")
    verdict = page.get_by_label("How it came out")
    expect(verdict).to_contain_text("Wrong: 525, expected 519. First said in #")
    expect(coach.locator("[aria-current=step]")).to_contain_text("It is wrong")
    camera.shoot(page, "coach-wrong")
    verdict.get_by_role("button", name=re.compile(r"^#\d+$")).click()
    expect(coach.locator("[aria-current=step]")).to_contain_text("Why?")
    verdict.get_by_role("button", name="Why?").click()
    expect(coach.locator("[aria-current=step]")).to_contain_text("Change and fork")
    camera.shoot(page, "coach-change")
    asked = page.get_by_label("What led to it").get_by_role("listitem").filter(has_text="Identify the player")
    asked.get_by_role("button", name="Change and go on").first.click()
    field = page.get_by_role("article").get_by_role("textbox").first
    as_json = field.evaluate("box => box.value ?? box.innerText").startswith("{")
    field.click()
    page.keyboard.press("Control+a")
    page.keyboard.type(json.dumps({"instruction": REMEDY}) if as_json else REMEDY)
    page.get_by_role("article").get_by_role("button", name="Change and go on").click()
    expect(verdict).to_contain_text("Right: 519")
    expect(coach).to_contain_text("You set it right")
    expect(coach.locator("[aria-current=step]")).to_have_count(0)
    camera.shoot(page, "coach-right")
    coach.get_by_role("link", name="Now your program").click()
    expect(page.get_by_role("dialog", name="New run")).to_be_visible()


@pytest.mark.usefixtures("wrong")
def test_what_was_dismissed_stays_away(visit: Visit) -> None:
    page = visit("/runs/r1")
    coach = page.get_by_label("The demo in three steps")
    coach.get_by_role("button", name="Show these steps no more").click()
    expect(coach).to_have_count(0)
    page.reload()
    expect(page.get_by_label("How it came out")).to_contain_text("Wrong: 525")
    expect(coach).to_have_count(0)
    page.goto(page.url.partition("/runs")[0] + "/")
    page.get_by_role("button", name="More to do").click()
    page.get_by_role("menuitem", name="Try the demo").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    expect(page.get_by_label("How it came out")).to_contain_text("Wrong: 525")
    expect(coach).to_have_count(0)


FOUND = '''
"""A program of one's own."""


def helper(text):
    return text.upper()


def repeat(count: int = 2):
    """Say it several times."""
    return " ".join([helper("yes")] * count)


def greet(name: str, times: int):
    return " ".join([f"Hello {name}"] * times)
'''


def test_a_program_of_the_folder_is_run_with_a_form_for_its_input(visit: Visit, served: Served, camera: Camera) -> None:
    served.write("mine.py", FOUND)
    served.write("broken.py", "def main(:")
    page = visit("/")
    found = page.get_by_label("Programs found here")
    expect(found.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_text("not understood: broken.py")).to_be_visible()
    camera.shoot(page, "your-program")
    assert findings(page) == []
    found.get_by_role("button", name="mine.py:repeat").click()
    dialog = page.get_by_role("dialog", name="New run")
    expect(dialog.get_by_text("Say it several times.")).to_be_visible()
    count = dialog.get_by_role("textbox", name="Count")
    expect(count).to_have_value("2")
    count.fill("3")
    camera.shoot(page, "your-program-form")
    dialog.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/runs/r1"))
    assert served.ended("r1")["output"] == "YES YES YES"
    page.goto(served.address("/?new=true"))
    dialog.get_by_role("button", name="mine.py:greet").click()
    dialog.get_by_role("textbox", name="Name").fill("Ada")
    dialog.get_by_role("textbox", name="Times").fill("2")
    dialog.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["output"] == "Hello Ada Hello Ada"


PLAIN = """
def main(text):
    return " ".join(reversed(text.split()))


if __name__ == "__main__":
    print(main("a b"))
"""


def test_a_program_of_which_nothing_was_seen_says_so(visit: Visit, served: Served, camera: Camera) -> None:
    run = served.run(f"{served.write('plain.py', PLAIN)}:main", input="a b")
    assert served.ended(run)["output"] == "b a"
    page = visit(f"/runs/{run}")
    seen = page.get_by_label("What was seen")
    expect(seen).to_contain_text("Outtake saw no model or tool call in this run")
    expect(seen).to_contain_text("@outtake.tool")
    camera.shoot(page, "nothing-seen")
    assert findings(page) == []


def test_a_script_is_told_to_take_no_input_and_a_function_is_started_instead(visit: Visit, served: Served) -> None:
    script = served.write("plain.py", PLAIN)
    page = visit("/?new=true")
    dialog = page.get_by_role("dialog", name="New run")
    dialog.get_by_role("combobox", name="Target").fill(script)
    dialog.get_by_role("button", name="Look at it").click()
    expect(dialog).to_contain_text("takes no input, but arguments")
    expect(dialog.get_by_role("checkbox", name="Start it without an input")).to_be_checked()
    dialog.get_by_role("checkbox", name="Start it without an input").uncheck()
    dialog.get_by_role("textbox", name="Input").fill("x y")
    dialog.get_by_role("button", name="Start").click()
    instead = page.get_by_label("What can be started instead")
    expect(instead.get_by_role("button", name="Start plain.py without input")).to_be_visible()
    instead.get_by_role("button", name="Start plain.py:main").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["output"] == "y x"


STORY = """
import outtake


@outtake.model
def ask(prompt):
    return prompt.upper()


def write_story(topic, tone):
    return ask(f"Write about the {topic}, {tone}.")
"""


def test_a_target_written_by_hand_has_a_form_of_its_arguments(visit: Visit, served: Served, camera: Camera) -> None:
    (served.folder / "own").mkdir()
    served.write("own/story.py", STORY)
    page = visit("/?new=true")
    dialog = page.get_by_role("dialog", name="New run")
    expect(dialog).to_contain_text("A relative path starts in")
    expect(dialog).to_contain_text("@outtake.model")
    dialog.get_by_role("textbox", name="Input").fill("sea")
    dialog.get_by_role("combobox", name="Target").fill("own/story.py:write_story")
    topic = dialog.get_by_role("textbox", name="Topic")
    expect(topic).to_have_value("sea")
    dialog.get_by_role("button", name="Look at it").click()
    expect(dialog).to_contain_text("Its input has the fields below")
    dialog.get_by_role("textbox", name="Tone").fill("calm")
    camera.shoot(page, "typed-target")
    dialog.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/runs/r1"))
    assert served.ended("r1")["output"] == "WRITE ABOUT THE SEA, CALM."


def test_an_input_of_which_nothing_is_known_begins_empty_as_json(visit: Visit) -> None:
    page = visit("/?new=true")
    dialog = page.get_by_role("dialog", name="New run")
    dialog.get_by_text("JSON", exact=True).click()
    written = dialog.get_by_role("textbox", name="Input")
    expect(written).to_have_text("")
    written.click()
    page.keyboard.insert_text('{"a": 1}')
    expect(written).to_have_text('{"a": 1}')
    expect(dialog.get_by_role("button", name="Start")).to_be_enabled()


def test_a_run_whose_input_did_not_fit_is_corrected_on_its_page(visit: Visit, served: Served, camera: Camera) -> None:
    run = served.run(f"{served.write('story.py', STORY)}:write_story", input="sea")
    page = visit(f"/runs/{run}")
    strip = page.get_by_label("How it came out")
    expect(strip).to_contain_text("takes the arguments topic, tone")
    expect(strip.get_by_role("button").first).to_have_text("Run with changes…")
    expect(page.get_by_role("toolbar", name="Control of the run").get_by_role("button").last).to_have_accessible_name(
        "Run with changes…"
    )
    camera.shoot(page, "input-did-not-fit")
    dialog = page.get_by_role("dialog", name="New run")
    page.keyboard.press("Control+k")
    page.get_by_role("textbox", name="Command").fill("with changes")
    page.get_by_role("button", name="Run with changes…").filter(has_text="The form").click()
    expect(dialog.get_by_role("textbox", name="Topic")).to_have_value("sea")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    strip.get_by_role("button", name="Run with changes…").click()
    expect(dialog.get_by_role("textbox", name="Topic")).to_have_value("sea")
    dialog.get_by_role("textbox", name="Tone").fill("calm")
    dialog.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert served.ended("r2")["output"] == "WRITE ABOUT THE SEA, CALM."
