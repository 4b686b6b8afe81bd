"""What goes to the user's terminal.  Whatever a program has said passes here, and nothing in it steers the terminal.

Recorded text stands in names, values, errors, everywhere: no command cleans it by itself.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from outtake.cli.problems import OutputGone
from outtake.core import words

PIPE_WIDTH = 120
_ESCAPED = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""Controls that JSON leaves as they are."""


class CleanConsole(Console):
    """A console that writes texts without what could steer a terminal, and tells when who read it has gone."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control is None and (text := words.clean(segment.text)) != segment.text:
                yield Segment(text, segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        raise OutputGone


def console(*, stderr: bool) -> Console:
    """Colours and the real width on a terminal; in a pipe plain, and no line is broken."""
    made = CleanConsole(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not made.is_terminal:
        made.width = PIPE_WIDTH
    return made


def write_json(document: Any) -> None:
    """A document as a line of standard output."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False).translate(_ESCAPED) + "\n")
    sys.stdout.flush()


def write_plain(stream: IO[str], text: str) -> None:
    """A line without style."""
    stream.write(words.clean(text) + "\n")


class CleanFormatter(logging.Formatter):
    """What is logged may tell what was recorded."""

    def format(self, record: logging.LogRecord) -> str:
        return words.clean(super().format(record))


def clean_logging() -> None:
    """Let what nobody handles be logged clean."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(CleanFormatter())
