"""The plain page: what programs say is shown, never obeyed."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.server.conftest import Reply, Server

BAD = "<script>alert(1)</script>\"'&"


class _Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "td":
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def opened(server: Server) -> Reply:
    """The page as a browser opens it."""
    return server.stranger.ask("GET", f"/plain?token={server.keys.token}")


def test_an_empty_store_says_how_to_begin(server: Server) -> None:
    reply = opened(server)
    assert (reply.status, reply.headers.get_content_type()) == (200, "text/html")
    assert "outtake run" in reply.text


def test_texts_of_runs_are_escaped(server: Server) -> None:
    client = server.client
    client.post("/api/runs", {"spec": "hostile.py:main", "name": BAD, "input": BAD}, status=201)
    server.ended("r1")
    server.ended(client.post("/api/runs/r1/fork", {"at": 0, "name": "again"}, status=201)["run"])
    reply = opened(server)
    assert "<script" not in reply.text
    page = _Page(reply.text)
    assert not page.tags & {"script", "iframe", "img", "style"}
    assert page.attributes <= {"class", "href", "rel", "lang", "charset", "name", "content"}
    assert f"r1 {BAD}" in page.cells
    assert "   └ r2 again" in page.cells
    assert page.cells.count(BAD) == 2  # the output of both
    assert "r1 at 0" in page.cells


def test_the_style_is_served_with_the_page(server: Server) -> None:
    reply = server.client.ask("GET", "/plain.css")
    assert (reply.status, reply.headers.get_content_type()) == (200, "text/css")
