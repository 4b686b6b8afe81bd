"""A conversation as a run: turns of agents that hear and say messages, with the tool calls of each turn inside it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from outtake.importers.log import TEAM, USER, BadLog, Call, Event, LogMessage
from outtake.importers.values import part
from outtake_probe.records import Json

SPEAKERS = 200
"""Agents of one conversation: each may have heard all that was said."""


class Conversation:
    """Takes what was said, in order, and keeps it as one call of the team with the agents' turns inside.

    A turn begins when an agent says or does something, and ends when it has said something to somebody; what others
    said since its last turn is what it heard.
    """

    def __init__(self, input: Json, team: str = TEAM) -> None:
        self.team = Call(kind="flow", component=team, input=input)
        self._turn: Call | None = None
        self._unheard: dict[str, list[LogMessage]] = {}
        self._all: list[LogMessage] = []
        self._waiting: dict[Call, None] = {}
        """Tool calls without a result yet, in order."""
        self._by_id: dict[str, Call] = {}
        self._by_name: dict[str, deque[Call]] = {}

    def path(self, name: str) -> str:
        """The component of an agent."""
        return f"{self.team.component}/{part(name)}"

    def user(self, message: Json, at: float | None = None, to: str = "") -> LogMessage:
        """A person says something, to all or to one agent."""
        self.close(at)
        return self._said(USER, to or self.team.component, message, at)

    def agent(self, name: str, at: float | None = None) -> Call:
        """The turn of an agent: the one that is going on if it is this agent's."""
        path = self.path(name)
        if path not in self._unheard and len(self._unheard) >= SPEAKERS:
            raise BadLog(f"more than {SPEAKERS} speak in it")
        if self._turn is not None and self._turn.component == path:
            return self._turn
        self.close(None)
        heard = self._unheard.get(path, self._all)
        given = {"messages": [said.message for said in heard]}
        self._unheard[path] = []
        self._turn = Call(kind="agent", component=path, input=given, began=at, heard=tuple(heard))
        self.team.inside.append(self._turn)
        return self._turn

    def say(self, name: str, message: Json, content: Json, at: float | None = None, to: str = "") -> LogMessage:
        """An agent says something, to all or to another agent, and that ends its turn; `content` is its result."""
        turn = self.agent(name, at)
        said = self._said(turn.component, to or self.team.component, message, at, heard=turn.heard, turn=turn)
        turn.output = content
        self.close(at)
        return said

    def note(self, name: str, type: str, body: Json, at: float | None = None) -> Event:
        """An agent does something that nobody hears, such as thinking."""
        turn = self.agent(name, at)
        event = Event(component=turn.component, type=type, body=body, at=at)
        turn.inside.append(event)
        return event

    def tool(self, name: str, tool: str, input: Json, at: float | None = None, id: str = "") -> Call:
        """An agent calls a tool; `result` brings what came of it."""
        turn = self.agent(name, at)
        call = Call(kind="tool", component=f"{turn.component}/tools/{part(tool)}", input=input, began=at, is_over=False)
        turn.inside.append(call)
        self._waiting[call] = None
        self._by_name.setdefault(tool, deque()).append(call)
        if id:
            self._by_id[id] = call
        return call

    def result(self, id: str, tool: str, output: Json, at: float | None = None, error: str | None = None) -> bool:
        """What came of the tool call with this id, else of the first of this name, else of the first; whether any
        waits for it.
        """
        call = self._by_id.pop(id, None) if id else self._first_of(tool)
        if call is None:
            return False
        self._waiting.pop(call, None)
        call.output, call.error, call.ended, call.is_over = output, error, at, True
        return True

    def _first_of(self, tool: str) -> Call | None:
        """The first call of a tool that waits for its result, else of any."""
        named = self._by_name.get(tool, deque())
        while named:
            call = named.popleft()
            if not call.is_over:
                return call
        return next(iter(self._waiting), None)

    def close(self, at: float | None) -> None:
        """End the turn that is going on."""
        if self._turn is not None:
            self._turn.ended = at
            self._turn = None

    def ended(self, output: Json, at: float | None = None) -> Call:
        """The call of the team, once all was said."""
        self.close(at)
        self.team.output = output
        return self.team

    @property
    def unanswered(self) -> int:
        """Tool calls whose results never came."""
        return len(self._waiting)

    def _said(
        self,
        path: str,
        to: str,
        message: Json,
        at: float | None,
        *,
        heard: Sequence[LogMessage] = (),
        turn: Call | None = None,
    ) -> LogMessage:
        said = LogMessage(component=path, recipient=to, message=message, at=at, heard=heard)
        (turn or self.team).inside.append(said)
        if to == self.team.component:
            for other in self._unheard:
                if other != path:
                    self._unheard[other].append(said)
            self._all.append(said)
        elif to != path:
            self._unheard.setdefault(to, list(self._all)).append(said)
        return said
