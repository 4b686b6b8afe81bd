"""The almanac's web server: the pages and a search, on a free port of this machine only."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from .pages import Page, bullets, link

_RESULTS = 5


class _Server(ThreadingTCPServer):
    # Not http.server.HTTPServer: binding one looks up the machine's name, which can hang where there is no network.
    daemon_threads = True

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = pages
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        page = _find(self.server.pages, self.path)
        if page is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = page.html.encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the console belongs to the team."""


def serve(pages: Sequence[Page]) -> str:
    """Serve the pages for as long as this process lives; gives the server's address."""
    server = _Server(pages)
    Thread(target=server.serve_forever, name="almanac", daemon=True).start()
    host, port = server.server_address[:2]
    return f"http://{host!s}:{port}"


def search(pages: Sequence[Page], query: str) -> Page:
    """The page of results: those with the most words of the query first, a word in the title counting twice."""
    wanted = _words(query)
    hits = sorted(((_score(page, wanted), page) for page in pages), key=lambda hit: hit[0], reverse=True)
    found = [page for score, page in hits if score][:_RESULTS]
    note = f"<p>{len(found)} results, best first.</p>"
    return Page("/search", "Search the almanac", note + bullets(link(page.path, page.title) for page in found))


def _find(pages: Sequence[Page], target: str) -> Page | None:
    url = urlsplit(target)
    if url.path == "/search":
        return search(pages, " ".join(parse_qs(url.query).get("q", [])))
    return next((page for page in pages if page.path == url.path), None)


def _score(page: Page, wanted: set[str]) -> int:
    return len(wanted & _words(page.title)) + len(wanted & _words(f"{page.title} {page.body}"))


def _words(text: str) -> set[str]:
    """The words of a text or of HTML, in lower case and without tags."""
    return set(re.findall(r"\w{2,}", re.sub(r"<[^>]*>", " ", text).lower()))
