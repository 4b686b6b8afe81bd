"""Growing prompts: each turn of a conversation repeats all messages before it, and only the new ones are converted."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from outtake_probe.bodies import Growing
from outtake_probe.records import Json

M = TypeVar("M")


class Snapshot(Protocol):
    """What the messages of a prompt held at one moment; it stays true when they are changed in place later."""

    def begins_with(self, before: Any) -> bool:
        """Whether the first messages are those of `before`, an earlier snapshot, and hold what they held then."""


class Copies:
    """A snapshot of messages that are plain JSON: copies of them, of which each turn makes only the new ones."""

    def __init__(self, messages: Sequence[Json]) -> None:
        self._messages = messages
        self._made: list[Json] | None = None

    @property
    def _copies(self) -> list[Json]:
        if self._made is None:
            self._made = copy.deepcopy(list(self._messages))
        return self._made

    def begins_with(self, before: Copies) -> bool:
        """See `Snapshot`."""
        at = len(before._copies)
        if self._messages[:at] != before._copies:
            return False
        if self._made is None:
            self._made = [*before._copies, *copy.deepcopy(list(self._messages[at:]))]
        return True


S = TypeVar("S", bound=Snapshot)


@dataclass(frozen=True, slots=True)
class Conversation(Generic[S]):
    """The prompt of one component as it was at its last turn."""

    snapshot: S | None
    """None where the messages cannot be compared with later ones."""
    parts: Growing
    """The messages as JSON."""


def follow(
    last: Conversation[S] | None, messages: Sequence[M], snapshot: S | None, convert: Callable[[M], Json]
) -> Conversation[S]:
    """The conversation that `last` has become with this turn, whose prompt is `messages`, of which `snapshot` is taken.

    `convert` makes the JSON of one message.  It is called for the new messages where the prompt begins with that of the
    last turn, unchanged, and else for all.
    """
    if last is None or snapshot is None or last.snapshot is None or not snapshot.begins_with(last.snapshot):
        return Conversation(snapshot, Growing(map(convert, messages)))
    new = messages[len(last.parts) :]
    return Conversation(snapshot, Growing([*last.parts, *map(convert, new)], last.parts) if new else last.parts)


class ComparedConversations:
    """The last conversation of each component, whose messages are plain JSON: as it is shown, and as it is compared.

    What is compared must be the same in every run.  Ids that are made up, of the calls that a model asks for, are
    numbered there, in the order in which the conversation has them.
    """

    def __init__(self, show: Callable[[Any], Json], compare: Callable[[Json, Callable[[str], int]], Json]) -> None:
        """`show` makes the JSON of a message; `compare`, of that, what is compared, with the numbers of ids."""
        self._show = show
        self._compare = compare
        self._last: dict[str, tuple[Conversation[Copies], Conversation[Copies], dict[str, int]]] = {}

    def follow(self, path: str, messages: Sequence[Any]) -> tuple[Growing, Growing]:
        """The messages of a turn of the component at `path`, as they are shown and as they are compared."""
        snapshot = Copies(messages)
        shown, compared, numbers = self._last.get(path, (None, None, dict[str, int]()))
        if shown is None or shown.snapshot is None or not snapshot.begins_with(shown.snapshot):
            shown, compared, numbers = None, None, {}

        def number(name: str) -> int:
            return numbers.setdefault(name, len(numbers) + 1)

        now = follow(shown, messages, snapshot, self._show)
        same = follow(compared, messages, snapshot, lambda each: self._compare(self._show(each), number))
        self._last[path] = now, same, numbers
        return now.parts, same.parts
