"""What is put in place when which part of AutoGen has been imported."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import autogen_core

from outtake_probe.calls import Call
from outtake_probe.records import Json
from outtake_probe.targets.autogen import calls, messages, timeouts
from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.autogen.paths import here, is_team
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


def hook_core(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Our runtime for AutoGen's, in every module that has it already; models, tools, workbenches, code executors."""
    patches.everywhere(
        "SingleThreadedAgentRuntime", autogen_core.SingleThreadedAgentRuntime, adapter_state.runtime_class
    )
    calls.install(adapter_state, patches)
    return []


def hook_agents(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Agents that run by themselves, and questions to the user."""
    module = sys.modules["autogen_agentchat.agents"]
    agent, user = getattr(module, "BaseChatAgent", None), getattr(module, "UserProxyAgent", None)
    turn = Boundary(lambda: adapter_state.session, functools.partial(_turn, adapter_state))
    missing = []
    if agent is None or not patches.wrap(agent, "run", turn.acall):
        missing.append("runs of single agents are not shown: BaseChatAgent.run is not there")
    if agent is None or not patches.wrap(agent, "run_stream", turn.astream):
        missing.append("streamed runs of single agents are not shown: BaseChatAgent.run_stream is not there")
    if user is None or not calls.ask_user(adapter_state, patches, user):
        missing.append("what a user types is not recorded: UserProxyAgent._get_input is not there")
    return missing


def hook_teams(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Teams use our runtime, and say under which names they register their members."""
    original = patches.original("SingleThreadedAgentRuntime")
    if original is not None:
        patches.everywhere("SingleThreadedAgentRuntime", original, adapter_state.runtime_class)
    team = getattr(sys.modules["autogen_agentchat.teams"], "BaseGroupChat", None)
    if team is None or not patches.wrap(team, "_init", _register(adapter_state)):
        return ["members of teams have no readable names: BaseGroupChat._init is not there"]
    return []


SEAMS = (
    Seam("autogen_core", "SingleThreadedAgentRuntime", hook_core),
    Seam("autogen_agentchat.agents", "UserProxyAgent", hook_agents),
    Seam("autogen_agentchat.teams", "BaseGroupChat", hook_teams),
    Seam(timeouts.MODULE, "TimeoutTermination", timeouts.install),
)


def is_runner(made: object) -> bool:
    """Whether this is a team or an agent that can be given a task."""
    return is_team(made) or (
        callable(getattr(made, "run_stream", None)) and callable(getattr(made, "on_messages", None))
    )


def _register(adapter_state: AdapterState) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def _init(self: Any, runtime: Any) -> None:
            adapter_state.paths.register(self)
            adapter_state.announce()
            await method(self, runtime)

        return _init

    return wrap


# -- agents that run by themselves -----------------------------------------------------------------------------------


def _turn(adapter_state: AdapterState, _method: Method, agent: Any, *, task: Any = None, **kwargs: Any) -> Bound:
    return Bound(_agent_call(adapter_state, agent, task), lambda new: ((agent,), {**kwargs, "task": new}))


def _agent_call(adapter_state: AdapterState, agent: Any, task: Any) -> Call:
    base = here()
    path = base if base.rpartition("/")[2] == agent.name else f"{base}/{agent.name}" if base else agent.name
    adapter_state.runners[path] = agent
    return Call("agent", path, {"task": task_json(task)}, decode_input=lambda value: task_from(value["task"]))


def task_json(task: Any) -> Json:
    """A task as JSON: a text, messages, or nothing."""
    return messages.body(task) if not isinstance(task, str) else task


def task_from(value: Json) -> Any:
    """A task of JSON: a text, a message, a list of messages, or nothing."""
    if isinstance(value, list):
        return [_message(item) for item in value]
    return _message(value) if isinstance(value, dict) else value


def _message(item: Json) -> Any:
    return messages.build_chat(item, "user")
