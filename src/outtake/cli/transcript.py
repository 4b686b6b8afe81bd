"""A run as a person reads it: who said what to whom, which calls were made, with what result, cost and time.

One record gives one line, numbered as in the log, indented by the invocation it lies in; what was said follows, folded.
Records that only keep the books (chunks of streams, clock readings) give none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from outtake.cli import text as words
from outtake.cli.front import Document

if TYPE_CHECKING:
    from outtake.service import Service

STYLES = {"agent": "magenta", "model": "cyan", "tool": "yellow", "step": "blue", "task": "blue", "flow": "bold"}
_INDENT = "  "
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
    _depth: dict[int, int] = field(default_factory=dict)
    _paths: dict[int, str] = field(default_factory=dict)
    _last_said: tuple[str, str | None] = ("", None)

    def remember(self, records: Iterable[Document]) -> None:
        """Records that are not shown, but that later ones lie in."""
        for record in records:
            self._enter(record)

    def records(self, records: Iterable[Document]) -> None:
        for record in records:
            self._enter(record)
            show = _SHOWN.get(record["kind"])
            if show is not None:
                show(self, record)

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
        kind = record["call"]
        line = Text("▸ ") + Text(kind, style=STYLES.get(kind, "")) + Text(" " + self._name(record), style="bold")
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
        depth = self._depth.get(record["invocation"], 0)
        line = Text("◂ ") + Text(self._name(record), style=STYLES.get(record["call"], ""))
        told = [words.duration(record["seconds"])]
        if record["tokens_in"] or record["tokens_out"]:
            told.append(f"{record['tokens_in']:,} + {record['tokens_out']:,} tokens")
        if record["cost"]:
            told.append(f"${record['cost']:.4f}")
        if record["how"] != "executed":
            told = ["from the record" if record["how"] == "reused" else record["how"]]
        line.append("  " + ", ".join(told), style="dim")
        body = self._body(record)
        if record["failed"]:
            line.append("  " + words.one_line(words.error_line(body), 200), style="bold red")
            self._line(record, line, depth)
            return
        quiet = not self.full and record["call"] in ("flow", "agent") and words.said(body) is None
        text = words.said_or_outline(body) if self.full else words.readable(body)
        self._line(record, line, depth, None if body is None or quiet else text)

    def _queued(self, record: Document) -> None:
        inside = self._depth.get(record["parent"], -1) + 1
        line = Text("✉ ") + Text(record["component"] or "?", style="magenta") + Text(" → ")
        line.append(record.get("recipient") or "?", style="magenta")
        line.append(f"  {record.get('type', '')}", style="dim")
        for name in ("injected", "edited"):
            if record.get(name):
                line.append(f"  {name}", style="bold yellow")
        again = (record["component"], record["hash"]) == self._last_said
        self._last_said = (record["component"], record["hash"])
        text = None if again else words.said(self._body(record))
        if text is None:
            line.stylize("dim")
        self._line(record, line, inside, text)

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

    def _noted(self, record: Document) -> None:
        inside = self._depth.get(record["parent"], -1) + 1
        text = words.said(self._body(record)) or ""
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

    def _line(self, record: Document, line: Text, depth: int, text: str | None = None) -> None:
        head = Text(f"{record['seq']:>4} ", style="dim") + Text(_INDENT * depth) + line
        text = text.strip() if text is not None else None
        if text and "\n" not in text and len(head.plain) + len(text) + 2 <= max(self.console.width, 80):
            self.console.print(head + Text("  " + text))
            return
        self.console.print(head)
        if text:
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


_SHOWN: dict[str, Callable[[Transcript, Document], None]] = {
    "invocation_started": Transcript._started,
    "invocation_ended": Transcript._ended,
    "message_queued": Transcript._queued,
    "message_dropped": Transcript._dropped,
    "message_moved": Transcript._moved,
    "edited": Transcript._edited,
    "config_set": Transcript._configured,
    "noted": Transcript._noted,
}
"""Kinds of records that a person is shown; the others keep the books."""
