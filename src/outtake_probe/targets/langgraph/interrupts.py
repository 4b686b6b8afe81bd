"""What LangGraph adds to what LangChain's adapter sees: questions to a person and their answers, states, routers.

A tool that asks a person is stopped by an exception; from the record it stops again, as the same question of the task
that runs now.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config
from langgraph import types
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Interrupt

from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langchain.context import Around
from outtake_probe.targets.langchain.conversations import Transcript
from outtake_probe.targets.langgraph.adapter_state import CONF, AdapterState
from outtake_probe.targets.langgraph.causality import here
from outtake_probe.targets.langgraph.node_capture import SCRATCHPAD, visit
from outtake_probe.targets.toolkit.patches import Patches


def install(adapter_state: AdapterState, patches: Patches, around: Around) -> None:
    """Tell LangChain's adapter what surrounds it."""
    patches.set(around, "leaf", adapter_state.leaf)
    patches.set(around, "signals", (GraphBubbleUp,))
    patches.set(around, "identity", _identity)
    patches.set(around, "error", _error)
    patches.set(around, "is_between", _is_between)
    patches.set(around, "is_seen", _is_seen)
    patches.set(around, "stream", _stream)
    patches.set(around, "said", _said)


def _conf() -> dict[str, Any]:
    config: Any = var_child_runnable_config.get()
    return (config or {}).get(CONF) or {}


def _is_between() -> bool:
    """Whether a graph runs, and none of its nodes: the run of a node begins and ends there, too."""
    place, now = here.get(), visit.get()
    return place is not None and (now is None or now.place is not place)


def _is_seen() -> bool:
    now = visit.get()
    return now is not None and now.is_seen


def _stream(event: Json) -> None:
    now = visit.get()
    if now is not None:
        now.stream(event)


def _said() -> list[Transcript]:
    place = here.get()
    return place.states.said if place is not None else []


def _identity() -> Json:
    now = visit.get()
    return messages.body(now.answers.values()) if now is not None else None


def _error(error: Exception) -> Exception:
    """A recorded question as one of the task that runs now."""
    conf = _conf()
    pad = conf.get(SCRATCHPAD)
    if type(error) is not GraphInterrupt or pad is None or not error.args or not error.args[0]:
        return error
    make = getattr(types, "_interrupt_id", None)
    name = conf.get("checkpoint_ns", "")
    return GraphInterrupt(tuple(_asked(one, make, name, len(pad.resume)) for one in error.args[0]))


def _asked(interrupt: Any, make: Any, name: str, index: int) -> Interrupt:
    if make is None:
        return Interrupt.from_ns(value=interrupt.value, ns=name)
    return dataclasses.replace(interrupt, id=make(name, index))
