"""Following a run while it goes on: what happens is printed as it comes, until the run rests or has ended.

A thread reads the service, so that the terminal's own thread is free for Ctrl-C, the spinner and the prompt.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Set
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rich.status import Status

from outtake.cli.context import Document, Front
from outtake.cli.transcript import Transcript, bodies
from outtake.core import words

if TYPE_CHECKING:
    from outtake.service import Service

QUIET = 1.0
"""Seconds without news after which a person is told that something is still going on."""
SETTLE = 0.3
"""Seconds in which a step shows what it led to, while something else stays held."""
ENDED = ("completed", "failed", "stopped", "diverged", "lost")


class RunReader:
    """One reader of a run.  `transcript` is None where only the outcome counts."""

    def __init__(self, front: Front, service: Service, run: str, transcript: Transcript | None, after: int) -> None:
        self.front = front
        self.service = service
        self.run = run
        self.state: Document = service.info(run)
        self._transcript = transcript
        self._events: queue.SimpleQueue[Document | BaseException | None] = queue.SimpleQueue()
        self._printed = -1
        self._running: dict[int, str] = {}
        self.components: set[str] = set()
        """Paths seen so far."""
        self._over = self._told = False
        self._trouble = ""
        threading.Thread(target=self._read, args=(after,), name=f"watch-{run}", daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._over or self.state["status"] in ENDED

    def held(self, answered: Set[int] = frozenset()) -> list[Document]:
        """What waits for a decision; what was answered may take a moment to be free."""
        return [hold for hold in self.state.get("held", ()) if hold["hold"] not in answered]

    def until_rest(
        self, *, answered: Set[int] = frozenset(), known: Set[int] = frozenset(), patience: float | None = SETTLE
    ) -> None:
        """Show what happens until something is held that is not `known`, or the run has ended.

        Where only known things wait, others may go on beside them: wait `patience` seconds for news, or for ever.
        """
        while not self._over:
            held = [hold["hold"] for hold in self.held(answered)]
            if not self._told or not held or not self.state["live"] or not self._events.empty():
                self._take(self._next())
            elif not known >= set(held):
                break
            else:
                try:
                    self._take(self._events.get(timeout=patience))
                except queue.Empty:
                    break
        if self._transcript is not None:
            self._transcript.settle()

    def catch_up(self) -> None:
        """Show what has happened, without waiting."""
        while not self._over and not self._events.empty():
            self._take(self._events.get())

    def _read(self, after: int) -> None:
        """The other thread: everything that the service tells, then None."""
        try:
            for event in self.service.follow(self.run, after=after):
                parts = []
                if self._transcript is not None:
                    parts = self.service.console(self.run, after=self._printed)["parts"]
                    self._printed = parts[-1]["n"] if parts else self._printed
                self._events.put({**event, "console": parts})
        except Exception as error:  # noqa: BLE001  carried to the thread that waits, and raised there
            self._events.put(error)
        else:
            self._events.put(None)

    def _next(self) -> Document | BaseException | None:
        try:
            return self._events.get(timeout=QUIET)
        except queue.Empty:
            with self._spinner():
                return self._events.get()

    def _spinner(self) -> Any:
        if self._transcript is None or not self.front.out.is_terminal:
            return nullcontext()
        return Status(self._doing(), console=self.front.out, spinner="dots")

    def _doing(self) -> str:
        if self.state["status"] == "replaying":
            return f"replaying what {self.state['parent']} recorded"
        calls = list(self._running.values())
        return f"{calls[-1]} is working" if calls else f"{self.run} is {self.state['status']}"

    def _take(self, event: Document | BaseException | None) -> None:
        if isinstance(event, BaseException):
            self._over = True
            raise event
        if event is None:
            self._over = True
            self.state = self.service.info(self.run)
            return
        self._told = True
        self.state = event["state"]
        self._tell_trouble(self.state.get("trouble") or "")
        for record in event["records"]:
            self.components.add(record["component"])
            if record["kind"] == "invocation_started":
                self._running[record["seq"]] = f"{record['call']} {record['component']}"
            elif record["kind"] == "invocation_ended":
                self._running.pop(record["invocation"], None)
        if self._transcript is not None:
            self._transcript.records(event["records"])
            for part in event["console"]:
                self._transcript.printed(part["stream"], part["text"])

    def _tell_trouble(self, trouble: str) -> None:
        """The store does not take what the program records: it waits, and nothing is lost."""
        if trouble and trouble != self._trouble:
            self.front.news(f"the run waits: {trouble}")
        self._trouble = trouble


def watching(front: Front, service: Service, run: str, *, shown: bool) -> RunReader:
    """Follow a run; with `shown`, as a transcript that begins where the run's own records do."""
    state = service.info(run)
    cut = state["cut"] or 0
    if not shown:
        return RunReader(front, service, run, None, after=cut - 1)
    transcript = Transcript(front.out, run, bodies(service))
    if cut:
        transcript.remember(service.show(run, before=cut, kind="invocation_started"))
        told = f"replaying {words.count(cut, 'record')} of {state['parent']} …"
        front.out.print(told, style="dim")
    return RunReader(front, service, run, transcript, after=cut - 1)
