"""The page of all runs: started, narrowed, sorted, compared, renamed, brought in, deleted."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, Troubles


@pytest.fixture
def three(served: Served, writers: str) -> None:
    """r1 on Oslo, its fork r2 with another result of a tool, and r3 on Rome, which fails."""
    served.ended(served.run("writers.py:writer", input="Oslo", expected="Oslo", name="north"))
    edit = {"op": "mock_output", "component": "look", "value": "nothing at all"}
    served.ended(served.ask("POST", "/api/runs/r1/fork", {"edits": [edit], "name": "without facts"})["run"])
    served.ended(served.run(writers, input="Rome", headless=True))


def rows(page: Page) -> Locator:
    return page.get_by_role("treegrid", name="Runs").get_by_role("row").filter(has=page.get_by_role("gridcell"))


def runs(page: Page, *names: str) -> None:
    """These are listed, in this order."""
    expect(rows(page).get_by_role("link")).to_have_text([re.compile(rf"^{name}\b") for name in names])


def test_runs_are_listed_narrowed_and_sorted(visit: Visit, three: None, camera: Camera) -> None:
    page = visit("/")
    runs(page, "r3", "r1", "r2")
    expect(rows(page).nth(2)).to_have_attribute("aria-level", "2")
    expect(rows(page).nth(1)).to_contain_text("right")
    expect(rows(page).nth(0)).to_contain_text("Rome was published already")
    camera.shoot(page, "runs-tree")
    page.get_by_role("button", name="Hide the forks of r1").click()
    runs(page, "r3", "r1")
    page.get_by_role("button", name="Show the forks of r1").click()
    page.get_by_label("Search in names").fill("facts")
    runs(page, "r1", "r2")
    expect(page).to_have_url(re.compile("q=facts"))
    page.reload()
    runs(page, "r1", "r2")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("button", name="Calls").click()
    expect(page).to_have_url(re.compile("sort=-calls"))
    expect(rows(page)).to_have_count(3)
    page.get_by_role("button", name="Run", exact=True).click()
    runs(page, "r1", "r2", "r3")


def test_runs_are_walked_by_keyboard(visit: Visit, three: None) -> None:
    page = visit("/")
    rows(page).nth(0).get_by_role("link").focus()
    page.keyboard.press("ArrowDown")
    expect(rows(page).nth(1).get_by_role("link")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    runs(page, "r3", "r1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    page.get_by_role("group", name="What to do with the chosen runs").get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/runs/r2\?.*vs=r1"))
    expect(page.get_by_role("region", name="Comparison of r1 and r2")).to_contain_text("differences")


def test_a_run_is_renamed_from_the_list_and_from_its_window(visit: Visit, three: None) -> None:
    page, other = visit("/"), visit("/")
    page.get_by_role("button", name="What to do with r2", exact=True).click()
    page.get_by_role("menuitem", name="Rename").click()
    field = page.get_by_role("dialog", name="Name of r2").get_by_role("textbox", name="Name")
    expect(field).to_have_value("without facts")
    field.fill("no facts at all")
    field.press("Enter")
    expect(field).to_have_count(0)
    for each in (page, other):
        expect(rows(each).nth(2).get_by_role("link")).to_have_text("r2 no facts at all")
    rows(page).nth(2).get_by_role("link").click()
    page.get_by_role("button", name="Rename the run").click()
    field.fill("")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Run r2 nothing at all: other runs")).to_be_visible()
    expect(rows(other).nth(2).get_by_role("link")).to_have_text("r2 nothing at all")  # by what was changed


def test_a_run_is_started_again_and_stopped(visit: Visit, served: Served, writers: str) -> None:
    served.run("writers.py:forever", input="Oslo")
    page = visit("/")
    expect(rows(page).first).to_contain_text("running")
    page.get_by_role("button", name="What to do with r1", exact=True).click()
    page.get_by_role("menuitem", name="Run again").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    page.go_back()
    for run in ("r1", "r2"):
        page.get_by_role("button", name=f"What to do with {run}", exact=True).click()
        page.get_by_role("menuitem", name="Stop", exact=True).click()
        served.ended(run)
    expect(rows(page).nth(0)).to_contain_text("stopped")
    expect(rows(page).nth(1)).to_contain_text("stopped")


def test_a_mistake_in_the_form_is_said_where_it_is(visit: Visit, served: Served, troubles: Troubles) -> None:
    troubles.allow("400")
    page = visit("/")
    page.get_by_role("button", name="Start a run").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Start").click()
    expect(dialog).to_contain_text("Say which program to run")
    dialog.get_by_label("Target").fill("nothing.py:main")
    dialog.get_by_role("button", name="Start").click()
    expect(dialog).to_contain_text("there is no file nothing.py")


def test_a_run_is_deleted_with_its_forks(visit: Visit, three: None, camera: Camera) -> None:
    other = visit("/runs/r1")
    expect(other.get_by_role("grid", name="Story")).to_be_visible()
    page = visit("/")
    page.get_by_role("button", name="What to do with r1", exact=True).click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("r1 stays")
    camera.shoot(page, "runs-delete")
    dialog.get_by_role("button", name="With its fork").click()
    dialog.get_by_role("button", name="Delete 2 runs").click()
    runs(page, "r3")
    expect(other.get_by_role("alert")).to_contain_text("r1 was deleted")
    camera.shoot(other, "deleted")


def test_files_are_brought_in(visit: Visit, served: Served, troubles: Troubles) -> None:
    troubles.allow("400")
    page = visit("/")
    entry = {"role": "human", "content": "How many?"}
    answer = {"role": "Counter", "content": "There are 525.", "name": "Counter"}
    log = {
        "question": "How many?",
        "ground_truth": "519",
        "history": [entry, answer],
        "mistake_agent": "Counter",
        "mistake_step": "1",
        "mistake_reason": "It counts the wrong column.",
    }
    files: list[FilePayload] = [
        {"name": "counting.json", "mimeType": "application/json", "buffer": json.dumps(log).encode()},
        {"name": "poem.txt", "mimeType": "text/plain", "buffer": b"Roses are red"},
    ]
    page.locator("input[type=file]").set_input_files(files)
    expect(page.get_by_text("counting.json is here")).to_be_visible()
    expect(page.get_by_text("poem.txt cannot be imported")).to_be_visible()
    expect(rows(page).first).to_contain_text("imported")
    expect(page.get_by_text("A log of Who&When: it has a question, its history and a label.")).to_be_visible()
    page.get_by_role("button", name="Open r1").click()
    expect(page).to_have_url(re.compile("/runs/r1"))


DROP = """(text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "a conversation"));
    const about = { dataTransfer: data, bubbles: true, cancelable: true };
    for (const type of ["dragenter", "drop"])
        document.querySelector("header").dispatchEvent(new DragEvent(type, about));
}"""


def test_a_log_that_is_dropped_tells_what_was_guessed_and_shows_no_times(
    visit: Visit, served: Served, camera: Camera
) -> None:
    page = visit("/")
    said = [{"role": "user", "content": "Is it warm?"}, {"role": "assistant", "content": "Yes, very."}]
    expect(page.get_by_role("button", name="Import").first).to_be_visible()
    page.evaluate(DROP, "\n".join(map(json.dumps, said)))
    expect(page.get_by_text("a conversation is here")).to_be_visible()
    expect(page.get_by_text("A log of chat messages")).to_be_visible()
    expect(page.get_by_text("Guessed: answers without a name are of one agent, called assistant.")).to_be_visible()
    camera.shoot(page, "dropped-log")
    page.get_by_role("button", name="Open r1").click()
    expect(page.get_by_text("Its log has no times")).to_be_visible()
    expect(page.get_by_text("Yes, very.").first).to_be_visible()
    expect(page.get_by_text("0.00", exact=True)).to_have_count(0)
    expect(page.get_by_text("0 ms")).to_have_count(0)


def test_a_script_is_run_again_with_its_arguments_or_with_others(visit: Visit, served: Served) -> None:
    served.write("greet.py", "import sys\nprint('hello', *sys.argv[1:])\n")
    served.ended(served.run("greet.py", args=["--to", "New York"]))
    page = visit("/runs/r1?bottom=console")
    page.get_by_role("article", name="Run r1").get_by_role("button", name="Run again").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["args"] == ["--to", "New York"]
    page.goto(served.address("/"))
    page.get_by_role("button", name="What to do with r2", exact=True).click()
    page.get_by_role("menuitem", name="Run with changes…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("Name, folder")).click()
    arguments = dialog.get_by_label("Arguments")
    expect(arguments).to_have_value('--to "New York"')
    arguments.fill("--to 'Oslo'")
    dialog.get_by_role("button", name="Start").click()
    expect(page).to_have_url(re.compile("/runs/r3"))
    assert served.ended("r3")["args"] == ["--to", "Oslo"]
