"""Where a call happens, as both adapters see it: the path below the running component, and what a graph adds to it.

A graph framework on top of LangChain has control flow of its own (an interrupt is an exception to Python); it says so
here, so that this package needs no import of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from outtake_probe.calls import Call
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.context_variables import assigned

if TYPE_CHECKING:
    from outtake_probe.targets.langchain.conversations import Transcript


class Around:
    """What the framework around LangChain adds; nothing, where there is none."""

    def __init__(self) -> None:
        self.identity: Callable[[], Json] = lambda: None
        """What a call depends on besides its arguments: answers of a person that the code will be given."""
        self.error: Callable[[Exception], Exception] = lambda error: error
        """The error to raise for a recorded one."""
        self.signals: tuple[type[BaseException], ...] = ()
        """Exceptions by which it takes control; one of these is no failure."""
        self.leaf: Callable[[], None] = lambda: None
        """Told when a model or a tool is called."""
        self.is_seen: Callable[[], bool] = lambda: False
        """Whether the program is streamed what happens inside of tools."""
        self.stream: Callable[[Json], None] = lambda _: None
        """Streams to the program again what a tool streamed, where the record answers for the tool."""
        self.is_between: Callable[[], bool] = lambda: False
        """Whether what runs is none of its components, but what goes on between them: a router."""
        self.said: Callable[[], Iterable[Transcript]] = lambda: ()
        """Conversations that have just been looked at: a model is told one of them, as a rule."""


around = Around()
running_tool: ContextVar[Call | None] = ContextVar("outtake_langchain_tool", default=None)
"""The innermost tool that is being executed."""


@contextmanager
def running(tool: Call) -> Iterator[None]:
    """While the code of a tool runs."""
    tool.streamed.clear()
    with assigned(running_tool, tool):
        yield
