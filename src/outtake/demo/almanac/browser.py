"""The web surfer's tools: real HTTP requests, to the almanac's server and nowhere else.

The tools have no memory. Every call names the page that it works on, so the same call has the same result whenever it
is made, and no call depends on an earlier one having been made in this process. Pages have a stable public address
(`http://almanac.example/...`); which port serves them is known only here, so that no prompt depends on it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated
from urllib.error import HTTPError
from urllib.parse import quote_plus, urljoin, urlsplit
from urllib.request import ProxyHandler, build_opener

from .pages import HOME, HOST
from .web_page import WebPage

_SECONDS = 10

Address = Annotated[str, f"address of the page, for example {HOME}"]


class Browser:
    """Reads the web site whose pages are called `http://almanac.example/...` and served at `origin`."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        # A proxy from the environment would be asked for an address that means something on this machine only.
        self._opener = build_opener(ProxyHandler({}))

    def tools(self) -> list[Callable[..., Awaitable[str]]]:
        """What a web surfer may call."""
        return [self.open_page, self.click, self.sort_table, self.find_on_page, self.search]

    async def open_page(self, address: Address) -> str:
        """Open a page and read its text, table and links."""
        return _render(address, await self._get(address))

    async def click(self, address: Address, link: Annotated[str, "text of a link on that page"]) -> str:
        """Follow a link of a page, and read the page it leads to."""
        links = (await self._get(address)).links
        if link not in links:
            raise LookupError(f"{address} has no link {link!r}; its links are: {', '.join(links)}")
        return await self.open_page(urljoin(address, links[link]))

    async def sort_table(
        self,
        address: Address,
        column: Annotated[str, "heading of the column to sort by"],
        descending: Annotated[bool, "largest first"],
    ) -> str:
        """Sort the table of a page by one column, and read it."""
        page = await self._get(address)
        heading, name = (page.table or [[]])[0], column.lower().replace("_", " ")
        if name not in heading:
            raise LookupError(f"{address} has no column {column!r}; its columns are: {', '.join(heading)}")
        page.table = [heading, *page.sorted_by(name, descending)]
        return _render(address, page)

    async def find_on_page(self, address: Address, text: Annotated[str, "text to look for"]) -> str:
        """List the lines and rows of a page that contain a text."""
        page = await self._get(address)
        page.lines = [line for line in page.lines if text.lower() in line.lower()]
        found = [row for row in page.table[1:] if text.lower() in " ".join(row).lower()]
        page.table = [*page.table[:1], *found] if found else []
        page.links = {}
        return _render(address, page)

    async def search(self, query: Annotated[str, "words to search for"]) -> str:
        """Search the almanac; gives links to pages, best first."""
        return await self.open_page(f"{HOME}search?q={quote_plus(query)}")

    async def _get(self, address: str) -> WebPage:
        return WebPage.from_html(await asyncio.to_thread(self._fetch, address))

    def _fetch(self, address: str) -> str:
        url = urlsplit(address)
        if url.scheme != "http" or url.netloc != HOST:
            raise LookupError(f"{address} is out of reach: the only site here is {HOME}")
        target = url._replace(netloc=urlsplit(self._origin).netloc, path=url.path or "/", fragment="").geturl()
        try:
            with self._opener.open(target, timeout=_SECONDS) as response:
                body: bytes = response.read()
        except HTTPError as error:
            raise LookupError(f"there is no page {address} (status {error.code})") from error
        return body.decode()


def _render(address: str, page: WebPage) -> str:
    """A page as text. `policies.reading` reads this form."""
    parts = [f"Address: {address}", f"Title: {page.title}", "", *page.lines]
    parts += [" | ".join(row) for row in page.table]
    parts += [f"Link: {text}" for text in page.links]
    return "\n".join(parts)
