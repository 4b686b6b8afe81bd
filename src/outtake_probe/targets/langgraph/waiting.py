"""A graph that waits for a person: what it asks is held where everybody sees it, what they answer is a message.

The answer is recorded as a message of the user's, so a fork that comes there gives it again.  It comes from `send` (of
type `resume`), or from whoever answers what is held.  While a graph waits, its state can be changed, too (of type
`update`), as if one of its nodes had returned that.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any

from outtake_probe.commands import SendMessage
from outtake_probe.gate.decision import PROCEED, Answer
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.toolkit import human_input
from outtake_probe.waits import adrive

RESUME, UPDATE = "resume", "update"


@dataclass(frozen=True)
class Reply:
    """What a person said to a graph that waits."""

    type: str
    value: Json
    number: int


class AnswerQueue:
    """Where answers wait for a graph, or a graph for answers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._said: deque[Reply] = deque()
        self._asked: dict[str, Json] | None = None
        self.path = ""

    @property
    def is_waiting(self) -> bool:
        """Whether a graph waits for an answer right now."""
        return self._asked is not None

    def put(self, said: Reply) -> None:
        """A person said something; called in any thread."""
        with self._session.lock:
            self._said.append(said)
            held = [number for number, hold in self._session.holds.items() if hold.fields is self._asked]
        for number in held:
            self._session.release(number, PROCEED)

    async def next(self, path: str, question: Json) -> Reply:
        """What a person says next."""
        self.path = path
        while True:
            with self._session.lock:
                if self._said:
                    return self._said.popleft()
                self._asked = {**human_input.question(path, question, "waits for an answer", "flow"), "type": RESUME}
            try:
                given = await adrive(self._session.hold(self._asked))
                if human_input.is_answered(given):
                    await asyncio.to_thread(self._answer, path, given)
            finally:
                self._asked = None

    def _answer(self, path: str, given: Answer) -> None:
        """What is held was answered: that is a message like any other answer."""
        with self._session.lock:
            self._session.perform(SendMessage(path, RESUME, given.value))


def question(interrupts: Any) -> Json:
    """What a graph asks, for a person: one question, or a list of them."""
    values = [getattr(interrupt, "value", interrupt) for interrupt in interrupts]
    return values[0] if len(values) == 1 else values
