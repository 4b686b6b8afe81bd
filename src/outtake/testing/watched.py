"""A run under the eyes of a check: what it does, what is held, what it really called.  Every wait has a bound."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from outtake.core.runs import ENDED
from outtake.service.errors import Conflict
from outtake.service.service import Document, Service
from outtake.testing import stage
from outtake.testing.words import WAIT, Broken, expect, shown
from outtake_probe.records import Json

SECRET_VALUE = "hush-9f8e7d6c5b4a"


def environment() -> dict[str, str]:
    """What the debugged processes find in their environment, in runs and in forks."""
    return {**os.environ, stage.SECRET_VARIABLE: SECRET_VALUE}


@dataclass(frozen=True)
class Real:
    """One real call of a model or a tool."""

    kind: str
    asked: str


def real_calls(folder: Path) -> list[Real]:
    """What the program in this folder has really called, in all runs and forks."""
    file = folder / stage.CALLS
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [Real(*json.loads(line)) for line in lines]


class Watched:
    """One run or fork."""

    def __init__(self, service: Service, folder: Path, document: Document, before: int) -> None:
        self.service = service
        self.folder = folder
        self.id: str = document["run"]
        self._before = before
        self._after: int | None = None

    def freeze(self) -> None:
        """What is really called in this folder from now on is not this run's."""
        self._after = len(real_calls(self.folder))

    @property
    def info(self) -> Document:
        return self.service.info(self.id)

    @property
    def calls(self) -> list[Real]:
        """What was really called since this run began."""
        return real_calls(self.folder)[self._before : self._after]

    @property
    def outcome(self) -> tuple[str, Json, Json]:
        """How it ended: status, output, and what went wrong in words."""
        info = self.info
        return info["status"], info["output"], (info["error"] or {}).get("message")

    @property
    def printed(self) -> dict[str, str]:
        """All that it wrote to standard output and error."""
        parts = self.service.console(self.id)["parts"]
        names = {1: "stdout", 2: "stderr"}
        return {name: "".join(p["text"] for p in parts if p["stream"] == n) for n, name in names.items()}

    # -- waiting -----------------------------------------------------------------------------------------------------

    def until(self, what: str, so: Callable[[Document], bool]) -> Document:
        """Wait until it is so; raises `Broken` when the run ends before, or when time is up."""
        watch = self.service.watch(self.id)
        end = time.monotonic() + WAIT
        while True:
            left = end - time.monotonic()
            watch.wait(max(left, 0))
            info = self.info
            if so(info):
                return info
            if info["status"] in ENDED or left <= 0:
                why = "the run ended" if info["status"] in ENDED else f"{WAIT:.0f} s are over"
                raise Broken(f"{what} was expected, but {why}: {_told(info)}")

    def ended(self, *statuses: str) -> Document:
        """Wait for the end, which has to be one of these, by default `completed`."""
        info = self.service.wait(self.id, timeout=WAIT)
        wanted = statuses or ("completed",)
        expect(info["status"] in wanted, f"the run should be {' or '.join(wanted)}: {_told(info)}")
        return info

    def held(self, what: str = "something held", so: Callable[[Document], bool] = lambda _: True) -> Document:
        """Wait until something is held of which this is so; the hold, with its value."""
        self.until(what, lambda info: any(so(hold) for hold in info["held"]))
        holds = self.service.pending(self.id)["held"]
        return next(hold for hold in holds if so(hold))

    def held_or_ended(self) -> Document | None:
        """What is held next; None at the end of the run."""
        info = self.until("a hold or the end", lambda info: bool(info["held"]) or info["status"] in ENDED)
        return info["held"][0] if info["held"] else None

    # -- steering ----------------------------------------------------------------------------------------------------

    def step(self, verb: str, hold: Document) -> None:
        """Let this hold go, to hold again as the verb says."""
        self.service.control(self.id, verb, hold["hold"])

    def release(self, hold: Document, **answer: Json) -> None:
        self.service.release(self.id, hold["hold"], answer or {"verb": "proceed"})

    def go(self) -> None:
        """Take the breakpoints away and let everything go, if it has not ended."""
        try:
            for point in self.service.breakpoints(self.id)["breakpoints"]:
                self.service.change_breakpoint(self.id, point["id"], remove=True)
            self.service.control(self.id, "continue")
        except Conflict:
            if self.info["status"] not in ENDED:
                raise

    def go_to_end(self, *statuses: str) -> Document:
        """Let it run to its end; what was hit before the program heard of that is let go, too."""
        self.go()
        while self.held_or_ended() is not None:
            self.go()
        return self.ended(*statuses)

    def stop(self) -> None:
        """End it, if it has not ended."""
        with contextlib.suppress(Conflict):
            self.service.control(self.id, "stop")

    def queued(self) -> list[Document]:
        """The messages that wait, the next one first."""
        queued: list[Document] = self.service.pending(self.id)["queued"]
        return queued

    # -- the log -----------------------------------------------------------------------------------------------------

    @property
    def records(self) -> list[Document]:
        """The records so far, with bodies."""
        return list(self.service.show(self.id, bodies=True))

    @cached_property
    def log(self) -> list[Document]:
        """The records of a run that has ended, with bodies."""
        return self.records

    def starts(self, *kinds: str) -> list[Document]:
        """The invocations of these kinds that went out."""
        return [r for r in self.log if r["kind"] == "invocation_started" and r["call"] in (kinds or (r["call"],))]

    def end_of(self, start: Document) -> Document:
        """What came back of an invocation."""
        for record in self.log:
            if record["kind"] == "invocation_ended" and record["invocation"] == start["seq"]:
                return record
        raise Broken(f"the record does not say what came back of {start['component']} (record {start['seq']})")

    # -- forks -------------------------------------------------------------------------------------------------------

    def fork(self, *edits: Mapping[str, Json], at: int | None = None, headless: bool = True, **options: Any) -> Watched:
        """A fork, by default one that nobody watches."""
        before = len(real_calls(self.folder))
        made = self.service.fork(self.id, at=at, edits=edits, headless=headless, env=environment(), **options)
        return Watched(self.service, self.folder, made, before)

    @property
    def middle(self) -> int:
        """A cut with as much before it as after."""
        return len(self.log) // 2

    def expect_free_forks(self, *cuts: int, **options: Any) -> None:
        """Forks at these records, or in the middle, without an edit end the same way, and call nothing."""
        before = real_calls(self.folder)
        forks = [(cut, self.fork(at=cut, **options)) for cut in cuts or (self.middle,)]
        for cut, fork in forks:
            where = f"record {cut} of {len(self.log)}"
            info = fork.ended("completed", "failed", "stopped", "diverged")
            expect(
                fork.outcome == self.outcome,
                f"a fork at {where} without an edit ended otherwise: {_told(info)}, not {_told(self.info)}",
            )
            made = {kind: info["executed"][kind] for kind in ("model", "tool")}
            expect(not any(made.values()), f"a fork at {where} without an edit executed {made}")
        again = real_calls(self.folder)[len(before) :]
        expect(not again, f"forks without an edit really called {shown(again)}")


def _told(info: Document) -> str:
    said = f"status {info['status']}, output {shown(info['output'])}"
    if info["error"]:
        said += f", error {shown(info['error'].get('difference') or info['error'].get('message') or info['error'])}"
    return said + (f", held {[h['component'] for h in info['held']]}" if info.get("held") else "")
