"""Where each agent of AutoGen stands in the program: paths that are the same in every run.

    team                  a team; its own name where it has one
    team/coder            a participant; a team that is a participant has its participants below
    team/manager          what chooses the next speaker; `orchestrator` in a Magentic-One team
    team/output           the topic to which a team's messages are logged; its deliveries are plumbing
    worker, worker/eu     an agent that was registered with a runtime, and its key where that is not `default`

AutoGen's own names hold random ids; which path they stand for is learned when a team registers its members.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from autogen_core import AgentId

from outtake_probe.calls import current
from outtake_probe.targets.toolkit.random_ids import RandomIdNumbers


class Paths:
    """The paths of one program's teams, agents and topics."""

    def __init__(self) -> None:
        self.teams: dict[str, Any] = {}
        """Teams by path, the newest for each."""
        self._team_paths: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._agents: dict[str, str] = {}
        self._outputs: dict[str, str] = {}
        self._topics: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._random_ids = RandomIdNumbers()

    # -- teams -------------------------------------------------------------------------------------------------------

    def adopt(self, team: Any) -> str:
        """Give a team, and every team inside it, its path."""
        found = self._team_paths.get(team)
        return found if found is not None else self._place(team, self._root(team))

    def _root(self, team: Any) -> str:
        name, base = segment(team), here()
        if base:
            return base if base.rpartition("/")[2] == name else f"{base}/{name}"
        path, number = name, 1
        while path in self.teams and not _alike(self.teams[path], team):
            number += 1
            path = f"{name}-{number}"
        return path

    def _place(self, team: Any, path: str) -> str:
        self._team_paths[team] = path
        self.teams[path] = team
        for participant in team._participants:
            below = f"{path}/{participant.name}"
            if is_team(participant):
                self._place(participant, below)
            else:
                for inner, place in inner_teams(participant, below):
                    self._place(inner, place)
        return path

    def register(self, team: Any) -> None:
        """A team is about to register its members with a runtime: learn the names it gives them."""
        path = self.adopt(team)
        for name in (*team._participant_topic_types, team._group_chat_manager_topic_type):
            self._keys[name] = team._team_id
        for participant, name in zip(team._participants, team._participant_topic_types, strict=True):
            self._agents[name] = self._topics[name] = f"{path}/{participant.name}"
        manager = f"{path}/{manager_name(team)}"
        self._agents[team._group_chat_manager_topic_type] = manager
        self._topics[team._group_chat_manager_topic_type] = manager
        self._topics[team._group_topic_type] = path
        self._outputs[team._output_topic_type] = self._topics[team._output_topic_type] = f"{path}/output"

    def registered(self) -> list[Any]:
        """The teams that have registered their members with a runtime."""
        return [team for team in self.teams.values() if team._group_chat_manager_topic_type in self._agents]

    # -- names that a runtime uses -----------------------------------------------------------------------------------

    def agent(self, agent: AgentId, base: str = "") -> str:
        """The path of an agent, below `base` where it was registered inside another component."""
        found = self._agents.get(agent.type)
        if found is not None:
            return found
        name = agent.type if agent.key == "default" else f"{agent.type}/{agent.key}"
        path = self._random_ids.replace_in(name)
        return f"{base}/{path}" if base else path

    def name(self, path: str) -> str:
        """The name of the member of a team at a path."""
        return path.rpartition("/")[2]

    def key(self, agent_type: str) -> str:
        """The key under which agents of a type are made when nobody says which."""
        return self._keys.get(agent_type, "default")

    def output(self, topic_type: str) -> str | None:
        """The path for what is logged to this topic, where it is a team's topic for that."""
        return self._outputs.get(topic_type)

    def topic(self, topic_type: str) -> str:
        """What to call a topic: the path of the team or agent that it belongs to, or its own name."""
        return self._topics.get(topic_type) or self._random_ids.replace_in(topic_type)

    def agent_type(self, path: str) -> str | None:
        """The name under which a runtime knows the team member at a path."""
        names = [name for name, known in self._agents.items() if known == path]
        return names[-1] if names else None

    def topic_type(self, name: str) -> str | None:
        """The topic that `topic` calls by this name: for a team, the one that all its members hear."""
        names = [topic for topic, known in self._topics.items() if known == name]
        return names[-1] if names else None


def here() -> str:
    """The path of the component that is running, below which what it makes has its place; empty at the top."""
    frame = current.get()
    return frame.component if frame is not None and frame.kind != "flow" else ""


def is_team(value: object) -> bool:
    """Whether this is a group chat, determined without importing AgentChat."""
    return hasattr(value, "_participant_topic_types") and hasattr(value, "_group_chat_manager_topic_type")


def segment(team: Any) -> str:
    """The last part of a team's path: its name, where the program gave it one."""
    cls = type(team)
    return "team" if team.name in (cls.__name__, getattr(cls, "DEFAULT_NAME", None)) else team.name


def manager_name(team: Any) -> str:
    """The last part of the path of a team's manager."""
    name = "orchestrator" if "Orchestrator" in team._group_chat_manager_name else "manager"
    return name if name not in team._participant_names else f"group_chat_{name}"


def inner_teams(agent: Any, path: str) -> Iterator[tuple[Any, str]]:
    """The teams that an agent holds, itself or in its tools, with their paths."""
    for value in vars(agent).values():
        if is_team(value):
            yield value, f"{path}/{segment(value)}"
    for tool in getattr(agent, "_tools", None) or ():
        for value in vars(tool).values():
            if is_team(value):
                name = segment(value)
                yield value, f"{path}/tools/{tool.name}" if name == tool.name else f"{path}/tools/{tool.name}/{name}"


def _alike(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one._participant_names == other._participant_names
