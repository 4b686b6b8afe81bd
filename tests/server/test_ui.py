"""The user interface as a browser gets it: one page for every address, and files that it may keep."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake.server.ui import Ui
from outtake.service import Service
from tests.server.conftest import Client, serving

PAGE = """<!doctype html>
<meta name="csp-nonce" content="__NONCE__">
<script type="module" nonce="__NONCE__" src="/assets/index-1a2b.js"></script>
"""
SCRIPT = "export const said = 'hello';\n" * 100


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a build leaves behind, and a file beside it that is nobody's business."""
    folder = tmp_path_factory.mktemp("package") / "static"
    (folder / "assets" / "fonts").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / ".build-hash").write_text("secret")
    (folder.parent / "secret.js").write_text("secret")
    (folder / "assets" / "index-1a2b.js").write_text(SCRIPT)
    (folder / "assets" / "index-1a2b.js.br").write_text("as the build left it")
    (folder / "assets" / "small-3c.css").write_text("a { color: red }")
    (folder / "assets" / "fonts" / "sans-4d.woff2").write_bytes(bytes(4096))
    return folder


@pytest.fixture
def client(service: Service, built: Path) -> Iterator[Client]:
    with serving(service, Ui(built)) as found:
        yield found.client


def test_every_address_that_is_nobody_elses_gets_the_page(client: Client) -> None:
    for path in ("/", "/runs", "/runs/r1?seq=3", "/runs/r1/of/team%2Fcoder", "/apiary", "/docs", "/index.html"):
        reply = client.ask("GET", path)
        assert (reply.status, reply.headers.get_content_type()) == (200, "text/html"), path
        assert reply.headers["Cache-Control"] == "no-store"
        nonce = re.findall(r"'nonce-([\w-]+)'", reply.headers["Content-Security-Policy"])[0]
        assert reply.text == PAGE.replace("__NONCE__", nonce)


def test_what_the_api_does_not_know_is_an_error_in_its_form(client: Client) -> None:
    for path in ("/api", "/api/", "/api/nothing", "/api/runs/r1/nothing"):
        assert client.ask("GET", path).error["code"] == "not_found", path
    assert client.ask("GET", "/api/import").status == 405


def test_files_named_by_their_content_are_kept_by_the_browser(client: Client) -> None:
    reply = client.ask("GET", "/assets/index-1a2b.js")
    assert (reply.status, reply.text) == (200, SCRIPT)
    assert reply.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in reply.headers["Cache-Control"]
    packed = client.ask("GET", "/assets/index-1a2b.js", headers={"Accept-Encoding": "gzip, deflate"})
    assert (packed.headers["Content-Encoding"], packed.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(packed.body).decode() == SCRIPT
    smaller = client.ask("GET", "/assets/index-1a2b.js", headers={"Accept-Encoding": "gzip, deflate, br"})
    assert (smaller.headers["Content-Encoding"], smaller.body) == ("br", b"as the build left it")
    assert smaller.headers["Content-Type"] == "text/javascript; charset=utf-8"
    for path in ("/assets/small-3c.css", "/assets/fonts/sans-4d.woff2"):
        reply = client.ask("GET", path, headers={"Accept-Encoding": "gzip"})
        assert (reply.status, reply.headers["Content-Encoding"]) == (200, None), path


def test_other_files_of_the_build_are_asked_for_again(client: Client) -> None:
    reply = client.ask("GET", "/favicon.svg")
    assert (reply.text, reply.headers["Content-Type"]) == ("<svg/>", "image/svg+xml")
    assert reply.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/gone-5e.js",
        "/assets/index-1a2b.js.br",
        "/assets/",
        "/assets/fonts",
        "/assets/../index.html",
        "/assets/../../secret.js",
        "/assets/..%2F..%2Fsecret.js",
        "/assets/%2Fetc%2Fpasswd",
        "/assets/..%5C..%5Csecret.js",
        "/assets/%00",
        "/assets/" + "a" * 2000,
    ],
)
def test_nothing_else_is_a_file(client: Client, path: str) -> None:
    reply = client.ask("GET", path)
    assert (reply.status, reply.error["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/.build-hash", "/../secret.js", "/..%2Fsecret.js", "//etc/passwd"])
def test_beside_the_build_there_is_nothing(client: Client, path: str) -> None:
    reply = client.ask("GET", path)
    assert (reply.status, "csp-nonce" in reply.text) == (200, True)


def test_the_plain_page_is_still_there(client: Client) -> None:
    reply = client.ask("GET", "/plain")
    assert (reply.status, "<script" in reply.text, "OUTTAKE_UI" in reply.text) == (200, False, False)


def test_without_a_build_the_plain_page_says_how_to_get_it(service: Service, tmp_path: Path) -> None:
    with serving(service, Ui(tmp_path / "none")) as found:
        for path in ("/", "/runs/r1"):
            reply = found.client.ask("GET", path)
            assert (reply.status, "OUTTAKE_UI" in reply.text, "There are no runs yet" in reply.text) == (
                200,
                True,
                True,
            )
        assert found.client.ask("GET", "/assets/index-1a2b.js").status == 404


def test_the_page_and_its_files_need_no_token_and_hold_nothing(service: Service, built: Path) -> None:
    """A browser asks for them without one: a new tab has the token only once its page is there."""
    with serving(service, Ui(built)) as found:
        for path in ("/", "/runs/r1", "/assets/index-1a2b.js", "/favicon.svg"):
            reply = found.stranger.ask("GET", path)
            assert (reply.status, found.keys.token in reply.text) == (200, False)
