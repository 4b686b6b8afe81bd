"""The OpenAI Agents SDK (`openai-agents`, imported as `agents`): agents, and scripts that run them.

What is put in place: a gate before each turn of an agent (`turns`), each call of a model (`models`) or a tool (`tools`)
and each guardrail (`guardrails`).  What a session holds is recorded, and a fork gets a copy of it (`sessions`).  Traces
do not go to the vendor (`runs`).  The SDK asks the `openai` client below; such a request is part of the model call.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.agent import Agent

from outtake_probe.session import Session
from outtake_probe.sessions import for_each
from outtake_probe.targets.base import Program
from outtake_probe.targets.openai_agents import guardrails, models, runs, sessions, tools, turns
from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.openai_agents.program import CAPABILITIES, AgentsTarget, make_program
from outtake_probe.targets.toolkit.adapter import Installed, RunnableAdapter
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


def _hook(adapter_state: AdapterState, patches: Patches) -> Sequence[str]:
    parts = (runs, turns, models, tools, guardrails, sessions)
    return [lost for part in parts for lost in part.install(adapter_state, patches)]


class OpenAIAgents(RunnableAdapter[AdapterState]):
    """All is put in place when the SDK has been imported."""

    name = "openai_agents"
    capabilities = CAPABILITIES
    seams = (Seam("agents.run", "Runner", _hook),)

    def begin(self, session: Session, missing: list[str]) -> AdapterState:
        def adapter_state(session: Session) -> AdapterState:
            made = AdapterState(session)
            made.target = AgentsTarget(made, missing)
            return made

        return for_each(session, adapter_state)

    def claims(self, made: object) -> bool:
        return isinstance(made, Agent)

    def make_program(self, made: object, installed: Installed[AdapterState]) -> Program:
        if not isinstance(made, Agent):
            raise TypeError(f"{type(made).__name__} is no agent")
        return make_program(made, installed.state, AgentsTarget(installed.state, installed.missing))


adapter = OpenAIAgents()
