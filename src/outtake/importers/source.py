"""A file that is to be imported, as the importers look at it: bytes, text, JSON, JSON by lines, or a zip archive.

Each view is made when it is first asked for, and none of them raises: what a file is not is empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

from outtake.core.nesting import is_too_deep
from outtake.importers.values import parsed
from outtake_probe.records import Json

DEEPEST = 200
"""Levels of lists and objects in a file."""
_LINES = 3_000_000


class Packed(Protocol):
    """A zip archive."""

    def names(self) -> Sequence[str]:
        """The names of its files."""
        ...

    def document(self, name: str) -> Json:
        """The JSON document that a file of it holds.  Raises `ValueError`."""
        ...


class Source:
    """One file."""

    def __init__(self, data: bytes, name: str = "", packed: Packed | None = None) -> None:
        self.data = data
        self.name = name
        """For messages, and as the name of a run: it says nothing about what the file is."""
        self.packed = packed
        self.trouble = ""
        """Why it is neither JSON nor JSON by lines, once one of these was asked for."""

    @cached_property
    def text(self) -> str:
        """All of it as text; empty: it is no UTF-8."""
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return ""
        return "" if "\0" in text else text

    @cached_property
    def json(self) -> Json:
        """What the file holds if it is one JSON document; None: it is not, or holds null."""
        if not self.text:
            self.trouble = "no text" if self.data else "empty"
            return None
        return self._parsed(self.text, "")

    @cached_property
    def lines(self) -> Sequence[Json]:
        """What each line holds if all of them that are not blank are JSON documents."""
        if not self.text or self.text.count("\n") > _LINES:
            return ()
        found: list[Json] = []
        for number, line in enumerate(self.text.split("\n"), 1):
            if line.strip():
                value = self._parsed(line, f"line {number}" if found else "")
                if value is None:
                    return ()
                found.append(value)
        return found

    @cached_property
    def documents(self) -> Sequence[Json]:
        """The items of a JSON list, a JSON document, or the documents of all lines."""
        if self.json is None:
            return self.lines
        return self.json if isinstance(self.json, list) else [self.json]

    @cached_property
    def objects(self) -> Sequence[Mapping[str, Json]]:
        """The documents, if all of them are objects."""
        return self.documents if all(isinstance(item, dict) for item in self.documents) else ()

    @cached_property
    def root(self) -> Mapping[str, Json]:
        """The file as one JSON object; empty: it is none."""
        return self.json if isinstance(self.json, dict) else {}

    def _parsed(self, text: str, where: str) -> Json:
        at = f" in {where}" if where else ""
        try:
            value = parsed(text)
        except json.JSONDecodeError as error:
            self.trouble = (
                f"no JSON from {where} on"
                if where
                else self.trouble or f"no JSON (line {error.lineno}, column {error.colno})"
            )
            return None
        except RecursionError:
            self.trouble = f"nested too deeply{at}"
            return None
        except ValueError as error:
            self.trouble = f"no JSON that is read{at} ({error})"
            return None
        if is_too_deep(value, DEEPEST):
            self.trouble = f"nested more than {DEEPEST} levels deep{at}"
            return None
        return value
