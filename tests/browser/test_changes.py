"""Changes collected for a fork and made in one go, what became of them, and the comparison of the two runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, Troubles


@pytest.fixture
def cities(served: Served, writers: str) -> str:
    return str(served.ended(served.run("writers.py:writer", input="Oslo"))["run"])


def as_file(document: object) -> FilePayload:
    return {"name": "mocks.json", "mimeType": "application/json", "buffer": json.dumps(document).encode()}


def add_mock(page: Page, component: str, value: str) -> None:
    page.get_by_role("button", name="Add a mock").click()
    form = page.get_by_role("form", name="A new mock")
    form.get_by_role("combobox", name="Component").click()
    page.get_by_role("option", name=re.compile(component)).click()
    form.get_by_text("one call").click()
    form.get_by_role("textbox", name="What it returns").fill(value)
    form.get_by_role("button", name="Add").click()


def test_mocks_are_collected_and_made_in_one_fork(visit: Visit, served: Served, cities: str, camera: Camera) -> None:
    page = visit(f"/runs/{cities}?tray=true")
    add_mock(page, "look", "nothing")
    add_mock(page, "complete", "Nobody goes there.")
    changes = page.get_by_role("list", name="Collected changes")
    expect(changes.get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name=re.compile("^Remove: Call 1 of .*complete")).click()
    expect(changes.get_by_role("listitem")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(changes.get_by_role("listitem")).to_have_count(2)
    page.reload()
    expect(changes.get_by_role("listitem")).to_have_count(2)
    camera.shoot(page, "changes")
    page.get_by_role("button", name="Fork with 2 changes").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["output"] == "Nobody goes there."
    report = page.get_by_role("region", name="Changes")
    report.get_by_role("button", name="What r2 did with its 2 changes").click()
    expect(report).to_contain_text("1 tool call given by you")
    report.get_by_role("button", name="given by you", exact=True).click()
    expect(report).to_contain_text("2 invocations")
    camera.shoot(page, "report")


def test_the_tray_says_what_the_collected_changes_cost(visit: Visit, served: Served, writers: str) -> None:
    run = served.run(writers, input="Oslo Paris")
    served.ended(run)
    page = visit(f"/runs/{run}?density=records")
    tray = page.get_by_role("region", name="Changes")
    expect(page.get_by_role("row").first).to_be_visible()
    expect(tray).to_be_hidden()
    returned = page.get_by_role("row").filter(has_text="look").filter(has_text="returned").first
    returned.click()
    page.keyboard.press("e")
    field = page.get_by_role("textbox", name="Edit output")
    expect(page.get_by_role("tab", name="Edit")).to_have_attribute("aria-selected", "true")
    field.fill("# Oslo")
    page.get_by_role("button", name="Add to changes").click()
    expect(page.get_by_role("tab", name="Read")).to_have_attribute("aria-selected", "true")
    expect(tray).to_contain_text(re.compile(r"1 change · about \d calls?"))
    tray.get_by_role("button", name="1 change").click()
    expect(tray.get_by_role("list", name="Collected changes")).to_contain_text("# Oslo")
    page.get_by_role("row").first.click()
    expect(returned).to_have_attribute("aria-selected", "false")
    tray.get_by_role("button", name=re.compile("returns this$")).first.click()
    expect(returned).to_have_attribute("aria-selected", "true")  # and not the call whose output it changes
    tray.get_by_role("button", name="Close the changes").click()
    tray.get_by_role("button", name="Fork", exact=True).click()
    expect(page).to_have_url(re.compile("/runs/r2"))


def test_who_types_over_what_is_selected_replaces_it_and_can_undo_that(visit: Visit, cities: str) -> None:
    page = visit(f"/runs/{cities}?density=records")
    page.get_by_role("row").filter(has_text="look").filter(has_text="called").first.click()
    details = page.get_by_role("article")
    details.get_by_role("button", name="Edit input").click()
    details.get_by_text("JSON", exact=True).first.click()
    field = details.get_by_role("textbox")
    expect(field.locator("[class*=ͼ]").first).to_be_visible()  # its colours are there
    before = field.inner_text()
    field.press("Control+a")
    page.keyboard.type("{}")
    expect(field).to_have_text("{}")
    field.press("Control+z")
    expect(field).to_have_text(before, use_inner_text=True)


def test_mocks_come_from_a_file_and_go_into_one(visit: Visit, cities: str, tmp_path: Path) -> None:
    page = visit(f"/runs/{cities}?tray=true")
    mocks = {"mocks": [{"tool": "look", "where": {"city": "Paris"}, "raise": "no such city"}], "live": ["complete"]}
    page.get_by_role("region", name="Changes").locator("input[type=file]").set_input_files([as_file(mocks)])
    expect(page.get_by_role("listitem")).to_contain_text("where the input fits")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8")) == mocks


def test_a_refusal_stands_at_the_change_that_it_is_about(visit: Visit, cities: str, troubles: Troubles) -> None:
    troubles.allow("400")
    page = visit(f"/runs/{cities}?tray=true")
    mocks = {"mocks": [{"tool": "look", "output": 1}, {"tool": "search", "output": 2}]}
    page.get_by_role("region", name="Changes").locator("input[type=file]").set_input_files([as_file(mocks)])
    page.get_by_role("button", name="Fork with 2 changes").click()
    refused = page.get_by_role("listitem").filter(has=page.get_by_role("alert"))
    expect(refused).to_contain_text("has no component 'search'")
    expect(refused).to_have_count(1)


def test_two_runs_are_compared(visit: Visit, served: Served, cities: str, camera: Camera) -> None:
    edit = {"op": "mock_output", "component": "look", "occurrence": 1, "value": "a cold place"}
    served.ended(served.ask("POST", f"/api/runs/{cities}/fork", {"edits": [edit]})["run"])
    page = visit("/runs/r2?bottom=compare")
    compared = page.get_by_role("region", name="Comparison of r1 and r2")
    expect(compared).to_contain_text("alike")
    expect(compared.get_by_role("article").first).to_contain_text("a cold place")  # its beginning, folded
    compared.get_by_role("button", name="First difference").click()
    first = compared.get_by_role("article").first
    expect(first.get_by_role("table")).to_contain_text("a cold place")
    expect(page).to_have_url(re.compile(r"at=\d+"))
    camera.shoot(page, "compare")
    compared.get_by_role("group", name="Figures").get_by_role("button", name=re.compile("^complete")).click()
    expect(compared.get_by_role("article")).to_have_count(1)
    compared.get_by_role("link", name=re.compile("of r1$")).click()
    expect(page).to_have_url(re.compile(r"/runs/r1\?.*vs=r2"))


def test_a_fork_runs_to_a_record_and_is_held_there(visit: Visit, served: Served, cities: str) -> None:
    page = visit(f"/runs/{cities}?density=records")
    row = page.get_by_role("row").filter(has_text="complete").filter(has_text="called")
    row.click(button="right")
    page.get_by_role("menuitem", name="Go back to here").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    status = page.get_by_role("banner").get_by_role("status")
    expect(status).to_contain_text("complete is about to run")
    page.keyboard.press("F5")
    expect(status).to_contain_text("Completed")
    told = served.ended("r2")
    assert (told["executed"]["model"], told["reused"]["model"]) == (0, 1)  # nothing was changed


def test_a_file_that_changed_since_a_run_is_told_and_what_a_fork_made_of_it(
    visit: Visit, served: Served, writers: str, camera: Camera
) -> None:
    run = str(served.ended(served.run(writers, input="Rome"))["run"])
    page = visit(f"/runs/{run}")
    told = page.get_by_role("status", name=re.compile("changed since"))
    expect(page.get_by_role("toolbar", name="Control of the run")).to_be_visible()
    expect(told).to_have_count(0)
    file = served.folder / "writers.py"
    file.write_text(file.read_text().replace("# {city}", "# The city of {city}").replace("Rome", "Troy"))
    expect(told).to_have_accessible_name(f"writers.py changed since {run}")
    told.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("A fork executes what uses the new code")
    expect(page.get_by_role("tooltip")).to_contain_text("2 tools")
    camera.shoot(page, "code-changed")
    looked = next(r["seq"] for r in served.outtake("show", run, "--kind", "tool") if r["component"].endswith("look"))
    expect(page.get_by_role("button", name=f"Run again from #{looked} with the new code")).to_be_visible()
    page.goto(served.address(f"/runs/{run}?at={looked}"))
    record = page.get_by_role("article", name=f"Record {looked}")
    source = record.get_by_role("link", name="writers.py")
    expect(source).to_have_attribute("href", re.compile(r"^vscode://file/.*/writers\.py:1$"))
    expect(record).to_contain_text(f"changed since {run}")
    page.goto(served.address(f"/runs/{run}?tray=true"))
    expect(page.get_by_role("region", name="Changes")).to_contain_text(f"writers.py changed since {run}: 2 tools")
    pages = [r["seq"] for r in served.outtake("show", run, "--kind", "model") if r["kind"] == "invocation_started"]
    forked = served.ask("POST", f"/api/runs/{run}/fork", {"at": pages[0], "repeat": "run"})["run"]
    assert served.ended(forked)["output"].startswith("published: Rome")
    page.goto(served.address(f"/runs/{forked}"))
    old = page.get_by_role("status", name=re.compile("served as recorded from the old code: .*look"))
    expect(old).to_contain_text("Old code before the cut")
    camera.shoot(page, "code-stale")


POET = """
import outtake

@outtake.model
def ask(prompt):
    return prompt.upper()

def main(topic):
    return ask(f"Write one short line about the {topic}.")
"""


def test_a_prompt_that_is_saved_is_offered_to_be_run_again(visit: Visit, served: Served, camera: Camera) -> None:
    file = served.folder / served.write("poet.py", POET)
    run = str(served.ended(served.run("poet.py:main", input="sea"))["run"])
    page = visit(f"/runs/{run}")
    page.get_by_role("toolbar", name="Control of the run").wait_for()
    asked = next(r["seq"] for r in served.outtake("show", run, "--kind", "model"))
    file.write_text(POET.replace("short line", "long line"))
    page.get_by_role("button", name=f"Run again from #{asked} with the new code").hover()
    expect(page.get_by_role("status", name=re.compile("changed since"))).to_be_visible()
    page.get_by_role("button", name=f"Run again from #{asked} with the new code").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["output"] == "WRITE ONE LONG LINE ABOUT THE SEA."
    strip = page.get_by_label("How it came out")
    expect(strip).to_contain_text(f"new code in poet.py · 1 call executed, 0 from the record of {run}")
    expect(page.get_by_role("button", name="Run r2 new code in poet.py: other runs")).to_be_visible()
    camera.shoot(page, "new-code")
    strip.get_by_role("button", name=f"Compare with {run}").click()
    expect(page.get_by_role("region", name=f"Comparison of {run} and r2")).to_be_visible()
    page.goto(served.address("/"))
    expect(page.get_by_role("row").filter(has_text="r2 new code in poet.py")).to_be_visible()
    assert served.outtake("info", "r2")[0]["changed"] == "new code in poet.py"


def test_code_of_which_nothing_tells_what_it_concerns_is_run_again_from_the_start(visit: Visit, served: Served) -> None:
    file = served.folder / served.write("poet.py", POET)
    run = str(served.ended(served.run("poet.py:main", input="sea"))["run"])
    page = visit(f"/runs/{run}")
    page.get_by_role("toolbar", name="Control of the run").wait_for()
    file.write_text(POET.replace("Write one short line about the {topic}.", "Haiku, {topic}, please"))
    page.get_by_role("button", name="Run again with the new code").click()
    expect(page).to_have_url(re.compile("/runs/r2"))
    assert served.ended("r2")["output"] == "HAIKU, SEA, PLEASE"
