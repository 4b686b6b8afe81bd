"""What CrewAI asks a person passes the gate as `input` does, with the result that it is about as the question."""

from __future__ import annotations

import asyncio
import builtins
import functools
from contextvars import ContextVar
from typing import Any

from crewai.core.providers import human_input

from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.patches import Patches

_QUESTION = "Your feedback on this result, or nothing where it is good:"
_about: ContextVar[str] = ContextVar("outtake_crewai_about", default="")
"""The result that a person is asked about."""


def install(patches: Patches) -> list[str]:
    """Ask with `input`, also where an event loop runs."""
    provider = human_input.SyncHumanInputProvider
    patches.set(human_input, "input", _ask)
    patches.wrap(provider, "handle_feedback", _asking)
    patches.wrap(provider, "handle_feedback_async", _aasking)
    if not hasattr(human_input, "_async_readline"):
        return ["what an async crew asks a person is read from the console: _async_readline is not there"]
    patches.set(human_input, "_async_readline", lambda: asyncio.to_thread(_ask))
    return []


def _ask(prompt: object = "", /) -> str:
    about = _about.get()
    return builtins.input(prompt or (f"{_QUESTION}\n\n{about}" if about else _QUESTION))


def _asking(method: Method) -> Method:
    @functools.wraps(method)
    def handle_feedback(self: Any, formatted_answer: Any, context: Any) -> Any:
        with assigned(_about, str(formatted_answer.output)):
            return method(self, formatted_answer, context)

    return handle_feedback


def _aasking(method: Method) -> Method:
    @functools.wraps(method)
    async def handle_feedback_async(self: Any, formatted_answer: Any, context: Any) -> Any:
        with assigned(_about, str(formatted_answer.output)):
            return await method(self, formatted_answer, context)

    return handle_feedback_async
