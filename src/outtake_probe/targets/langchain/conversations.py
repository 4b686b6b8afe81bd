"""Lists of messages that are said again and again, longer by some: only what is new is looked at.

A conversation is compared with how it was given last time: the same objects, as a rule, which is no work in Python.  A
message that was changed in place says something else: a text cannot change without an assignment, which is watched;
what is empty can be filled; what else can be changed is compared with a copy.
"""

from __future__ import annotations

import copy
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from outtake_probe.bodies import Growing, Part
from outtake_probe.session import Session
from outtake_probe.targets.langchain.messages import VOLATILE, key_of, part, slim
from outtake_probe.targets.toolkit.patches import Patches

RECENT = 64
"""How many assignments are remembered."""
_WATCHED = frozenset({HumanMessage, SystemMessage, AIMessage})
"""Classes whose plain messages are a text and nothing that could be changed in place."""
_SCALARS = frozenset({str, int, float, bool, type(None)})


class _Assignments:
    """Which plain messages had a field assigned to, of late."""

    def __init__(self) -> None:
        self.watched = False
        self.last = 0
        self._count = itertools.count(1)
        self._recent: deque[tuple[int, int]] = deque(maxlen=RECENT)

    def install(self, patches: Patches) -> None:
        assign: Callable[[Any, str, Any], None] = BaseMessage.__setattr__

        def __setattr__(message: Any, name: str, value: Any) -> None:
            assign(message, name, value)
            if name not in VOLATILE and type(message) in _WATCHED:
                number = next(self._count)
                self._recent.append((number, id(message)))
                self.last = number

        patches.set(BaseMessage, "__setattr__", __setattr__)
        patches.then(self._leave)
        self.watched = True

    def _leave(self) -> None:
        self.watched = False

    def since(self, number: int) -> set[int] | None:
        """Messages that were assigned to after that, by their addresses; None where there were too many."""
        recent = list(self._recent)
        if recent and recent[0][0] > number + 1:
            return None
        return {address for n, address in recent if n > number}


_assignments = _Assignments()


def install(session: Session, patches: Patches) -> list[str]:
    """Watch assignments to messages."""
    _assignments.install(patches)
    return []


class _Changeable:
    """A message that can be changed in place, and what it said."""

    def __init__(self, message: BaseMessage) -> None:
        self._message = message
        self._copy = _copied(message)
        self._said = slim(message)

    def holds(self) -> bool:
        """Whether it still says that."""
        if self._copy is not None and self._copy == self._message.__dict__:
            return True
        if slim(self._message) != self._said:
            return False
        self._copy = _copied(self._message)
        return True


def _copied(message: BaseMessage) -> dict[str, Any] | None:
    """A copy of all its fields to compare with; None where one holds more than JSON."""
    fields = message.__dict__
    return copy.deepcopy(fields) if all(map(_is_json, fields.values())) else None


def _is_json(value: object) -> bool:
    if type(value) in _SCALARS:
        return True
    if type(value) is dict:
        return all(map(_is_json, value.values()))
    return type(value) is list and all(map(_is_json, value))


@dataclass(slots=True)
class Transcript:
    """A list as it was given last time."""

    objects: list[Any]
    parts: Growing
    changeable: list[_Changeable]
    ids: set[str | None]
    """Ids of its messages as they were then, and of those that came after it."""
    addresses: set[int]
    """Where its messages are, and those that came after it."""
    empty: list[Any]
    """What plain messages hold that could be filled in place."""
    assigned: int = 0
    """The last assignment to any message when it was looked at."""

    def holds(self) -> bool:
        """Whether its messages still say what they said."""
        last = _assignments.last
        if self.assigned != last or not _assignments.watched:
            changed = _assignments.since(self.assigned) if _assignments.watched else None
            if (changed is None or not self.addresses.isdisjoint(changed)) and not self._says_the_same():
                return False
            self.assigned = last
        if any(self.empty) and not self._says_the_same():
            return False
        return all(each.holds() for each in self.changeable)

    def _says_the_same(self) -> bool:
        pairs = zip(self.objects, self.parts, strict=True)
        return all(key_of(message) == shown.key for message, shown in pairs if isinstance(shown, Part))

    def says(self, value: list[Any]) -> bool:
        """Whether this is the list that it was."""
        return self.objects == value and self.holds()


def conversation(value: Sequence[Any], last: Transcript | None) -> Transcript | None:
    """Messages as JSON; where the list only grew since the last time, the new ones are made.  None: it has others."""
    given = value if type(value) is list else list(value)
    if last is not None and last.says(given):
        return last
    at = len(last.objects) if last is not None else 0
    if last is None or not 0 < at < len(given) or given[:at] != last.objects or not last.holds():
        last, at = None, 0
    new = given[at:]
    if not new or not all(issubclass(cls, BaseMessage) for cls in set(map(type, new))):
        return None
    assigned = _assignments.last
    made = list(map(part, new))
    changeable = [_Changeable(m) for m, shown in zip(new, made, strict=True) if not isinstance(shown, Part)]
    ids, addresses = [m.id for m in new], list(map(id, new))
    empty = [held for m, shown in zip(new, made, strict=True) if isinstance(shown, Part) for held in _holders(m)]
    if last is None:
        return Transcript(new, Growing(made), changeable, set(ids), set(addresses), empty, assigned)
    last.ids.update(ids)
    last.addresses.update(addresses)
    return Transcript(
        [*last.objects, *new],
        Growing([*last.parts, *made], last.parts),
        [*last.changeable, *changeable],
        last.ids,
        last.addresses,
        [*last.empty, *empty],
        last.assigned,
    )


def _holders(message: BaseMessage) -> list[Any]:
    """Where a plain message could be filled in place."""
    held: list[Any] = [message.additional_kwargs]
    return [*held, message.tool_calls, message.invalid_tool_calls] if isinstance(message, AIMessage) else held


def spoken(value: Sequence[Any], last: Transcript | None) -> Transcript:
    """`conversation`, of what a model is told: nothing but messages."""
    said = conversation(value, last)
    return said if said is not None else Transcript([], Growing([slim(each) for each in value]), [], set(), set(), [])
