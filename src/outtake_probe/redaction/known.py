"""Known secrets: values of environment variables whose names tell, and what else they may look like in a text.

A known secret is found as it is, in part (from half of it on: texts are cut to fit), and as base64, hexadecimal digits,
in an address, in JSON.
"""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping

from outtake_probe.redaction.names import is_secret, telling

_AS_ASCII, _AS_TEXT = json.JSONEncoder().encode, json.JSONEncoder(ensure_ascii=False).encode
"""Made here: a program may replace what the module has."""

SHORTEST = 8
"""Characters from which the value of a variable counts as a secret, and the part of one as a part."""
_TELLING = re.compile(
    r"(?<!PUBLIC_)KEY(?!BOARD)|TOKEN(?!IZERS)|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|WEBHOOK|"
    r"(?:^|_)(?:PASS|PWD|AUTH|PAT|JWT|DSN|APIKEY)(?:_|$)",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:OLD)?PWD|.*_(?:FILE|PATH|DIR|SOCK)|GOOGLE_APPLICATION_CREDENTIALS", re.IGNORECASE)
"""Names of places."""
_HARMLESS = re.compile(r"[0-9.,_ -]*|true|false|none|null|https?://[^@?\s]*", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"://[^/\s:@]*:([^@\s]+)@")


def secrets_in(variables: Mapping[str, str]) -> Iterator[str]:
    """The secrets that stand in environment variables."""
    for name, value in variables.items():
        if len(value) < SHORTEST:
            continue
        yield from (secret for secret in _IN_ADDRESS.findall(value) if len(secret) >= SHORTEST - 2)
        is_hook = "WEBHOOK" in name.upper()
        if not _NOT.fullmatch(name) and _TELLING.search(name) and (is_hook or not _HARMLESS.fullmatch(value)):
            yield value.strip()
        if value.lstrip()[:1] == "{":
            yield from _in_json(value)


def _in_json(text: str) -> Iterator[str]:
    """Secrets of a JSON object, such as the account of a service."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, str) and len(value) >= SHORTEST and is_secret(telling(name), value):
            yield value


class Known:
    """One known secret."""

    __slots__ = ("_rest", "_value", "signs")

    def __init__(self, value: str) -> None:
        half = max(SHORTEST, (len(value) + 1) // 2)
        self._value = value
        self.signs: tuple[str, ...] = tuple(
            dict.fromkeys((value[:half], value[-half:], *_encoded(value))) if len(value) >= half else (value,)
        )
        """What a text contains that has the secret in it, in whatever form."""
        self._rest = re.compile("|".join(map(re.escape, sorted(self.signs[2:], key=len, reverse=True))) or r"(?!)")

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text: as it is, in part, encoded."""
        value, half = self._value, len(self.signs[0])
        at = text.find(self.signs[0])
        while at >= 0:
            end = at + half
            while end - at < len(value) and end < len(text) and text[end] == value[end - at]:
                end += 1
            yield at, end
            at = text.find(self.signs[0], end)
        tail = self.signs[1] if len(self.signs) > 1 else ""
        at = text.find(tail) if tail else -1
        while at >= 0:
            begin, left = at, len(value) - len(tail)
            while left and begin and text[begin - 1] == value[left - 1]:
                begin, left = begin - 1, left - 1
            yield begin, at + len(tail)
            at = text.find(tail, at + 1)
        yield from (found.span() for found in self._rest.finditer(text))

    def begins_at_end(self, text: str) -> int | None:
        """Where the end of a text is the beginning of it, from four characters on."""
        value = self._value
        for size in range(min(len(value) - 1, len(text)), 3, -1):
            if text.endswith(value[:size]):
                return len(text) - size
        return None


def _encoded(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    yield data.hex()
    yield data.hex().upper()
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
        inner = whole[(0, 2, 3)[offset] : len(whole) - ((len(data) + offset) % 3 > 0)]  # without what its sides change
        if len(inner) >= SHORTEST:
            yield inner
            yield inner.replace("+", "-").replace("/", "_")
    for other in (
        urllib.parse.quote(value, safe=""),
        urllib.parse.quote_plus(value),
        urllib.parse.quote(value),
        _AS_ASCII(value)[1:-1],
        _AS_TEXT(value)[1:-1],
        str.__repr__(value)[1:-1],
    ):
        if other != value:
            yield other
