"""A run as one HTML file: what is in it, and what can never become a part of the page's source."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from outtake.server import sharing
from outtake.server.sharing import share
from outtake.service import Service
from outtake.service.errors import NotFound
from outtake.service.rpc_client import open_service

KEY = "sk-proj-" + "a1B2c3D4" * 6
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "</style></title>{data}{script}{{x}}${y}%s",
    "[x](javascript:alert(1))",
    "\u2028\u2029\x00\ud800 &lt;script&gt;",
]


class Tags(HTMLParser):
    """The elements of a page, and what stands in its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self.inside: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        if self.tags:
            self.inside.append((self.tags[-1], data))


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = open_service(tmp_path / ".outtake")
    yield opened
    opened.close()


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A small page, instead of the one that the user interface is built with."""
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "share.js").write_text('const tag = "</script>"; const note = "<!--";')
    (folder / "share.css").write_text("a { color: red }")
    return folder


def imported(service: Service, folder: Path, texts: list[str]) -> str:
    log = [{"role": "assistant" if n % 2 else "user", "content": text} for n, text in enumerate(texts)]
    (folder / "log.json").write_text(json.dumps(log))
    return str(service.import_(str(folder / "log.json"))["run"])


def read(page: str) -> tuple[Tags, Any]:
    tags = Tags()
    tags.feed(page)
    data = re.search(r'<script type="application/json" id="run">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    return tags, json.loads(data[1])


def test_what_a_log_says_is_data(service: Service, built: Path, tmp_path: Path) -> None:
    run = imported(service, tmp_path, [*HOSTILE, "the end"])
    service.rename(run, "</title><script>alert(2)</script>")
    page = share(service, run, built)
    tags, data = read(page)
    assert tags.tags == ["html", "head", *["meta"] * 4, "title", "style", "body", "div", "noscript", "script", "script"]
    said = {glance["text"] for glance in data["texts"]["glances"].values()}
    assert {text.replace("\ud800", "\ufffd") for text in HOSTILE[:5]} <= said
    assert data["run"]["name"].startswith("</title>")
    before, _, after = page.partition('id="run">')
    assert "alert" not in before.replace("&lt;/title&gt;&lt;script&gt;alert(2)&lt;/script&gt;", "")
    assert "alert" not in after.partition("</script>")[2]


def test_the_policy_allows_this_script_and_style_and_nothing_else(
    service: Service, built: Path, tmp_path: Path
) -> None:
    page = share(service, imported(service, tmp_path, ["one", "two"]), built)
    tags, _ = read(page)
    policy = next(found["content"] for found in tags.attributes if "http-equiv" in found)
    script, style = page.rpartition("<script>")[2].partition("</script>")[0], page.partition("<style>")[2]
    style = style.partition("</style>")[0]
    for kind, text in (("script", script), ("style", style)):
        told = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{told}'" in (policy or "")
    assert (policy or "").startswith("default-src 'none'; ")
    assert not [found for found in tags.attributes if {"src", "href"} & found.keys()]


def test_secrets_of_other_programs_logs_are_replaced(service: Service, built: Path, tmp_path: Path) -> None:
    run = imported(service, tmp_path, ["hello", f"my key is {KEY}", json.dumps({"password": "correct horse battery"})])
    page = share(service, run, built)
    assert KEY not in page
    assert "correct horse" not in page
    assert "[redacted]" in page


def test_a_file_is_bounded_and_says_what_is_left_out(
    service: Service, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = imported(service, tmp_path, [f"{n} " + "word " * 2000 for n in range(20)])
    whole = share(service, run, built)
    assert read(whole)[1]["texts"]["cut"] == 0
    monkeypatch.setattr(sharing, "LONGEST_TEXT", 5000)
    cut = share(service, run, built)
    assert read(cut)[1]["texts"]["cut"] >= 20
    assert len(cut) < len(whole) / 3
    monkeypatch.setattr(sharing, "MOST_RECORDS", 10)
    outline = read(share(service, run, built))[1]["outline"]
    assert (outline["count"], outline["total"] > 10) == (10, True)


def test_without_the_user_interface_the_error_says_so(service: Service, tmp_path: Path) -> None:
    run = imported(service, tmp_path, ["one", "two"])
    with pytest.raises(NotFound, match="was not built"):
        share(service, run, tmp_path / "nowhere")
