"""Where the prompt's lines come from: a person's terminal, with history and completion, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from outtake.cli.context import Front

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document as Typed

Choices = Callable[[Sequence[str]], Iterable[str]]
"""What may come next, after the words that are complete."""


class Keyboard(Protocol):
    def line(self, prompt: str) -> str | None:
        """The next line, or None where there will be no more.  Raises `KeyboardInterrupt`."""


def keyboard(front: Front, history: Path, choices: Choices) -> Keyboard:
    return _Terminal(history, choices) if front.interactive else _Script(front)


class _Script:
    """Lines from a pipe or a file, repeated in the output as if they had been typed."""

    def __init__(self, front: Front) -> None:
        self._front = front

    def line(self, prompt: str) -> str | None:
        line = sys.stdin.readline() if sys.stdin is not None else ""
        self._front.out.print(prompt + line.rstrip("\n"))
        return line.rstrip("\n") if line else None


class _Terminal:
    """prompt_toolkit, imported here because only a person at a prompt needs to wait for it."""

    def __init__(self, history: Path, choices: Choices) -> None:
        from prompt_toolkit import PromptSession  # noqa: PLC0415
        from prompt_toolkit.completion import Completer, Completion  # noqa: PLC0415
        from prompt_toolkit.history import FileHistory  # noqa: PLC0415

        class Words(Completer):
            def get_completions(self, document: Typed, complete_event: CompleteEvent) -> Iterable[Completion]:
                before = document.text_before_cursor.split(" ")
                for choice in choices([word for word in before[:-1] if word]):
                    if choice.startswith(before[-1]):
                        yield Completion(choice, start_position=-len(before[-1]))

        self._session: PromptSession[str] = PromptSession(
            history=FileHistory(str(history)), completer=Words(), complete_while_typing=False
        )

    def line(self, prompt: str) -> str | None:
        try:
            return self._session.prompt(prompt)
        except EOFError:
            return None
