"""A run of a hundred thousand records, opened, searched, scrolled, jumped into, filtered; and one that grows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.long_run import NEEDLE, RECORDS, write_runs
from outtake.store import Store
from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served
from tests.browser.test_live import status

GROWING = '''
"""Makes five hundred calls; then twenty more whenever somebody wants more."""

import outtake


@outtake.tool(effects="read")
def count(number):
    return f"this is number {number}"


def main(start=0):
    for number in range(500):
        count(number)
    times = 0
    while input(f"more after {times}? ") != "no":
        times += 1
        for number in range(20):
            count(f"{number} more")
'''


@pytest.fixture(scope="session")
def long_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of a hundred thousand records."""
    folder = tmp_path_factory.mktemp("long") / ".outtake"
    store = Store(folder)
    (run,) = write_runs(store)
    store.close()
    assert run.records == RECORDS
    return folder


@pytest.fixture
def long(served: Served, long_store: Path) -> str:
    """The address of the run, on a server that has it."""
    served.stop()
    shutil.copytree(long_store, served.folder / ".outtake", dirs_exist_ok=True)
    served.start()
    return "/runs/r1?density=records"


def records(page: Page) -> Locator:
    return page.get_by_role("grid", name="Records")


def rows(page: Page) -> Locator:
    return records(page).get_by_role("row")


def total(page: Page) -> int:
    """The number of rows that the list has."""
    return int(records(page).get_attribute("aria-rowcount") or 0)


def shows_the_last(page: Page) -> None:
    """The last row that the list draws is the last that it has; more may be coming."""
    page.wait_for_function("""() => {
        const list = document.querySelector("[role=grid][aria-label=Records]");
        const drawn = [...list.querySelectorAll("[role=row]")].at(-1);
        return drawn !== undefined && drawn.ariaRowIndex === list.ariaRowCount;
    }""")


def first_shown(page: Page) -> str:
    """The number of the first record in the window of the list."""
    found = page.evaluate("""() => {
        const list = document.querySelector("[role=grid][aria-label=Records]");
        const top = list.getBoundingClientRect().top;
        const rows = [...list.querySelectorAll("[role=row]")].filter((row) => row.getBoundingClientRect().bottom > top);
        rows.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
        return `${rows[0]?.id} ${Math.round(rows[0]?.getBoundingClientRect().top - top)}`;
    }""")
    return str(found)


AT_END = """() => {
    const list = document.querySelector("[role=grid][aria-label=Records]");
    return list.scrollHeight - list.scrollTop - list.clientHeight < 2;
}"""


def is_at_end(page: Page) -> bool:
    return bool(page.evaluate(AT_END))


def comes_to_the_end(page: Page) -> None:
    """The list is scrolled to its end, or is so in a moment."""
    page.wait_for_function(AT_END)


def wait_for_all(page: Page, record: int = RECORDS - 1) -> None:
    """Every record has come: the last one can be gone to."""
    expect(page.get_by_role("main").get_by_role("status")).to_have_text(re.compile(r"^\d\d,\d\d\d rows"))
    page.keyboard.press("Control+k")
    field = page.get_by_role("textbox", name="Command")
    expect(field).to_be_focused()
    field.fill(str(record))
    expect(page.get_by_role("button", name=f"Go to record {record}")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()


def test_it_opens_and_is_scrolled_to_its_end(visit: Visit, long: str, camera: Camera) -> None:
    page = visit(long)
    expect(rows(page).first).to_contain_text("0")
    expect(rows(page).filter(has_text="orchestrator").first).to_be_visible()
    wait_for_all(page)
    count = total(page)
    assert RECORDS / 10 < count < RECORDS
    camera.shoot(page, "long-beginning")
    records(page).focus()
    page.keyboard.press("End")
    expect(rows(page).last).to_contain_text("FINAL ANSWER: 519")
    expect(rows(page).last).to_have_attribute("aria-rowindex", str(count))
    comes_to_the_end(page)
    expect(page.get_by_role("article")).to_contain_text("FINAL ANSWER: 519")
    camera.shoot(page, "long-end")
    page.keyboard.press("Home")
    expect(rows(page).first).to_have_attribute("aria-rowindex", "1")
    records(page).hover()
    while not is_at_end(page):
        page.mouse.wheel(0, 250_000)
    expect(rows(page).last).to_have_attribute("aria-rowindex", str(count))
    expect(rows(page).last).to_contain_text("FINAL ANSWER: 519")
    assert total(page) == count


def test_it_is_searched_and_filtered(visit: Visit, long: str, camera: Camera) -> None:
    page = visit(long)
    wait_for_all(page)
    told = page.get_by_role("main").get_by_role("status")
    field = page.get_by_label("Search the records")
    field.fill(NEEDLE)
    expect(told).to_contain_text(re.compile(r"\b[1-9]\d* records found"))
    expect(rows(page).first).to_be_visible()
    assert 0 < total(page) < 1000
    camera.shoot(page, "long-search")
    rows(page).first.click()
    expect(page.get_by_role("article")).to_contain_text(NEEDLE)
    field.press("Escape")
    expect(told).to_have_text(re.compile(r"^\d\d,\d\d\d rows"))
    count = total(page)
    page.get_by_role("button", name="Kinds of records").click()
    for name in ("Agents", "Model calls", "Messages"):
        page.get_by_role("checkbox", name=name).uncheck()
    page.keyboard.press("Escape")
    expect(records(page)).not_to_have_attribute("aria-rowcount", str(count))
    expect(rows(page).get_by_role("img", name="message", exact=True)).to_have_count(0)
    expect(rows(page).get_by_role("img", name="tool", exact=True).first).to_be_visible()
    camera.shoot(page, "long-filter")


def test_it_is_jumped_into_by_address_and_by_number(visit: Visit, long: str, camera: Camera) -> None:
    page = visit(f"{long}&at=99000")
    expect(page.get_by_role("article", name="Record 99000")).to_be_visible()
    expect(near(page, 99_000)).not_to_have_count(0)
    page.keyboard.press("Control+k")
    field = page.get_by_role("textbox", name="Command")
    expect(field).to_be_focused()
    field.fill("45678")
    expect(page.get_by_role("button", name="Go to record 45678")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Record 45678")).to_be_visible()
    expect(near(page, 45_678)).not_to_have_count(0)
    camera.shoot(page, "long-jump")


def near(page: Page, record: int) -> Locator:
    """The rows in sight that show records around this one."""
    return rows(page).filter(has_text=re.compile(rf"^{str(record)[:-2]}\d\d\D"))


@pytest.mark.parametrize("panel", ["overview", "trace"])
def test_it_is_drawn_as_a_whole(visit: Visit, long: str, camera: Camera, panel: str) -> None:
    page = visit(f"{long}&bottom={panel}")
    wait_for_all(page)
    drawing = page.get_by_role("tabpanel", name=panel.capitalize())
    stage = drawing.get_by_role("application")
    expect(stage).to_be_visible()
    if panel == "overview":
        expect(drawing.get_by_role("group", name="Colours")).to_contain_text("orchestrator")
    camera.shoot(page, f"long-{panel}")
    drawing.get_by_role("button", name="Zoom in").click()
    stage.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    camera.shoot(page, f"long-{panel}-zoomed")
    drawing.get_by_role("button", name="Show all of it").click()


def test_nothing_jumps_while_one_reads_the_beginning_of_a_live_run(
    visit: Visit, served: Served, camera: Camera
) -> None:
    served.write("growing.py", GROWING)
    run = served.run("growing.py:main", input=0)
    page = visit(f"/runs/{run}?density=records")
    expect(status(page)).to_contain_text("more after 0?")
    expect(rows(page).last).to_be_visible()
    comes_to_the_end(page)  # a live run is followed
    records(page).hover()
    page.mouse.wheel(0, -1_000_000)
    expect(rows(page).first).to_have_attribute("aria-rowindex", "1")
    page.mouse.wheel(0, 200)
    expect(page.locator("#row-0")).not_to_be_in_viewport()
    before, count = first_shown(page), total(page)
    for times in range(3):
        answer(served, run, "yes")
        expect(status(page)).to_contain_text(f"more after {times + 1}?")
        expect(records(page)).not_to_have_attribute("aria-rowcount", str(count))
        count = total(page)
        assert first_shown(page) == before
    mark = page.get_by_role("button", name=re.compile(r"\d+ new records"))
    expect(mark).to_be_visible()
    camera.shoot(page, "long-new")
    mark.click()
    shows_the_last(page)
    expect(mark).to_be_hidden()
    answer(served, run, "yes")  # who is at the end stays there
    expect(status(page)).to_contain_text("more after 4?")
    shows_the_last(page)
    comes_to_the_end(page)
    answer(served, run, "no")
    expect(status(page)).to_contain_text("Completed")


def answer(served: Served, run: str, text: str) -> None:
    """Answer what the program asks its user."""
    (hold,) = served.ask("GET", f"/api/runs/{run}/pending")["held"]
    served.ask("POST", f"/api/runs/{run}/release", {"hold": hold["hold"], "verb": "serve", "value": text})
