"""Spans that come in while a program runs elsewhere: collected by trace, and kept as a run when the trace is over.

A log is append-only and children end before what they are in, so a trace is kept whole: when nothing has come for a
while, sooner once its first span has come.  Until then spans that come late join it.  What is collected is bounded;
what is over the bound is refused, and exporters send it again.
"""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from outtake.importers import BadLog, Importer, otlp
from outtake.importers.genai import Telemetry, logs
from outtake.importers.registry import ImportedLogs
from outtake.importers.source import Source
from outtake.service.errors import ServiceError, WrongUse
from outtake.service.service import Service

LARGEST = 16 << 20
"""Bytes of one request, packed or not."""
HELD = 128 << 20
"""Bytes of all requests whose traces are not over."""
TRACES = 1000
"""Traces that are not over."""


class Full(Exception):
    """So much is collected that no more is taken before something of it is over."""


@dataclass(slots=True)
class _Trace:
    spans: list[Telemetry] = field(default_factory=list)
    size: int = 0
    due: float = 0.0


class Receiver:
    """Collects spans, and keeps each trace as a run.

    `quiet` and `idle` are the seconds without a new span after which a trace is over: where its first span has ended,
    and where it has not.  A thread of its own waits for that, and gives `tell` a sentence for each run, or why there is
    none.
    """

    def __init__(
        self, service: Service, tell: Callable[[str], None], *, quiet: float = 5.0, idle: float = 60.0
    ) -> None:
        self._service = service
        self._tell = tell
        self._quiet, self._idle = quiet, idle
        self._open: dict[str, _Trace] = {}
        self._kept: dict[str, None] = {}
        """Traces that were kept: spans that come after that are a run of their own, which says so."""
        self._changed = threading.Condition()
        self._over = False
        self._thread = threading.Thread(target=self._wait, name="outtake-traces", daemon=True)
        self._thread.start()

    def take(self, data: bytes, *, is_json: bool, is_packed: bool) -> int:
        """The spans of one request; how many.  Raises `WrongUse`, and `Full`."""
        body = _unpacked(data) if is_packed else data
        if len(body) > LARGEST:
            raise WrongUse(f"an export request has up to {LARGEST >> 20} MiB")
        try:
            spans = _read(body, is_json)
        except BadLog as error:
            raise WrongUse(f"the export request is refused: {error}") from error
        by_trace: dict[str, list[Telemetry]] = {}
        for span in spans:
            by_trace.setdefault(span.trace, []).append(span)
        with self._changed:
            held = sum(trace.size for trace in self._open.values())
            if held + len(body) > HELD or len(self._open.keys() | by_trace.keys()) > TRACES:
                raise Full("too many traces are not over; send it again later")
            for id, found in by_trace.items():
                trace = self._open.setdefault(id, _Trace())
                trace.spans += found
                trace.size += len(body) * len(found) // len(spans)
                rooted = any(not span.parent for span in trace.spans)
                trace.due = time.monotonic() + (self._quiet if rooted else self._idle)
            self._changed.notify_all()
        return len(spans)

    def close(self) -> None:
        """Keep all that was collected, and take no more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join()

    def _wait(self) -> None:
        while True:
            with self._changed:
                due = self._due()
                while not due and not self._over:
                    first = min((trace.due for trace in self._open.values()), default=None)
                    self._changed.wait(None if first is None else max(0.0, first - time.monotonic()))
                    due = self._due()
                taken = [(id, self._open.pop(id)) for id in (list(self._open) if self._over else due)]
                over = self._over
            for id, trace in taken:
                self._keep(id, trace)
            if over:
                return

    def _due(self) -> list[str]:
        now = time.monotonic()
        return [id for id, trace in self._open.items() if trace.due <= now]

    def _keep(self, id: str, trace: _Trace) -> None:
        guessed = ["these spans came after the trace was over, and its run was kept"] if id in self._kept else []
        self._kept[id] = None
        if len(self._kept) > TRACES:
            del self._kept[next(iter(self._kept))]
        try:
            found = logs(trace.spans, guessed)
            name = f"{found[0].parts[0].component} ({id[:8]})"
            told = self._service.keep_logs(ImportedLogs(RECEIVED, "spans that were sent here", found), name)
        except (BadLog, ServiceError) as error:
            self._tell(f"the trace {id} is not kept: {error}")
        else:
            self._tell(f"the trace {id} is {told['run']}")


def _unpacked(data: bytes) -> bytes:
    """The content of gzip data.  Raises `WrongUse`."""
    reader = zlib.decompressobj(wbits=31)
    try:
        body = reader.decompress(data, LARGEST + 1)
    except zlib.error as error:
        raise WrongUse(f"the export request is no gzip data: {error}") from error
    if len(body) <= LARGEST and not reader.eof:
        raise WrongUse("the export request is cut off")
    return body


def _read(body: bytes, is_json: bool) -> Sequence[Telemetry]:
    if is_json:
        source = Source(body, "the export request")
        if "resourceSpans" not in source.root:
            raise BadLog(f"it has no resourceSpans{f', and is {source.trouble}' if source.trouble else ''}")
        return list(otlp.from_json([source.root]))
    message = otlp.parsed(body)
    if message is None:
        raise BadLog("it is no protobuf message with spans")
    return list(otlp.from_protobuf([message]))


RECEIVED = Importer(
    name="OpenTelemetry spans", looks="an OTLP export request", recognise=lambda _: "", read=lambda _: ()
)
