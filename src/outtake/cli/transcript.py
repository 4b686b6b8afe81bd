"""A run as a person reads it: who said what to whom, which calls were made, with what result, cost and time.

One record gives one line, numbered as in the log, indented by the invocation it lies in; what was said follows, folded.
Records that only keep the books (chunks of streams, clock readings) give none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from outtake.cli.context import Document
from outtake.core import words

if TYPE_CHECKING:
    from outtake.service import Service

STYLES = {"agent": "magenta", "model": "cyan", "tool": "yellow", "step": "blue", "task": "blue", "flow": "bold"}
_INDENT = "  "
_HOW = {"reused": "from the record", "mocked": words.GIVEN}
RECENT = 12
"""Texts that are not repeated when they are passed on."""
_BAR = "     │ "
Body = Callable[[str], Any]


def bodies(service: Service) -> Body:
    """What records refer to, fetched when it is shown."""
    return lambda name: service.body(name)["value"]


@dataclass(slots=True)
class Transcript:
    """Prints records as they come.  `body` fetches what a record refers to; `full` folds nothing."""

    console: Console
    run: str
    body: Body
    full: bool = False
    said: dict[int | None, list[Text]] = field(default_factory=dict)
    """What people and judges said, by the number of the record."""
    _depth: dict[int, int] = field(default_factory=dict)
    _paths: dict[int, str] = field(default_factory=dict)
    _quiet: dict[int, Document] = field(default_factory=dict)
    """Deliveries that led to nothing yet: most messages of a team are only taken note of."""
    _letter: list[Document] = field(default_factory=list)
    """The same message to several recipients."""
    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=RECENT))

    def remember(self, records: Iterable[Document]) -> None:
        """Records that are not shown, but that later ones lie in."""
        for record in records:
            self._enter(record)

    def records(self, records: Iterable[Document]) -> None:
        for record in records:
            self._enter(record)
            if self._letter and not _same_letter(self._letter[0], record):
                self._post()
            show = _SHOWN.get(record["kind"])
            if show is not None:
                show(self, record)
        self._post()

    def settle(self) -> None:
        """Nothing more is coming for now: show what waited for company."""
        self._post()
        for record in list(self._quiet.values()):
            self._show_started(record)

    def printed(self, stream: int, text: str) -> None:
        """What the program itself printed."""
        style = "dim" if stream == 1 else "dim red"
        for line in Text.from_ansi(text).plain.splitlines():
            self.console.print(Text(_BAR + words.clean(line), style=style))

    def _enter(self, record: Document) -> None:
        if record["kind"] == "invocation_started":
            self._depth[record["seq"]] = self._depth.get(record["parent"], -1) + 1
            self._paths[record["seq"]] = record["component"]

    # -- one kind of record each -------------------------------------------------------------------------------------

    def _started(self, record: Document) -> None:
        self._break_silence(record["parent"])
        if record["message"] is not None and not self.full:
            self._quiet[record["seq"]] = record
        else:
            self._show_started(record)

    def _break_silence(self, invocation: int | None) -> None:
        """Something happens inside an invocation: say that it has begun."""
        waiting = self._quiet.get(invocation) if invocation is not None else None
        if waiting is not None:
            self._show_started(waiting)

    def _show_started(self, record: Document) -> None:
        self._quiet.pop(record["seq"], None)
        kind = record["call"]
        name = self._name(record)
        told = (record.get("type") or "") if name == kind else name  # whose place says no more than what it is
        line = Text("▸ ") + Text(kind, style=STYLES.get(kind, "")) + Text(f" {told}".rstrip(), style="bold")
        text = None
        if record["message"] is not None:
            line.append(f"  ← message {record['message']}", style="dim")
        elif self.full:
            text = words.outline(self._body(record))
        else:
            line.append("  " + words.arguments(self._body(record)), style="dim")
        if record.get("edited"):
            line.append("  edited", style="bold yellow")
        self._line(record, line, self._depth[record["seq"]], text)

    def _ended(self, record: Document) -> None:
        ran = record["how"] not in ("mocked", "dropped")
        body = self._body(record)
        noted = record["call"] == "agent" and body is None  # a recipient that took note of a message, no more
        if record["invocation"] in self._quiet and ran and not record["failed"] and noted:
            self._quiet.pop(record["invocation"])
            return
        self._break_silence(record["invocation"])
        depth = self._depth.get(record["invocation"], 0)
        line = Text("◂ ") + Text(self._name(record), style=STYLES.get(record["call"], ""))
        told = [words.duration(record["seconds"])] if record["seconds"] else []  # a log may not tell
        if record["tokens_in"] or record["tokens_out"]:
            told.append(f"{record['tokens_in']:,} + {record['tokens_out']:,} tokens")
        if record["cost"]:
            told.append(f"${record['cost']:.4f}")
        if record["how"] != "executed":
            told = [_HOW.get(record["how"]) or str(record["how"])]
        if told:
            line.append("  " + ", ".join(told), style="dim")
        if record["failed"]:
            line.append("  " + words.one_line(words.error_line(body), 200), style="bold red")
            self._line(record, line, depth)
            return
        outermost = record["call"] == "flow" and depth == 0  # its result is the run's, which is told at the end
        quiet = not self.full and (outermost or (record["call"] == "agent" and not body))
        text = words.said_or_outline(body) if self.full else words.readable(body)
        self._line(record, line, depth, None if body is None or quiet else text)

    def _queued(self, record: Document) -> None:
        self._break_silence(record["parent"])
        self._letter.append(record)

    def _post(self) -> None:
        """One message, with all who get it."""
        if not self._letter:
            return
        record, recipients = self._letter[0], [letter.get("recipient") or "?" for letter in self._letter]
        others = [letter["seq"] for letter in self._letter[1:]]
        self._letter = []
        line = Text("✉ ") + Text(record["component"] or "?", style="magenta") + Text(" → ")
        line.append(", ".join(recipients), style="magenta").append(f"  {record.get('type', '')}", style="dim")
        for name in ("injected", "edited"):
            if record.get(name):
                line.append(f"  {name}", style="bold yellow")
        body = self._body(record)
        text = words.said(body)
        if text is None:
            line.stylize("dim")
            text = words.arguments(words.untyped(body)) or None
        depth = self._depth.get(record["parent"], -1) + 1
        self._line(record, line, depth, text, others)

    def _edited(self, record: Document) -> None:
        inside = self._depth.get(record["parent"] if record["parent"] is not None else record["invocation"], -1) + 1
        what = f"message {record['message']}" if record["message"] is not None else record["component"]
        line = Text(f"✎ {record.get('op') or 'edit'}", style="bold yellow") + Text(f" {what or ''}")
        self._line(record, line, inside, words.readable(self._body(record)))

    def _configured(self, record: Document) -> None:
        line = Text("✎ set", style="bold yellow") + Text(f" {record['component']}.{record.get('key', '')} = ")
        self._line(record, line.append(words.one_line(words.as_json(self._body(record)))), 0)

    def _dropped(self, record: Document) -> None:
        self._line(record, Text(f"✎ dropped message {record['message']}", style="bold yellow"), 0)

    def _moved(self, record: Document) -> None:
        before = record.get("before")
        where = "to the end of the queue" if before is None else f"before message {before}"
        self._line(record, Text(f"✎ moved message {record['message']} {where}", style="bold yellow"), 0)

    def _restored(self, record: Document) -> None:
        """A step that brought a state outside the process to where the record left it."""
        self._break_silence(record["parent"])
        inside = self._depth.get(record["parent"], -1) + 1
        verb = {"loaded": "loaded what was saved after", "skipped": "left out"}.get(record.get("how", ""), "again")
        line = Text("↻ ") + Text(record.get("state", ""), style="cyan")
        line.append(f" {record.get('number', 1)}/{record.get('total', 1)}  {verb} {record['component']}", style="dim")
        line.append(f" of record {record['invocation']}", style="dim")
        text = None
        if not record.get("same", True):
            line.append("  differs from the record", style="bold yellow")
            text = record.get("reason") or (words.readable(self._body(record)) if record["hash"] else None)
        self._line(record, line, inside, text)

    def _noted(self, record: Document) -> None:
        if record.get("span") is not None and not self.full:
            return  # what instrumentation says; `outtake trace --events` shows it
        self._break_silence(record["parent"])
        inside = self._depth.get(record["parent"], -1) + 1
        text = words.arguments(self._body(record))
        line = Text(f"· {record['component']} {record.get('type', '')}  ", style="dim")
        self._line(record, line.append(words.one_line(text), style="dim italic"), inside)

    # -- lines -------------------------------------------------------------------------------------------------------

    def _name(self, record: Document) -> str:
        """The path of a component, without what the line it is indented under says already."""
        around = self._paths.get(record["parent"], "") if record["parent"] is not None else ""
        path: str = record["component"]
        return path.removeprefix(around + "/") if around else path

    def _body(self, record: Document) -> Any:
        return self.body(record["hash"]) if record["hash"] else None

    def _line(
        self, record: Document, line: Text, depth: int, text: str | None = None, others: Sequence[int] = ()
    ) -> None:
        """One record, and what was said of it, or of those `others` that it stands for."""
        self._told(record, line, depth, text)
        for seq in (record["seq"], *others):
            for said in self.said.get(seq, ()):
                self.console.print(Text(" " * 7 + _INDENT * depth + "✎ ") + said)

    def _told(self, record: Document, line: Text, depth: int, text: str | None) -> None:
        head = Text(f"{record['seq']:>4} ", style="dim") + Text(_INDENT * depth) + line
        text = text.strip() if text is not None else None
        if text and "\n" not in text and len(head.plain) + len(text) + 2 <= max(self.console.width, 80):
            self.console.print(head + Text("  " + text))
            return
        if text in self._recent and not self.full:
            self.console.print(head + Text("  (as above)", style="dim"))
            return
        self.console.print(head)
        if text:
            self._recent.append(text)
            self._block(record["seq"], text, depth)

    def _block(self, seq: int, text: str, depth: int) -> None:
        folded = words.Folded(text, 0) if self.full else words.fold(text)
        margin = " " * 7 + _INDENT * depth
        for line in folded.text.splitlines():
            self.console.print(Text(margin + line))
        if folded.left_out:
            more = f"{margin}… {words.count(folded.left_out, 'more character')}: "
            how = f"outtake show {self.run} --after {seq - 1} --limit 1 --bodies"
            self.console.print(Text(more + how, style="dim"))


def _same_letter(one: Document, other: Document) -> bool:
    shared = ("kind", "component", "hash", "type", "parent", "edited", "injected")
    return all(one.get(name) == other.get(name) for name in shared)


_SHOWN: dict[str, Callable[[Transcript, Document], None]] = {
    "invocation_started": Transcript._started,
    "invocation_ended": Transcript._ended,
    "message_queued": Transcript._queued,
    "message_dropped": Transcript._dropped,
    "message_moved": Transcript._moved,
    "edited": Transcript._edited,
    "config_set": Transcript._configured,
    "noted": Transcript._noted,
    "state_restored": Transcript._restored,
}
"""Kinds of records that a person is shown; the others keep the books."""
