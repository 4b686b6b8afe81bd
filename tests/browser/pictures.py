"""The pictures of the README: `python -m tests.browser.pictures FOLDER`, with OUTTAKE_ENVS for the demo's environment.

A real server, the demo's runs made by its real program, and Chromium.  What can be seen of a machine (its folders, its
name) is in no picture.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

import outtake.demo
from tests.browser.ground import BOUND, FLAGS, Camera, Document, Served, chromium
from tests.browser.programs import DEMO, QUESTION, REMEDY

LOG = Path(outtake.demo.__file__).parent / "logs" / "box-office.json"
HELD = "tool:click"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="outtake-pictures-") as place, sync_playwright() as playwright:
        served = Served(Path(place))
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        served.start()
        try:
            take(browser, served, Camera(folder))
        finally:
            browser.close()
            served.stop()


def take(browser: Browser, served: Served, camera: Camera) -> None:
    """All of them, in the order of the README's tour."""
    expect.set_options(timeout=BOUND * 1000)
    python = Path(os.environ["OUTTAKE_ENVS"], "autogen", "bin", "python")
    team: Document = {
        "spec": "team.py:get_team",
        "folder": str(DEMO),
        "python": str(python),
        "input": QUESTION,
        "expected": "519",
        "name": "demo",
    }
    wrong = served.ended(served.run(**team))["run"]
    message = instruction(served, wrong)
    with page(browser, served, f"/runs/{wrong}?at={message}") as shown:
        details = shown.get_by_role("article")
        details.get_by_role("button", name="Edit message").click()
        details.get_by_role("textbox", name="Edit message").fill(REMEDY)
        shoot(shown, camera, "edit")
    edit = {"op": "replace_message", "seq": message, "value": REMEDY}
    asked = {"at": message, "edits": [edit], "name": "demo, edited"}
    right = served.ask("POST", f"/api/runs/{wrong}/fork", asked)["run"]
    assert "519" in served.ended(right)["output"]["answer"]
    held = served.run(**team, breakpoints=[HELD])
    wait_until_held(served, held)
    (told,) = served.outtake("import", str(LOG))
    finding = next(one["seq"] for one in remarks(served, told["run"]) if one["kind"] == "finding")
    edited = message + 1
    views: Mapping[str, str] = {
        "why": f"/runs/{wrong}?at={message}&why=true&side=none",
        "overview": f"/runs/{right}?at={edited}",
        "compare": f"/runs/{right}?at={edited}&full=compare&vs={wrong}",
        "trace": f"/runs/{right}?at={edited}&full=trace",
        "graph": f"/runs/{right}?at={edited}&full=graph",
        "held": f"/runs/{held}?mode=held",
        "log": f"/runs/{told['run']}?at={finding}",
    }
    for name, path in views.items():
        for scheme in SCHEMES if name == "overview" else SCHEMES[:1]:
            with page(browser, served, path, scheme) as shown:
                shoot(shown, camera, name if scheme == "light" else f"{name}-{scheme}")
    served.ask("POST", f"/api/runs/{held}/stop", {})


@contextmanager
def page(browser: Browser, served: Served, path: str, scheme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page in a browser that has seen nothing before."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    shown = context.new_page()
    shown.goto(served.address(path))
    expect(shown.get_by_test_id("records").get_by_role("row", include_hidden=True).first).to_be_attached()
    yield shown
    context.close()


def shoot(shown: Page, camera: Camera, name: str) -> None:
    """A picture, once nothing is on its way any more."""
    shown.wait_for_load_state("networkidle")
    shown.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    shown.mouse.move(0, 0)
    picture = camera.shoot(shown, name)
    print(f"{picture.name}  {picture.stat().st_size / 1000:.0f} kB")


def instruction(served: Served, run: str) -> int:
    """The message that leads the team astray: the first of those that say it, one to each member."""
    queued = served.ask("GET", f"/api/runs/{run}/records?kind=message_queued&bodies=1")["records"]
    return next(
        int(record["seq"])
        for record in queued
        if "Identify the player" in str(record.get("body")) and len(str(record["body"])) < 700
    )


def remarks(served: Served, run: str) -> list[Document]:
    found: list[Document] = served.ask("GET", f"/api/runs/{run}/annotations")["annotations"]
    return [one for one in found if one.get("seq") is not None]


def wait_until_held(served: Served, run: str) -> None:
    until = time.monotonic() + BOUND
    while served.ask("GET", f"/api/runs/{run}")["status"] != "held":
        assert time.monotonic() < until, f"{run} is not held"
        time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
