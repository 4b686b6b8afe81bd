"""How an agent that a factory made is run: to its final output, through the approvals that it asks a person for."""

from __future__ import annotations

from typing import Any

from agents.agent import Agent
from agents.run import Runner

from outtake_probe.codec import encode
from outtake_probe.gate.invoke import acall
from outtake_probe.records import Json
from outtake_probe.session import BadValue, Target
from outtake_probe.targets.base import Program
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.human_input import input_call, is_answered, question
from outtake_probe.waits import adrive


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
        result = await Runner.run(self._agent, [*self._said, *_items(given)])
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


def _items(given: Json) -> list[Any]:
    """What a person gives to an agent: a text, or items."""
    if given is None:
        return []
    if isinstance(given, list) and all(isinstance(item, dict) for item in given):
        return given
    if not isinstance(given, str):
        raise BadValue("an agent's input is a text, or a list of items")
    return [{"role": "user", "content": given}]
