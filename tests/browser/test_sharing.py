"""A run as one HTML file, opened from the disk where there is no network and no server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import BOUND, Camera, Served
from tests.browser.programs import REMEDY

HOSTILE = [
    "\u2028\u2029 \U0001f600 </style><style>*{display:none}</style> ]]> --> &lt;b&gt;",
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 2</script><!--",
    "<img src=x onerror='window.ran = 3'> and <svg/onload=window.ran=4>",
    "[click](javascript:window.ran=5) ![picture](http://tracker.example/x.png) <javascript:window.ran=6>",
    "${window.ran = 7} {{constructor.constructor('window.ran = 8')()}} {policy} %s __NONCE__",
]
"""What a log may hold."""


@pytest.fixture
def offline(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page without a network; what it asks for, and what it complains about, is a failure."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True, accept_downloads=True)
    context.set_default_timeout(BOUND * 1000)
    troubles: list[str] = []
    context.on("request", lambda request: troubles.append(request.url) if request.url[:5] != "file:" else None)
    context.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    yield context.new_page()
    assert troubles == []
    context.close()


@pytest.mark.usefixtures("wrong")
def test_a_fork_is_shared_and_read_without_outtake(
    visit: Visit, served: Served, offline: Page, camera: Camera, tmp_path: Path
) -> None:
    edit = {"op": "replace_message", "seq": 90, "value": REMEDY}
    served.ask("POST", "/api/runs/r1/fork", {"at": 90, "edits": [edit], "headless": True})
    served.ended("r2")
    page = visit("/runs/r2/transcript")
    with page.expect_download() as download:
        page.get_by_role("button", name="Share as one file").click()
    file = tmp_path / "shared.html"
    download.value.save_as(file)
    assert file.stat().st_size < 3_000_000
    offline.goto(file.as_uri())
    expect(offline.get_by_role("heading", level=1)).to_contain_text("r2")
    expect(offline.get_by_text("Right, expected: 519")).to_be_visible()
    expect(offline.get_by_role("group", name="Turns of r1")).to_be_visible()
    expect(offline.get_by_role("heading", name=re.compile("Compared with r1: 90 records shared"))).to_be_visible()
    expect(offline.get_by_text(REMEDY).first).to_be_visible()
    expect(offline.get_by_text("FINAL ANSWER: 519").first).to_be_visible()
    camera.shoot(offline, "shared")
    offline.get_by_role("group", name="Turns of r2").get_by_role("link").last.click()
    expect(offline.locator("article:target")).to_be_in_viewport()
    camera.shoot(offline, "shared-end")
    offline.emulate_media(color_scheme="dark")
    camera.shoot(offline, "shared-dark")


def test_what_a_log_holds_is_only_read(served: Served, offline: Page, camera: Camera, tmp_path: Path) -> None:
    log = [{"role": "user" if n % 2 else "assistant", "content": text, "name": text} for n, text in enumerate(HOSTILE)]
    (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
    run = served.outtake("import", "log.json")[0]["run"]
    served.outtake("rename", run, "</title><script>window.ran = 9</script>")
    served.outtake("export", run, "--html", "shared.html")
    offline.goto((tmp_path / "shared.html").as_uri())
    expect(offline.get_by_role("article").nth(len(HOSTILE) - 1)).to_be_visible()
    for text in ("window.ran = 1", "window.ran = 2", "onerror=", "constructor.constructor", "__NONCE__"):
        expect(offline.get_by_text(text).first).to_be_visible()
    assert offline.evaluate("window.ran") is None
    links = offline.get_by_role("link").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert [link for link in links if not (link or "").startswith("#")] in ([], [""], ["", ""])
    assert offline.locator("img, iframe, object, form").count() == 0
    assert offline.locator("script").count() == 2
    camera.shoot(offline, "shared-hostile")
    expect(offline.get_by_role("main").get_by_role("heading", level=1)).to_have_count(1)
