"""Runs: each makes its agents known, and the session that it is given; its time limits stand still during holds."""

from __future__ import annotations

import functools
from typing import Any

from agents import tool
from agents.run import AgentRunner
from agents.run_internal import model_retry

from outtake_probe.targets.openai_agents import sessions
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.time_limits import without_holds


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Look at every run when it begins; `run_sync` calls `run`."""

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
    wrapped = [patches.wrap(AgentRunner, name, begins) for name in ("run", "run_streamed")]
    return [] if all(wrapped) else ["agents of scripts are not described: AgentRunner has no run or run_streamed"]
