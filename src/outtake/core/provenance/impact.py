"""What a change of one record could reach, and what it cannot.

An invocation is reached when its input could be another: the code around it goes on with another result, the message
that it delivers is another, or it reads state that was set by what was reached.  Its result is then reached, and with
it the code around.  Where the record says exactly what led to an invocation (a message, or causes together with what it
read and set), only that counts; anywhere else everything that the code around did earlier does.  So the answer is on
the safe side.  It knows of no state that parts of a program share behind the gates: an object that two parallel
branches write to is not seen, except that an agent remembers what it was sent.

What runs at once keeps its order only up to the change.  Where nothing but that order could make a difference, the
answer says so (`Reached.race`).
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from outtake.core.provenance.run_index import OFTEN, Changes, Entry, Story
from outtake.core.provenance.state_keys import EVERY, Parts

Link = Literal[
    "changed",
    "inside",
    "after",
    "order",
    "message",
    "cause",
    "state",
    "memory",
    "contains",
    "equal",
    "setting",
    "value",
]
"""Why something is reached: see `LINKS`."""
LINKS: dict[Link, str] = {
    "changed": "the change itself",
    "inside": "inside an invocation whose input could change",
    "after": "the code around it went on with a result that could change",
    "order": "parts that run at once could finish in another order",
    "message": "it delivers a message that could change",
    "cause": "the record names what could change as its cause",
    "state": "it read state that could change",
    "memory": "the same agent was reached before",
    "contains": "something inside it could change",
    "equal": "the same call with the same input was made before",
    "setting": "a setting of it was changed",
    "value": "its input holds a value that could change",
}


@dataclass(frozen=True, slots=True)
class Reached:
    """One invocation or message that could change."""

    seq: int
    input: bool
    """Whether what it is asked could change; otherwise only what comes of it."""
    link: Link
    of: int
    """The record that it is reached from."""
    name: str = ""
    """Of the state."""
    race: bool = False
    """Only if parallel parts finish in another order."""


@dataclass(slots=True)
class Reach:
    """Everything that a change of one record could reach."""

    story: Story
    changes: Callable[[int], Changes | None]
    """What an invocation read and set; None where it is not known."""
    holders: Callable[[int], Iterable[int]] = lambda _: ()
    """The invocations whose input holds a value of the result of one."""
    parts: Parts | None = None
    """The parts of the state that invocations take and give."""
    found: dict[int, Reached] = field(default_factory=dict)
    _begins: dict[int | None, int] = field(default_factory=dict)
    """From which record on the code of an invocation could do something else."""
    _put: set[int] = field(default_factory=set)
    """Invocations whose input could change."""
    _back: set[int] = field(default_factory=set)
    """Invocations whose result could change."""
    _todo: deque[Callable[[], None]] = field(default_factory=deque)
    _root: int = 0

    def of(self, seq: int) -> dict[int, Reached]:
        """What a change of record `seq` could reach, by number."""
        self._root = seq
        self._index()
        self._start_at(self.story.entries[seq])
        self._go_on()
        self._racing = True
        self._race()
        self._go_on()
        return dict(sorted(self.found.items()))

    def _go_on(self) -> None:
        for number in itertools.count():
            if not self._todo:
                return
            if number % OFTEN == 0:
                self.story.check()
            self._todo.popleft()()

    # -- what is known before ----------------------------------------------------------------------------------------

    _known: dict[int, Changes] = field(default_factory=dict)
    _readers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _users: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The invocations that read or set each part of the state."""
    _same_component: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _equals: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _exact: set[int] = field(default_factory=set)
    _takers: dict[tuple[int | None, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """The invocations that were given a part of the state in each frame."""
    _given: dict[tuple[int | None, str], int] = field(default_factory=dict)
    """From which record on each part could be another."""
    _racing: bool = False
    _remembers: dict[str, int] = field(default_factory=dict)
    """From which record on an agent could remember something else."""

    def _index(self) -> None:
        for number, start in self.story.starts.items():
            known = None if self.story.is_leaf(number) else self.changes(number)
            if known is not None:
                self._known[number] = known
                for name in known.read:
                    self._readers[name].append(number)
                for name in known.read | known.set:
                    self._users[name].append(number)
            if start.get("message") is not None:
                self._same_component[start.get("component", "")].append(number)
            if known is not None or self.story.is_leaf(number):
                digest = start.get("digest") or start.get("body") or ""
                self._equals[start.get("component", ""), digest].append(number)
            if self._is_exact(number):
                self._exact.add(number)
                if self.parts is not None and number in self._known:
                    taken = self.parts.taken(number)
                    for part in (*taken, "") if taken else ():
                        self._takers[start.get("parent"), part].append(number)

    def _is_exact(self, number: int) -> bool:
        """Whether the record says what led to an invocation, so that nothing else did."""
        start = self.story.starts[number]
        return start.get("message") is not None or bool(start.get("caused_by") and number in self._known)

    # -- where it begins ---------------------------------------------------------------------------------------------

    def _start_at(self, record: Entry) -> None:
        seq, kind, parent = record["seq"], record["kind"], record.get("parent")
        about = self.story.about(seq)
        if kind == "run_started":
            self._code(None, seq, "changed", seq)
        elif kind == "config_set":
            self._configured(record)
        elif kind == "value_read":
            self._code(parent, seq, "changed", seq)
        elif about in self.story.messages:
            self._message(about, "changed", seq)
        elif about in self.story.starts:
            if kind == "invocation_started" or record.get("op") == "replace_input":
                self._asked(about, "changed", seq)
            else:
                self._returned(about, "changed", seq)

    def _configured(self, record: Entry) -> None:
        path, seq = record.get("component", ""), record["seq"]
        for number, start in self.story.starts.items():
            own: str = start.get("component", "")
            if number > seq and (own == path or own.startswith(path + "/") or path.startswith(own + "/") or not path):
                self._asked(number, "setting", seq)

    # -- what only a race could change -------------------------------------------------------------------------------

    def _race(self) -> None:
        """From the change on, what runs at once can finish in another order, also where nothing else changes."""
        for frame, inner in list(self.story.inside.items()):
            group = self._at_once(inner)
            if group:
                self._code(frame, min(map(self.story.ended, group)), "order", group[0])
        for number in self._exact:
            causes = self.story.starts[number].get("caused_by") or ()
            if group := self._at_once([cause for cause in causes if cause in self.story.starts]):
                self._asked(number, "order", group[0])
        for delivered in self._same_component.values():
            for first, second in itertools.pairwise(delivered):
                senders = [self._sender(first), self._sender(second)]
                if group := self._at_once(sorted({s for s in senders if s is not None})):
                    self._asked(second, "order", group[0])

        for name, users in self._users.items():
            self._race_for(name, [user for user in users if self.story.ended(user) > self._root])

    def _race_for(self, name: str, users: list[int]) -> None:
        """State that two use of which neither led to the other: the second may come first."""
        for place, (first, second) in enumerate(itertools.pairwise(users)):
            sets = any(name in self._known[user].set for user in (first, second))
            if sets and not self._led(first, second):
                for user in users[place:]:
                    if name in self._known[user].read:
                        self._asked(user, "order", first, name)
                return

    def _led(self, first: int, second: int) -> bool:
        """Whether an invocation is among the causes of a later one."""
        todo, seen = [second], {second}
        self.story.check()
        while todo:
            at = todo.pop()
            if at == first:
                return True
            record = self.story.entries[at]
            before = {*(record.get("caused_by") or ()), record.get("message", -1), record.get("parent", -1)}
            todo += [seq for seq in before - seen if first <= seq < at and seq in self.story.entries]
            seen |= before
        return False

    def _sender(self, number: int) -> int | None:
        message = self.story.messages.get(self.story.starts[number].get("message", -1), {})
        return message.get("parent")

    def _at_once(self, numbers: Iterable[int]) -> list[int]:
        """The first of these invocations, in order, that ran at the same time and came back after the change."""
        group: list[int] = []
        until = -1
        for number in numbers:
            end = self.story.ended(number)
            if end <= self._root:
                continue
            if number >= until:
                if len(group) > 1:
                    break
                group = []
            group.append(number)
            until = max(until, end)
        return group if len(group) > 1 else []

    # -- how it goes on ----------------------------------------------------------------------------------------------

    def _asked(self, number: int, link: Link, of: int, name: str = "") -> None:
        """The input of an invocation, or what it reads, could be another."""
        if number in self._put:
            return
        self._put.add(number)
        known = self.found.get(number)
        if known is None or not self._racing or known.race:
            self.found[number] = Reached(number, True, link, of, name, self._racing)
        self._todo.append(lambda: self._code(number, number, "inside", number))
        self._todo.append(lambda: self._caused(number, since=number))
        self._todo.append(lambda: self._returned(number, link, of))
        self._todo.append(lambda: self._equal(number))

    def _returned(self, number: int, link: Link, of: int) -> None:
        """The result of an invocation could be another."""
        if number in self._back:
            return
        self._back.add(number)
        self.found.setdefault(number, Reached(number, False, link, of, race=self._racing))
        if number in self.story.ends:
            self._todo.append(lambda: self._went_on(number))
        self._caused(number, since=self.story.ended(number))
        self._todo.append(lambda: self._state_of(number))
        self._todo.append(lambda: self._held_in(number))

    def _caused(self, number: int, since: int) -> None:
        """What names an invocation as its cause: its result, where it came back before, else its input."""
        for effect in self.story.caused.get(number, []) + self.story.caused.get(self.story.ended(number), []):
            if effect > since and effect in self.story.messages:
                self._message(effect, "cause", number)
            elif effect > since and effect in self.story.starts:
                self._asked(effect, "cause", number)

    def _went_on(self, number: int) -> None:
        """The code around an invocation goes on with another result."""
        self._code(self.story.parent(number), self.story.ended(number), "after", number)

    def _code(self, number: int | None, since: int, link: Link, of: int) -> None:
        """The code of an invocation could do something else from record `since` on."""
        until = self._begins.get(number)
        if until is not None and until <= since:
            return
        self._begins[number] = since
        bound = until if until is not None else self.story.last + 1
        for inner in self.story.inside.get(number, ()):
            if since < inner <= bound and inner not in self._exact:
                self._asked(inner, link, of)
        for message in self.story.sent_in.get(number, ()):
            if since < message <= bound:
                self._message(message, link, of)
        if number is not None:
            if self.story.ended(number) > since:
                self._returned(number, "contains", of)
            self._remembered(number, since)

    def _message(self, seq: int, link: Link, of: int) -> None:
        if seq in self.found:
            return
        self.found[seq] = Reached(seq, True, link, of, race=self._racing)
        for number in (*self.story.delivered.get(seq, ()), *self.story.caused.get(seq, ())):
            if number in self.story.starts:
                self._asked(number, "message", seq)
            elif number in self.story.messages:  # not at once: there is no end to how long messages lead to messages
                self._todo.append(partial(self._message, number, "cause", seq))

    def _remembered(self, number: int, since: int) -> None:
        """An agent that was sent something else may act on it when it is sent the next message."""
        if number in self._known or self.story.starts[number].get("message") is None:
            return
        path = self.story.starts[number].get("component", "")
        first, until = max(number, since), self._remembers.get(path, self.story.last + 1)
        if first < until:
            self._remembers[path] = first
            for later in self._same_component[path]:
                if first < later <= until:
                    self._asked(later, "memory", number)

    def _state_of(self, number: int) -> None:
        known = self._known.get(number)
        if known is None:
            return
        for name in known.set:
            for reader in self._readers[name]:
                if reader != number and self.story.ended(reader) > number:
                    self._asked(reader, "state", number, name)
        for seq in known.sent:
            if seq in self.story.messages:
                self._message(seq, "inside", number)

    def _held_in(self, number: int) -> None:
        """What names other causes, but was given a part or a value of this result all the same."""
        end = self.story.ended(number)
        for later in self.holders(number) if self._exact else ():
            if later > end and later in self._exact:
                self._asked(later, "value", number)
        given = self.parts.given(number) if self.parts is not None and self._takers else frozenset()
        for part in ("",) if given == EVERY else (*given, "*") if given else ():
            self._give(self.story.parent(number), part, end, number)

    def _give(self, frame: int | None, part: str, end: int, of: int) -> None:
        """A part of the state in a frame could be another from record `end` on."""
        until = self._given.get((frame, part), self.story.last + 1)
        if end < until:
            self._given[frame, part] = end
            for later in self._takers.get((frame, part), ()):
                if end < later <= until:
                    self._asked(later, "state", of, part.strip("*"))

    def _equal(self, number: int) -> None:
        """Calls with the same input differ by their order alone: another one may get what was this one's answer."""
        start = self.story.starts[number]
        if not self.story.is_leaf(number) and number not in self._known:
            return
        key = (start.get("component", ""), start.get("digest") or start.get("body") or "")
        same = self._equals[key]
        if len({self._answer(other) for other in same}) > 1:
            for other in same:
                if other > self._root and other != number:
                    self._returned(other, "equal", number)

    def _answer(self, number: int) -> tuple[str | None, bool]:
        end = self.story.ends.get(number, {})
        return end.get("body"), bool(end.get("failed"))


def split(story: Story, found: Iterable[int], seq: int) -> tuple[list[int], list[int]]:
    """The invocations that could change, and those after record `seq` that cannot."""
    reached = set(found)
    could = [number for number in story.starts if number in reached]
    cannot = [number for number in story.starts if number not in reached and number > seq]
    return could, cannot
