"""Addresses in texts, compared without what does not change where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+", re.IGNORECASE)
_ENDS = " \t\r\n\"'<>()[]{}|\\^`"
_TAIL = ".,;:!?*_"


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its normal form."""

    said: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    fragment: str = ""

    def written(self, text: str) -> str | None:
        """How `text` is this address, if it is: what differs."""
        other = normal(text) or normal("http://" + text)
        if other is None or (other.host, other.path, other.query) != (self.host, self.path, self.query):
            return None
        return "other fragment" if other.fragment != self.fragment else "other notation of the address"


def normal(text: str) -> Address | None:
    """The address that a whole text is."""
    if not _ADDRESS.fullmatch(text):
        return None
    if not re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE):
        text = "http://" + text
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").removeprefix("www.")
        port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    except ValueError:
        return None
    if not host:
        return None
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return Address(text, host + port, unquote(parts.path).rstrip("/"), query, parts.fragment)


def places(text: str, host: str) -> Iterator[tuple[int, int]]:
    """Where something that may be an address at `host` stands in a text."""
    low = text.lower()
    bare = host.partition(":")[0]
    end = 0
    while (found := low.find(bare, end)) >= 0:
        start, end = found, found + len(bare)
        while start > 0 and text[start - 1] not in _ENDS and not text[start - 1].isspace():
            start -= 1
        while end < len(text) and text[end] not in _ENDS and not text[end].isspace():
            end += 1
        yield start, start + len(text[start:end].rstrip(_TAIL))
