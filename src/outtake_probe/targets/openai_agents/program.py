"""An agent as a program: how it is run, through the approvals that it asks a person for, and the user's commands."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.agent import Agent
from agents.run import Runner

from outtake_probe.codec import encode
from outtake_probe.commands import BadValue, Target
from outtake_probe.gate.invoke import acall
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.openai_agents import graph
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.human_input import input_call, is_answered, question
from outtake_probe.targets.toolkit.live_target import LiveTarget
from outtake_probe.targets.toolkit.settings import change_setting
from outtake_probe.waits import adrive

CAPABILITIES: tuple[Capability, ...] = (
    *("hold:agent", "hold:step", "hold:model", "hold:tool"),
    *("edit", "mock", "drop", "configure", "state"),
)


class AgentsTarget(LiveTarget):
    """The commands of one program: its settings are read and changed."""

    no_queue = "agents have no queue of messages: change what a turn gets (replace_input) or gives (mock_output)"

    def __init__(self, adapter_state: AdapterState, missing: list[str]) -> None:
        super().__init__(CAPABILITIES, missing)
        self._adapter_state = adapter_state

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        return self._adapter_state.loop

    def configure(self, component: str, key: str, value: Json) -> None:
        """Change a setting of an agent, from its next turn on."""
        known = graph.known(self._adapter_state.agents)
        change_setting({path: list(graph.settings_of(each)) for path, each in known.items()}, component, key, value)

    def graph(self) -> Mapping[str, Json]:
        return graph.describe(self._adapter_state.agents)


def make_program(agent: Agent[Any], adapter_state: AdapterState, target: Target) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    adapter_state.agents[agent.name] = agent
    return Program(_Runner(agent, adapter_state).run, target, agent.name)


class _Runner:
    """Runs an agent, and the one that spoke last again for each input that follows."""

    def __init__(self, agent: Agent[Any], adapter_state: AdapterState) -> None:
        self._agent = agent
        self._adapter_state = adapter_state
        self._said: list[Any] = []

    async def run(self, given: Json) -> Json:
        """Run it to its end.  Raises `BadValue`."""
        if not isinstance(given, (str, list, type(None))):
            raise BadValue("an agent's input is a text, or a list of items")
        asked = [{"role": "user", "content": given}] if isinstance(given, str) else given or []
        result = await Runner.run(self._agent, [*self._said, *asked])
        while result.interruptions:
            state = result.to_state()
            for waiting in result.interruptions:
                answer = await self._ask(waiting)
                if answer is True:
                    state.approve(waiting)
                else:
                    state.reject(waiting, rejection_message=answer if isinstance(answer, str) else None)
            result = await Runner.run(self._agent, state)
        self._agent, self._said = result.last_agent, result.to_input_list()
        return encode(result.final_output)

    async def _ask(self, waiting: Any) -> Json:
        """A person's answer: true approves, false rejects, a text rejects with that message for the model."""
        prompt = f"{waiting.agent.name} wants to call {waiting.name}({waiting.arguments}): true, false, or why not"
        what = input_call(f"{waiting.agent.name}/approval", prompt)

        async def asked(_: object) -> Json:
            answer = await adrive(self._adapter_state.session.hold(question(what.component, what.input["prompt"])))
            return answer.value if is_answered(answer) else False

        return await acall(self._adapter_state.session, what, asked)
