"""Runs a program in this process with the hooks of one client library in place."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from outtake_probe.attached import active
from outtake_probe.records import InvocationEnded, InvocationStarted
from tests.core.inprocess import Log, execute


def run(target: ModuleType, program: Callable[[], Any], **options: Any) -> Log:
    """As `execute`, hooks in, hooks out."""

    def hooked() -> Any:
        target.install(active())
        try:
            return program()
        finally:
            target.remove()

    return execute(hooked, **options)


def models(log: Log) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "model"]


def ends(log: Log) -> list[InvocationEnded]:
    return [r for r in log.records if isinstance(r, InvocationEnded) and r.call == "model"]


def everything(log: Log) -> str:
    """All that leaves the process, as one text."""
    nodes = b"".join(log.nodes.values()).decode("utf-8", "replace")
    return f"{log.records} {log.told} {nodes}"
