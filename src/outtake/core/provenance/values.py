"""The values in bodies that tell where something came from, and which records gave each of them out.

A value tells if it is unlikely to be in two places by chance: a text of some letters, a number of two digits or more.
Names of types and roles do not.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from outtake.core.provenance.contents import Contents
from outtake.core.provenance.matchers import Match, Sought, at, seek
from outtake_probe.bodies import cut_text, reference
from outtake_probe.records import Json

SHORTEST = 4
"""Letters from which a text tells."""
COMMON = 500
"""Nodes over which a value is a form of words that tells nothing."""
_NAMES = frozenset(
    (
        "$type",
        "class",
        "type",
        "role",
        "kind",
        "id",
        "model",
        "finish_reason",
        "object",
        "created",
        "source",
        "name",
        "frames",
    )
)
"""Fields that say what something is, not what it says; the frames of an error repeat what their code was given."""


def telling(value: Json) -> str | None:
    """The text of a value that tells; None for one that does not."""
    if isinstance(value, str):
        text = value.strip()
        return text if len(text) >= SHORTEST or (len(text) > 1 and text.isdecimal()) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return json.dumps(value) if isinstance(value, float) or abs(value) >= 10 else None


def _references(value: Json) -> list[str]:
    """The nodes that a parsed node refers to where it says something."""
    if (name := reference(value)) is not None:
        return [name]
    if isinstance(value, dict):
        return [name for key, item in value.items() if key not in _NAMES for name in _references(item)]
    return [name for item in value for name in _references(item)] if isinstance(value, list) else []


@dataclass(slots=True)
class Values:
    """The telling values of all bodies."""

    contents: Contents
    _own: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _under: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The nodes that refer to each."""
    _nodes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The nodes that each value stands in."""
    _given: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The records that gave out each body."""
    _holders: dict[str, frozenset[int]] = field(default_factory=dict)
    _givers: dict[str, list[int]] = field(default_factory=dict)

    def give(self, seq: int, body: str) -> None:
        """Record `seq` gave out `body`."""
        self._given[body].append(seq)

    def index(self) -> None:
        """Find out which value stands where."""
        for name in self.contents.names():
            for ref in _references(self.contents.node(name)):
                self._under[ref].append(name)
            for value in self.own(name):
                self._nodes[value].append(name)

    def own(self, name: str) -> tuple[str, ...]:
        """The values in a node itself."""
        if name not in self._own:
            self._own[name] = tuple(self._in(self.contents.node(name)))
        return self._own[name]

    def _in(self, value: Json) -> Iterator[str]:
        if isinstance(value, dict):
            if reference(value) is not None:
                return  # a node of its own
            if cut_text(value) is not None:
                yield from filter(None, [telling(self.contents.text(value))])
                return
            for key, item in value.items():
                if key not in _NAMES:
                    yield from self._in(item)
        elif isinstance(value, list):
            for item in value:
                yield from self._in(item)
        elif (found := telling(value)) is not None:
            yield found

    def of(self, body: str | None, limit: int) -> list[str]:
        """The values in a body, each once, those that were said last first."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        todo = [body] if body is not None else []
        while todo and len(found) < limit:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            found.update(dict.fromkeys(reversed(self.own(name))))
            todo += _references(self.contents.node(name))
        return list(found)[:limit]

    def givers(self, value: str) -> Sequence[int]:
        """The records that gave out a value, in order; none for one that is everywhere."""
        if value not in self._givers:
            nodes = self._nodes.get(value, ())
            found: set[int] = set()
            for name in nodes if len(nodes) <= COMMON else ():
                found.update(self._holding(name))
            self._givers[value] = sorted(found)
        return self._givers[value]

    def _holding(self, name: str) -> frozenset[int]:
        """The records that gave out a body with this node."""
        if name not in self._holders:
            found = set(self._given.get(name, ()))
            for outer in self._under.get(name, ()):
                found.update(self._holding(outer))
            self._holders[name] = frozenset(found)
        return self._holders[name]


def overlap(whole: str, part: str) -> Match | None:
    """How the longer of two values holds the other: where in `whole`."""
    number = _number(part)
    if number is not None:
        return number.find(whole)
    place = whole.find(part)
    if place >= 0:
        return at(whole, place, place + len(part), "verbatim")
    if len(whole) >= SHORTEST and whole in part:
        return at(whole, 0, len(whole), "verbatim")
    return None


@lru_cache(maxsize=4096)
def _number(text: str) -> Sought | None:
    """A value as a number that is sought, where it is one."""
    if len(text) > 40 or not text[-1:].isdigit():
        return None
    found = seek(text)
    return found if len(found.forms) == 1 else None
