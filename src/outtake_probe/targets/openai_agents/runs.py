"""Runs: each makes its agents and its session known; its time limits stand still while something is held.

Traces stay here: nothing is collected for the SDK's vendor.  The program's own trace processors, and exporters to
anywhere else, go on.
"""

from __future__ import annotations

import functools
from typing import Any

from agents import tool
from agents.run import AgentRunner
from agents.run_internal import model_retry
from agents.tracing.processors import BackendSpanExporter, BatchTraceProcessor

from outtake_probe.targets.openai_agents import sessions
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.time_limits import without_holds

_VENDOR = "https://api.openai.com/"
_NOTICE = "traces are not sent to OpenAI while this is debugged; trace processors of the program's own go on"


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Look at every run when it begins (`run_sync` calls `run`); collect no traces for the vendor."""

    def begins(method: Method) -> Method:
        @functools.wraps(method)
        def run(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
            adapter_state.adopt(starting_agent)
            sessions.watch(adapter_state, patches, kwargs.get("session"))
            return method(self, starting_agent, input, **kwargs)

        return run

    waiting = without_holds(lambda: adapter_state.session.standstill.seconds)
    for module in (tool, model_retry):
        patches.set(module, "asyncio", waiting)
    runs = [patches.wrap(AgentRunner, name, begins) for name in ("run", "run_streamed")]
    traces = [patches.wrap(BatchTraceProcessor, name, _collect) for name in ("on_trace_start", "on_span_end")]
    return [
        *([] if all(runs) else ["agents of scripts are not described: AgentRunner has no run or run_streamed"]),
        _NOTICE if all(traces) else "traces may be sent to OpenAI: BatchTraceProcessor has other methods",
    ]


def _collect(method: Method) -> Method:
    @functools.wraps(method)
    def collect(self: Any, item: Any) -> None:
        exporter = getattr(self, "_exporter", None)
        if not isinstance(exporter, BackendSpanExporter) or not exporter.endpoint.startswith(_VENDOR):
            method(self, item)

    return collect
