"""One visit of a node: what it got, what it did, and how the record can answer for it.

A node's inputs and outputs are explicit, so as a rule the record answers for it as a whole: it does not run, its
recorded result goes through its writers, so reducers, routers and sends happen as always.  What it did besides is
redone (it wrote to the store, it streamed an event) or looked at again (it read from the store).  A node that did what
cannot be put into a record (it changed its input in place, it asked a person, it streamed a model's tokens) is
executed again, with the calls inside it answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.messages import BaseMessage

from outtake_probe.codec import Opaque, decode, encode, is_opaque
from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langgraph.causality import GraphRun
from outtake_probe.targets.langgraph.codec import is_same, spelled
from outtake_probe.targets.langgraph.stores import Stored

INSIDE = "inside"
"""Where `changes` keeps a hash of the code of what the node encloses."""
RESUME = "__resume__"
RESUMING = "__pregel_resuming"
RESUME_MAP = "__pregel_resume_map"
SCRATCHPAD = "__pregel_scratchpad"
SEND = "__pregel_send"
_INSIDE_EVENTS = frozenset({"messages", "tools", "subgraphs"})
"""Kinds of events that tell of what happens inside a tool that a node calls."""
_TASK_EVENTS = frozenset({"updates", "tasks", "debug"})
"""Kinds of events that tell of the tasks which a node calls."""
visit: ContextVar[Visit | None] = ContextVar("outtake_langgraph_visit", default=None)


class Answers:
    """What persons have answered: to this task, and the answer that lies ready for the first node that asks.

    LangGraph keeps the latter in sight after it was taken; the run of the outermost graph knows that it was.
    """

    def __init__(self, place: GraphRun, conf: Mapping[str, Any]) -> None:
        self._place = place
        self._pad = conf.get(SCRATCHPAD)
        self._send = conf.get(SEND)
        self._mapped = list((conf.get(RESUME_MAP) or {}).values())
        self._had = 0
        self.resumed = bool(self.values() or conf.get(RESUMING))
        """The task goes on where it was interrupted before."""
        self.taken = False
        """The node, or one inside it, has taken the answer that lay ready."""

    def values(self) -> list[Any]:
        """All that this task may be given."""
        if self._pad is None:
            return []
        ready = None if self._place.root.answered else self._pad.get_null_resume(False)
        return [*self._pad.resume, *([ready] if ready is not None else []), *self._mapped]

    def look(self) -> None:
        """A node is about to run."""
        self._had = len(self._pad.resume) if self._pad is not None else 0

    def has_taken(self) -> bool:
        """Whether the node itself has taken an answer."""
        if self._pad is None or self._place.root.answered or self._pad.get_null_resume(False) is None:
            return False
        return len(self._pad.resume) > self._had

    def take(self) -> None:
        """The record answers for a node that took it."""
        answer = self._pad.get_null_resume(True) if self._pad is not None else None
        if answer is not None and self._pad is not None and self._send is not None:
            self._pad.resume.append(answer)
            self._send([(RESUME, self._pad.resume)])


class Visit:
    """`Whole` for one visit of a node."""

    def __init__(
        self,
        place: GraphRun,
        path: str,
        given: Any,
        *,
        node: Any,
        store: Any,
        writer: Any,
        settings: Callable[[], Json],
        answers: Answers,
        inside: str,
    ) -> None:
        self.place = place
        self.path = path
        self.given = given
        self.shown: Json = place.states.shown(given)
        self.node = node
        """What runs, where that is a graph."""
        self.outer = visit.get()
        self._nested = False
        """Nodes or tasks are visited inside it."""
        if self.outer is not None:
            self.outer._nested = True
        self.heard = False
        """Callbacks of the program's own hear what happens inside."""
        self.entered = False
        """Its graph is running."""
        self.stored = Stored(store)
        self._writer = writer
        self._settings = settings
        self._inside = inside
        self.answers = answers
        self._streamed: list[Json] = []
        self._lost = ""
        self._result: Any = None
        self._ids: dict[str, str] = {}

    # -- while it runs -----------------------------------------------------------------------------------------------

    def around(self) -> list[Visit]:
        """This one and those that enclose it."""
        return [self, *(self.outer.around() if self.outer is not None else [])]

    @property
    def is_seen(self) -> bool:
        """Whether the program is told, as it comes, what happens inside the tools that it calls."""
        return not self.place.streams.isdisjoint(_INSIDE_EVENTS) or any(each.heard for each in self.around())

    def lose(self, reason: str) -> None:
        """It does something that no record can hold, and so does whatever encloses it."""
        for each in self.around():
            each._lost = each._lost or reason

    def streamed(self, event: Any) -> None:
        """It streams an event of its own."""
        encoded = encode(event)
        for each in self.around():
            each._streamed.append(encoded)

    def stream(self, event: Json) -> None:
        """Stream again what a tool streamed that is served inside it."""
        self._writer(decode(event))

    def tasks(self) -> None:
        """A task is called inside it."""
        if not self.place.streams.isdisjoint(_TASK_EVENTS):
            self.lose("what its tasks return is streamed to the program as it comes")

    def leaf(self) -> None:
        """A model or a tool is called inside it."""
        if "messages" in self.place.streams or "tools" in self.place.streams:
            self.lose("what a model says is streamed to the program as it comes")

    def returned(self, result: Any = None) -> None:
        """It came back with this, or did not come to its end."""
        self._result = result
        if self.answers.has_taken():
            self._took()

    def _took(self) -> None:
        for each in self.around():
            each.answers.taken = True
        self.place.root.answered = True

    # -- for the gate ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """It is about to be executed."""
        self._lost, self._result = "", None
        self._streamed.clear()
        self.stored.clear()
        self.answers.look()

    def changes(self) -> Json:
        """What it did beside its result.  Raises `Opaque`."""
        if self._lost:
            raise Opaque(self._lost)
        if self.heard:
            raise Opaque("the program listens to what happens inside the node")
        if not is_same(self.place.states.shown(self.given), self.shown):
            raise Opaque("the node changed its input in place")
        if is_opaque(self._streamed):
            raise Opaque("the node streamed what cannot be put into a record")
        out: dict[str, Json] = self.stored.changes()
        if self.answers.taken:
            out["answered"] = True
        if self._nested and self.answers.resumed:
            out["resumed"] = True
        if self._inside:
            out[INSIDE] = self._inside
        settings = self._settings()
        if settings:
            out["settings"] = settings
        if self._streamed:
            out["streamed"] = list(self._streamed)
        ids = self._ids_of_input()
        if ids:
            out["ids"] = ids
        return out

    def same(self, changes: Json) -> bool:
        """Whether what it read from the store, and its settings, are still the same.

        What goes on with a graph or with tasks that had begun before reads what these had come to.
        """
        if changes.get("resumed"):
            return False
        return bool(self._settings() == changes.get("settings", [])) and self.stored.same(changes)

    def redo(self, changes: Json, sent: Sequence[int]) -> None:
        """Write to the store and stream its events again."""
        outer = self.outer
        if outer is not None:
            for each in outer.around():
                each.stored.add_reads(changes)
        if changes.get("answered"):
            self.answers.take()
            self._took()
        self.stored.redo(changes)
        for event in changes.get("streamed", ()):
            self._writer(decode(event))
        if "ids" in changes:
            now = messages.ids_in(self.given)
            self._ids = {old: now[at] or old for old, at in changes["ids"].items() if at < len(now)}

    # -- ids of messages ---------------------------------------------------------------------------------------------

    def _ids_of_input(self) -> dict[str, int]:
        """Where in the input the messages are that the result names by their ids: to remove or to replace them."""
        named = set(filter(None, messages.ids_in(self._result)))
        return self.place.states.ids(self.given, named) if named else {}

    def decode(self, value: Json) -> Any:
        """The recorded result, about the messages that are there now."""
        result = decode(value)
        if self._ids:
            for message in messages.messages_in(result):
                self._rename(message)
        return result

    def _rename(self, message: BaseMessage) -> None:
        if message.id in self._ids:
            message.id = self._ids[message.id]

    def plain(self) -> Json:
        """The input with every part spelled out."""
        return spelled(self.shown)
