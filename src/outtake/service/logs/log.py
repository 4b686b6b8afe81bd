"""A log of another program, as one of our runs: what every reader of such logs makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.core.annotations import Note
from outtake_probe.bodies import Bodies
from outtake_probe.records import (
    CallKind,
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageQueued,
    Noted,
    Record,
    RunEnded,
    RunStarted,
    written,
)


class BadLog(ValueError):
    """A log that is not as its kind should be; the message names what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A run that nobody can run again, and what is said about it."""

    kind: str
    """What it is a log of, as a person would say it."""
    input: Json
    output: Json
    config: Mapping[str, Json] = field(default_factory=dict)
    """What is known of the components' settings, by ``component.key``."""
    records: Sequence[Mapping[str, Json]]
    nodes: Sequence[tuple[str, bytes]]
    notes: Sequence[Note] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of log: how it is known, and how it is read."""

    name: str
    looks: str
    """What such a file looks like, for who brought another one."""
    sniff: Callable[[Json], bool]
    read: Callable[[Json, float], Log]
    """Takes what the file holds, and when it ended, in seconds since the epoch.  Raises `BadLog`."""


class Writer:
    """Writes the records of a run whose log has no times: the clock goes on only when it is told to."""

    def __init__(self, origin: float) -> None:
        self.now = origin
        self.records: list[dict[str, Json]] = []
        self._bodies = Bodies()
        self._began: dict[int, tuple[CallKind, str, int | None, float]] = {}

    def nodes(self) -> list[tuple[str, bytes]]:
        """The nodes of all bodies."""
        return self._bodies.take()

    def started(self, input: Json) -> None:
        """The run begins."""
        self._write(RunStarted, body=self._bodies.put(input))

    def ended(self, output: Json) -> None:
        """The run is over."""
        self._write(RunEnded, body=self._bodies.put(output))

    def begin(
        self, call: CallKind, component: str, input: Json, *, parent: int | None = None, heard: Sequence[int] = ()
    ) -> int:
        """An invocation begins, because of the messages it has `heard`."""
        body = self._bodies.put(input)
        seq = len(self.records)
        self._began[seq] = call, component, parent, self.now
        return self._write(
            InvocationStarted,
            call=call,
            component=component,
            invocation=seq,
            parent=parent,
            message=heard[-1] if heard else None,
            caused_by=list(heard),
            body=body,
            digest=body,
        )

    def end(self, invocation: int, output: Json) -> None:
        """An invocation comes back."""
        call, component, parent, began = self._began.pop(invocation)
        self._write(
            InvocationEnded,
            call=call,
            component=component,
            invocation=invocation,
            parent=parent,
            body=self._bodies.put(output),
            seconds=self.now - began,
        )

    def send(
        self, component: str, recipient: str, message: Json, *, parent: int | None = None, heard: Sequence[int] = ()
    ) -> int:
        """A message goes from one component to another."""
        body = self._bodies.put(message)
        return self._write(
            MessageQueued,
            component=component,
            recipient=recipient,
            message=len(self.records),
            parent=parent,
            caused_by=list(heard),
            body=body,
            digest=body,
        )

    def note(self, component: str, type: str, said: Json, *, parent: int | None = None) -> int:
        """An event, such as a thought."""
        return self._write(Noted, component=component, type=type, parent=parent, body=self._bodies.put(said))

    def _write(self, cls: type[Record], **fields: Json) -> int:
        seq = len(self.records)
        self.records.append(written(cls, seq, self.now, fields))
        return seq
