"""What the parts of the adapter share while one program is debugged."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.agent import Agent

from outtake_probe.calls import current, nested
from outtake_probe.commands import Target
from outtake_probe.session import Session
from outtake_probe.targets.openai_agents.items import conversations
from outtake_probe.targets.openai_agents.sessions import Sessions


class AdapterState:
    """One debugged program: its session, its agents by path, and what their prompts were."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.target: Target | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        """The loop of the newest run."""
        self.agents: dict[str, Agent[Any]] = {}
        """Agents with which a run began, by path; the newest for each."""
        self.conversations = conversations()
        self.sessions = Sessions()

    def adopt(self, agent: Agent[Any]) -> None:
        """A run begins with this agent."""
        self.loop = asyncio.get_running_loop()
        self.agents[place(agent.name)] = agent
        if self.session.target is None and self.target is not None:
            self.session.ready(self.target)


def place(name: str) -> str:
    """The path of an agent that runs here: below the tool or the guardrail that runs it."""
    frame = current.get()
    return name if frame is None or frame.kind == "flow" else nested(name)
