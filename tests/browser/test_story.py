"""A run read as a story: densities, the place that is kept, cards that open in place, errors, search, colours."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

import outtake.demo
from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Document, Served, findings
from tests.browser.programs import REMEDY
from tests.browser.test_tour import wait_for_right_answer

LOG = Path(outtake.demo.__file__).parent / "logs" / "box-office.json"
MISTAKE = "Identify the player with the most walks"
THOUGHT = "I know that name, so I take it without looking at the others"
PLACE = """(number) => {
    const list = document.querySelector("[data-testid=records]");
    const top = list.getBoundingClientRect().top;
    const rows = [...list.querySelectorAll("[role=row]")];
    const row = number === null
        ? rows.filter((row) => row.getBoundingClientRect().bottom > top + 1)
            .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0]
        : rows.find((row) => row.getAttribute("aria-selected") === "true");
    return row === undefined ? null : [row.id, Math.round(row.getBoundingClientRect().top - top)];
}"""
"""The selected line, or the topmost one for null: its name, and how far below the top of the window it is."""


def lines(page: Page, density: str) -> Locator:
    return page.get_by_role("grid", name=density).get_by_role("row")


def card(page: Page, record: int) -> Locator:
    return page.locator(f"#row-{record}")


def settled(page: Page, at: int | None = -1) -> list[object]:
    """Where one is, once nothing moves any more: twice the same in two frames after everything has come."""
    page.wait_for_load_state("networkidle")
    found = page.evaluate(
        f"""async (at) => {{
            const place = {PLACE};
            const frame = () => new Promise(requestAnimationFrame);
            for (let before = "", calm = 0; calm < 12;) {{
                await frame();
                const now = JSON.stringify(place(at));
                calm = now === before ? calm + 1 : 0;
                before = now;
            }}
            return place(at);
        }}""",
        at,
    )
    assert isinstance(found, list)
    return found


def alike(one: list[object], other: list[object]) -> bool:
    """The same line at the same height, but for a pixel."""
    return one[0] == other[0] and abs(int(str(one[1])) - int(str(other[1]))) <= 2


def starts(served: Served, run: str, component: str) -> list[int]:
    """The turns of an agent that called something."""
    told = served.ask("GET", f"/api/runs/{run}/records?kind=invocation_started")["records"]
    inside = {record.get("parent") for record in told}
    return [r["seq"] for r in told if r["component"] == component and r["call"] == "agent" and r["seq"] in inside]


@pytest.fixture
def logged(served: Served) -> str:
    """A Who&When log that was imported."""
    (told,) = served.outtake("import", str(LOG))
    return str(told["run"])


def test_one_key_for_each_density_and_the_selection_stays_where_it_is(
    visit: Visit, served: Served, wrong: Document, camera: Camera
) -> None:
    (surfer, *_) = starts(served, "r1", "team/WebSurfer")
    page = visit(f"/runs/r1?at={surfer}")
    expect(lines(page, "Story").and_(page.get_by_role("row", selected=True))).to_contain_text("WebSurfer")
    before = settled(page)
    for key, density in (("c", "Calls"), ("r", "Records"), ("s", "Story"), ("r", "Records"), ("c", "Calls")):
        page.keyboard.press(key)
        expect(lines(page, density).first).to_be_visible()
        expect(page).to_have_url(re.compile(rf"at={surfer}\b.*density={density.lower()}"))
        assert alike(settled(page), before), density
    camera.shoot(page, "story-calls")
    page.goto(page.url.partition("?")[0])  # it is kept for the next run
    expect(lines(page, "Calls").first).to_be_visible()
    page.get_by_test_id("history").get_by_text("Story", exact=True).click()
    expect(lines(page, "Story").first).to_be_visible()


@pytest.mark.parametrize("density", ["Story", "Calls", "Records"])
def test_no_switch_loses_ones_place(visit: Visit, logged: str, density: str) -> None:
    page = visit(f"/runs/{logged}?density={density.lower()}")
    expect(lines(page, density).first).to_be_visible()
    settled(page, None)
    page.get_by_test_id("records").hover()
    page.mouse.wheel(0, 1500)
    before = settled(page, None)
    assert before[0] != "row-0"
    field = page.get_by_label("Search the records")
    for text in ("the", "nobody says this"):
        field.fill(text)
        expect(page.get_by_role("main").get_by_role("status")).to_contain_text("found")
        settled(page, None) if text == "the" else expect(page.get_by_text("No record fits")).to_be_visible()
        field.press("Escape")
        expect(page.get_by_role("main").get_by_role("status")).not_to_contain_text("found")
        assert alike(settled(page, None), before), text
    for _ in range(2):
        page.get_by_role("button", name="Framework's internals").click()
    assert alike(settled(page, None), before)


def test_a_card_opens_in_place_to_all_that_was_thought_done_and_said(
    visit: Visit, served: Served, wrong: Document, camera: Camera
) -> None:
    (surfer, *_) = starts(served, "r1", "team/WebSurfer")
    page = visit(f"/runs/r1?at={surfer}&side=none&bottom=none")
    told = card(page, surfer)
    expect(told).to_contain_text(THOUGHT)  # before it is opened
    page.get_by_role("grid", name="Story").focus()
    page.keyboard.press("ArrowRight")
    expect(told).to_have_attribute("data-open", "true")
    expect(told).to_contain_text("from orchestrator")
    expect(told).to_contain_text(MISTAKE)
    expect(told.get_by_role("note", name="Thought").filter(has_text=THOUGHT)).to_be_visible()
    expect(told.get_by_role("button", name="Close the call of click")).to_be_visible()  # it said what is wrong first
    expect(told).to_contain_text("Reggie Jackson, 1977 New York Yankees")
    told.get_by_role("button", name="Open the call of search").click()
    expect(told.get_by_role("button", name="Close the call of search")).to_be_visible()
    expect(told).to_contain_text("Title: Reggie Jackson")  # of what came back
    camera.shoot(page, "story-open")
    assert findings(page) == []
    page.keyboard.press("Escape")
    told.get_by_role("button", name="Close the card").click()
    expect(told).not_to_have_attribute("data-open", "true")


def test_an_open_card_tells_the_question_before_the_answer(visit: Visit, served: Served, camera: Camera) -> None:
    program = """
        import outtake

        @outtake.agent
        def team(question):
            return "It is in Oslo."
    """
    spec = served.write("team.py", textwrap.dedent(program)) + ":team"
    question = "Where is it? " + "There is much to be said about that. " * 60
    served.ended(served.run(spec, input=question))
    page = visit("/runs/r1?side=none&bottom=none")
    told = card(page, 2)
    told.get_by_role("button", name="Open the card").click()
    asked, returned = told.get_by_text("Asked", exact=True), told.get_by_text("Returned", exact=True)
    above, below = asked.bounding_box(), returned.bounding_box()
    assert above is not None and below is not None
    assert above["y"] < below["y"] < above["y"] + 200, "a long question is folded"
    camera.shoot(page, "story-asked")
    told.get_by_role("button", name="Show all of it").click()
    expect(told.get_by_role("button", name="Show less")).to_have_attribute("aria-expanded", "true")
    whole = returned.bounding_box()
    assert whole is not None
    assert whole["y"] > below["y"] + 100
    assert findings(page) == []


def test_the_mistake_is_mended_from_its_card(visit: Visit, wrong: Document) -> None:
    page = visit("/runs/r1")
    lines(page, "Story").get_by_text(re.compile(rf"^{MISTAKE}")).click()
    details = page.get_by_role("article")
    details.get_by_role("button", name="Edit message").click()
    details.get_by_role("textbox", name="Edit message").fill(REMEDY)
    details.get_by_role("button", name="Change and go on").click()
    wait_for_right_answer(page, "r2")
    page.keyboard.press("d")  # what was changed
    chosen = page.get_by_role("row", selected=True)
    expect(chosen).to_contain_text("changed the message")
    expect(chosen).to_contain_text(REMEDY)
    page.keyboard.press("a")
    expect(page.get_by_role("row", selected=True)).to_contain_text("FINAL ANSWER: 519")


def test_an_error_is_never_invisible(visit: Visit, served: Served, writers: str, camera: Camera) -> None:
    run = served.run(writers, input="Oslo Rome")
    assert served.ended(run)["status"] == "failed"
    page = visit(f"/runs/{run}")
    failed = lines(page, "Story").filter(has_text="1 error")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("Rome was published already")
    page.keyboard.press("x")
    expect(page.get_by_role("row", selected=True)).to_contain_text("publish")
    camera.shoot(page, "story-error")
    page.get_by_role("button", name="1 error", exact=True).click()
    expect(page).to_have_url(re.compile("show=errors"))
    expect(lines(page, "Story").filter(has_text="Oslo")).to_have_count(0)
    expect(lines(page, "Story").filter(has=page.get_by_text("publish", exact=True))).to_have_count(1)
    page.get_by_role("button", name="1 error", exact=True).click()
    expect(page).not_to_have_url(re.compile("show=errors"))
    page.keyboard.press("r")
    page.get_by_role("button", name="Fold all").click()
    page.keyboard.press("c")
    expect(lines(page, "Calls").filter(has_text="publish").last).to_contain_text("failed")


def test_the_errors_of_a_component_are_a_link_to_them(visit: Visit, served: Served, writers: str) -> None:
    run = served.run(writers, input="Oslo Rome")
    served.ended(run)
    page = visit(f"/runs/{run}?component=main/publish")
    errors = page.get_by_title("Show these errors, and nothing else, in the history")
    expect(errors).to_have_text("1")
    errors.click()
    expect(page).to_have_url(re.compile("show=errors"))
    expect(lines(page, "Calls").filter(has_text="Rome was published already").first).to_be_visible()
    expect(lines(page, "Calls").filter(has_text="Oslo")).to_have_count(0)


def test_a_folded_group_carries_its_errors(visit: Visit, served: Served) -> None:
    program = """
import outtake

@outtake.tool(effects="read")
def look(city):
    raise ValueError(f"no {city}")

@outtake.agent
def clerk(city):
    try:
        return look(city)
    except ValueError:
        return "nothing"

def main(city="Oslo"):
    return clerk(city)
"""
    run = served.run(served.write("clerk.py", program) + ":main")
    served.ended(run)
    page = visit(f"/runs/{run}?density=records")
    row = lines(page, "Records").filter(has_text="clerk").filter(has_text="called")
    expect(row).not_to_contain_text("inside")
    row.get_by_role("button", name="Fold").click()
    expect(row).to_contain_text("1 error inside")
    page.keyboard.press("s")
    expect(lines(page, "Story").filter(has_text="clerk")).to_contain_text("1 error")


def alphanumeric(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def test_a_log_is_read_without_another_panel(visit: Visit, served: Served, logged: str, camera: Camera) -> None:
    records = served.ask("GET", f"/api/runs/{logged}/records?bodies=1")["records"]
    page = visit(f"/runs/{logged}?side=none&bottom=none")
    page.get_by_role("button", name="Open all cards").click()
    grid = page.get_by_role("grid", name="Story")
    grid.focus()
    seen: list[str] = []
    for _ in range(int(grid.get_attribute("aria-rowcount") or 0)):
        page.keyboard.press("ArrowDown")
        settled(page)
        chosen = page.get_by_role("row", selected=True)
        expect(chosen.locator("[class*=Skeleton]")).to_have_count(0)
        chosen.locator("details").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true; })")
        seen.append(alphanumeric(chosen.inner_text()))
    camera.shoot(page, "story-log")
    story = "".join(seen)
    for record in records:
        said = record.get("body")
        text = said if isinstance(said, str) else said.get("content", "") if isinstance(said, dict) else ""
        if (
            record["kind"] not in ("message_queued", "noted")
            or "](" in text
            or "```" in text
            or "is_request_satisfied" in text
        ):
            continue
        tail = alphanumeric(re.sub(r"(?m)^\s*\d+\. ", " ", text))[-40:]
        assert tail in story, (record["seq"], tail)
    assert "Isrequestsatisfied" in story  # a ledger, in words
    assert "is_request_satisfied" not in page.content()


def page_of(act: str, text: str) -> str:
    """What a web surfer says of a page, in the same words each time."""
    data = json.dumps({"meta_tags": {"viewport": "width=device-width, initial-scale=1", "robots": "noindex, nofollow"}})
    return (
        f"{act}\n\nHere is a screenshot of [the page](https://example.com/). It shows the top of the webpage.\n"
        f"The following metadata was extracted from the webpage:\n\n{data}\n\n"
        f"Automatic OCR of the page screenshot has detected the following text:\n\n{text}\n"
    )


HOUSES = "\n".join(f"{number} Taylor Avenue, a house with {number} windows in it" for number in range(300, 420))
REQUEST = "We are working to address the following user request:\n\nWhat was the lowest price of a house in January?\n"
WARNED = "/usr/lib/team/orchestrator.py:184: UserWarning: Resolved model mismatch\n  response = await create(\n"
GUESS = "An educated guess is that the lowest price is around $445,000 to $555,000."
PRICES = {
    "question": "What was the lowest price of a house in January?",
    "ground_truth": "1010000",
    "mistake_agent": "",
    "mistake_step": "",
    "mistake_reason": "",
    "history": [
        {"role": "human", "content": "What was the lowest price of a house in January?"},
        {"role": "Orchestrator (thought)", "content": f"Initial plan:\n\n{REQUEST}\nSearch the web first of all."},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Search for houses that were sold"},
        {"role": "WebSurfer", "content": page_of("I typed 'houses'.", "About 2,200 results were found here")},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Open the list of what was sold"},
        {
            "role": "WebSurfer",
            "content": page_of(
                "I clicked 'Sold'.", f"Nothing else is new\n{HOUSES}\nSold in December for $445,000\nEnd"
            ),
        },
        {"role": "Orchestrator (thought)", "content": f"Stalled.... Replanning...\n{WARNED}"},
        {"role": "Orchestrator (thought)", "content": f"New plan:\n\n{REQUEST}\n{'Ask the office. ' * 40}\n{GUESS}"},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Look again"},
        {"role": "WebSurfer", "content": page_of("I clicked 'Sold'.", "Access to this page has been denied")},
        {"role": "Orchestrator (termination condition)", "content": "No agent selected.\nFINAL ANSWER: 445000"},
    ],
}


@pytest.fixture
def prices(served: Served, tmp_path: Path) -> str:
    """A log whose wrong answer is the number of another house, which a plan took up as a guess."""
    file = tmp_path / "prices.json"
    file.write_text(json.dumps(PRICES))
    (told,) = served.outtake("import", str(file))
    return str(told["run"])


def sent(served: Served, run: str, text: str) -> int:
    """The record that says a text first."""
    return int(served.ask("GET", f"/api/runs/{run}/search?text={quote(text)}")["found"][0]["seq"])


def test_a_long_text_is_told_by_what_is_new_in_it(visit: Visit, served: Served, prices: str, camera: Camera) -> None:
    page = visit(f"/runs/{prices}?side=none&bottom=none")
    grid = page.get_by_role("grid", name="Story")
    denied = grid.get_by_role("row").filter(has_text="Access to this page has been denied")
    expect(denied).to_contain_text("I clicked 'Sold'.")
    for formula in ("Automatic OCR", "metadata", "top of the webpage"):
        expect(denied).not_to_contain_text(formula)
    plan = grid.get_by_role("row").filter(has_text="New plan:")
    expect(plan).to_contain_text("Ask the office.")
    expect(plan).not_to_contain_text("We are working to address")
    expect(plan).to_contain_text("Stalled.... Replanning...")
    expect(plan).not_to_contain_text("UserWarning")
    expect(plan).to_contain_text(
        re.compile(r"says 445,000.*guess is that the lowest price is around \$445,000 to \$555,000")
    )
    camera.shoot(page, "story-gist")
    plan.get_by_role("button", name="Open the card").click()
    expect(plan).to_contain_text("We are working to address")  # nothing is left out of an open card
    plan.get_by_text("1 warning of Python").click()
    expect(plan.get_by_text("UserWarning")).to_be_visible()
    asked = plan.get_by_role("button", name=re.compile(r"^#\d+$"))
    expect(asked).to_be_visible()
    first = sent(served, prices, "Sold in December")
    asked.click()  # what it heard is told by who said it
    expect(page).to_have_url(re.compile(rf"at={first}\b"))


def test_why_goes_through_the_plan_that_carried_the_number(visit: Visit, served: Served, prices: str) -> None:
    page = visit(f"/runs/{prices}")
    first = sent(served, prices, "Sold in December")
    verdict = page.get_by_label("How it came out")
    expect(verdict).to_contain_text(f"Wrong: 445000, expected 1010000. First said in #{first} by WebSurfer")
    page.keyboard.press("w")
    steps = page.get_by_label("What led to it").get_by_role("listitem")
    expect(steps.filter(has_text="first said here")).to_contain_text("Sold in December for $445,000")
    expect(steps.filter(has_text="Orchestrator thought")).to_contain_text("An educated guess")
    expect(steps.filter(has_text="termination condition")).to_contain_text("FINAL ANSWER: 445000")
    expect(steps.last).to_contain_text("the answer")


def in_sight(page: Page, name: str, part: float = 1.0) -> bool:
    """Whether something that is marked is in the window of the story, or in the first part of it."""
    script = """([name, part]) => {
        const window = document.querySelector("[data-testid=records]").getBoundingClientRect();
        const places = [...CSS.highlights.get(name)].map((range) => range.getBoundingClientRect());
        const end = window.top + window.height * part;
        return places.some(({ top, bottom }) => bottom > top && top >= window.top && bottom <= end);
    }"""
    return bool(page.evaluate(script, [name, part]))


def test_an_open_card_keeps_what_it_says_wrong_and_is_the_way_there(
    visit: Visit, served: Served, prices: str, camera: Camera
) -> None:
    first = sent(served, prices, "Sold in December")
    page = visit(f"/runs/{prices}?side=none&bottom=none")
    card = page.get_by_role("row").filter(has_text="Nothing else is new")
    expect(card).to_contain_text(re.compile(rf"#\d+\W{first + 1}"))  # the records of the card, which others name
    card.get_by_role("button", name="Open the card").click()
    expect(card).to_contain_text("419 Taylor Avenue")
    way = card.get_by_role("button", name=re.compile("^says 445,000"))
    expect(way).to_contain_text("Sold in December for $445,000")
    page.wait_for_function("(CSS.highlights.get('outtake-wrong')?.size ?? 0) > 0")
    way.click()
    expect(page).to_have_url(re.compile(rf"at={first}\b"))
    settled(page)
    assert in_sight(page, "outtake-wrong")
    page.keyboard.press("w")
    steps = page.get_by_label("What led to it").get_by_role("listitem")
    steps.filter(has_text="the answer").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile(rf"at=(?!{first}\b)"))
    for _ in range(2):  # also where it is selected already
        steps.filter(has_text="first said here").get_by_role("button").first.click()
        expect(page).to_have_url(re.compile(rf"at={first}\b"))
        settled(page)
        assert in_sight(page, "outtake-wrong")
        page.get_by_role("grid", name="Story").evaluate("(list) => list.scrollTo(0, 0)")
    camera.shoot(page, "story-wrong")


def test_the_end_is_marked_and_what_came_from_somebody_is_no_question(
    visit: Visit, served: Served, prices: str
) -> None:
    page = visit(f"/runs/{prices}?side=none&bottom=none")
    last = page.get_by_role("row").filter(has_text="No agent selected.")
    expect(last).to_contain_text(re.compile(r"says 445000.*FINAL ANSWER: 445000"))
    ended = page.get_by_role("row").filter(has_text="The run has ended")
    assert ended.locator("[data-marks]").inner_text() == "445000"
    expect(page.get_by_role("grid", name="Story")).not_to_contain_text("asks")


def test_a_number_is_found_however_it_is_written(visit: Visit, served: Served, prices: str) -> None:
    page = visit(f"/runs/{prices}?side=none&bottom=none&q=445000")
    grid = page.get_by_role("grid", name="Story")
    expect(page.get_by_role("main").get_by_role("status")).to_contain_text("found")
    expect(grid).to_contain_text("Sold in December for $445,000")
    page.wait_for_function("(CSS.highlights.get('outtake-search')?.size ?? 0) > 3")
    field = page.get_by_label("Search the records")
    for _ in range(4):
        before = page.url
        field.press("Enter")
        page.wait_for_function("(before) => location.href !== before", arg=before)
        settled(page)
        assert in_sight(page, "outtake-search")


def test_what_is_searched_for_comes_into_sight_in_a_card_higher_than_the_window(
    visit: Visit, served: Served, prices: str
) -> None:
    seq = sent(served, prices, "Sold in December")
    page = visit(f"/runs/{prices}?side=none&bottom=none")
    told = page.get_by_role("row").filter(has_text="Nothing else is new")
    told.get_by_role("button", name="Open the card").click()
    expect(told).to_contain_text("419 Taylor Avenue")
    field = page.get_by_label("Search the records")
    field.fill("Sold in December")
    expect(page.get_by_role("main").get_by_role("status")).to_contain_text("found")
    field.press("Enter")
    expect(page).to_have_url(re.compile(rf"at={seq}\b"))
    settled(page)
    assert in_sight(page, "outtake-search")


def test_what_is_searched_for_is_marked_and_gone_to(visit: Visit, wrong: Document, camera: Camera) -> None:
    page = visit("/runs/r1")
    field = page.get_by_label("Search the records")
    field.fill("Reggie Jackson")
    told = page.get_by_role("main").get_by_role("status")
    expect(told).to_contain_text("found")
    field.press("Enter")
    expect(told).to_contain_text(re.compile(r"^1 of \d+ places"))
    expect(page.get_by_role("row", selected=True)).to_contain_text("Reggie Jackson")
    field.press("ArrowDown")
    expect(told).to_contain_text(re.compile(r"^2 of \d+ places"))
    field.press("ArrowUp")
    expect(told).to_contain_text(re.compile(r"^1 of \d+ places"))
    page.wait_for_function("(CSS.highlights.get('outtake-search')?.size ?? 0) > 3")
    camera.shoot(page, "story-search")
    before = settled(page)
    field.press("Escape")
    expect(told).not_to_contain_text("places")
    assert alike(settled(page), before)
    assert page.evaluate("CSS.highlights.has('outtake-search')") is False


def test_an_agent_has_one_colour_everywhere(visit: Visit, served: Served, wrong: Document) -> None:
    (surfer, *_) = starts(served, "r1", "team/WebSurfer")
    page = visit(f"/runs/r1?at={surfer}&bottom=overview")
    entry = page.get_by_role("group", name="Colours").get_by_role("button", name=re.compile("WebSurfer"))
    colour = entry.locator("span").first.evaluate("(node) => getComputedStyle(node).backgroundColor")
    name = card(page, surfer).get_by_text("WebSurfer", exact=True).first
    assert name.evaluate("(node) => getComputedStyle(node).color") == colour
    signs = page.get_by_role("treeitem").filter(has_text=re.compile(r"^WebSurfer\b")).locator("svg")
    assert colour in signs.evaluate_all("(nodes) => nodes.map((node) => getComputedStyle(node).stroke)")
    page.keyboard.press("r")
    expect(lines(page, "Records").first).to_be_visible()
    icon = card(page, surfer).get_by_role("img", name="agent").first
    assert icon.evaluate("(node) => getComputedStyle(node).color") == colour


def test_a_transcript_reads_from_top_to_bottom_and_is_copied(visit: Visit, wrong: Document, camera: Camera) -> None:
    page = visit("/runs/r1", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("link", name="Transcript").click()
    expect(page).to_have_url(re.compile("/runs/r1/transcript"))
    told = page.get_by_role("main")
    expect(told.get_by_role("heading", name="WebSurfer")).to_be_visible()
    expect(told).to_contain_text(THOUGHT)
    expect(told).to_contain_text("FINAL ANSWER: 525")
    camera.shoot(page, "transcript")
    assert findings(page) == []
    page.get_by_role("button", name="Copy as Markdown").click()
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    assert copied.startswith("# r1 demo\n")
    assert copied.index(MISTAKE) < copied.index(THOUGHT) < copied.index("FINAL ANSWER: 525")
    assert f"> The first result is Reggie Jackson, 1977 New York Yankees. {THOUGHT}" in copied
    told.get_by_role("link", name="#", exact=False).last.click()
    expect(page).to_have_url(re.compile(r"/runs/r1\?at=\d+"))
