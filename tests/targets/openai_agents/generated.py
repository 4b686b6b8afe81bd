"""Programs of any shape: handoffs, agents as tools, tools at once, streams, sessions, several runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import Agent, Runner, SQLiteSession
from hypothesis import strategies as st

from tests.targets.openai_agents.debugging import Program
from tests.targets.openai_agents.programs import Hashing, Move, tool


@dataclass(frozen=True)
class Member:
    """One agent: how many tools it calls at once, and those that it asks as tools."""

    tools: int
    rounds: int
    experts: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Team:
    """Agents that hand off to each other in turn, asked several times."""

    members: tuple[Member, ...]
    runs: int
    streams: bool
    keeps: bool
    """With a session in a file; else each run is given what was said before."""


_leaf = st.builds(Member, st.integers(0, 2), st.integers(1, 2))
_member = st.builds(Member, st.integers(0, 2), st.integers(1, 2), st.lists(_leaf, max_size=2).map(tuple))
_members = st.lists(_member, min_size=1, max_size=3).map(tuple)
teams = st.builds(Team, _members, st.integers(1, 3), st.booleans(), st.booleans())


def program(team: Team, folder: Path) -> Program:
    """A script that asks the team; what its session held before is the same each time it is made anew."""

    async def run() -> Any:
        first = build(team.members)
        session = SQLiteSession("talk", folder / "talk.sqlite") if team.keeps else None
        said: list[Any] = []
        answers = []
        for number in range(team.runs):
            asked: list[Any] = [{"role": "user", "content": f"question {number}"}]
            given = f"question {number}" if session is not None else said + asked
            if team.streams:
                streamed = Runner.run_streamed(first, given, session=session)
                answers.append([event.type async for event in streamed.stream_events()])
                said = streamed.to_input_list()
                answers.append(streamed.final_output)
            else:
                result = await Runner.run(first, given, session=session)
                said = result.to_input_list()
                answers.append(result.final_output)
        return answers

    return run


def build(members: tuple[Member, ...]) -> Agent[Any]:
    """The first of the agents."""
    following: Agent[Any] | None = None
    for number, member in reversed(list(enumerate(members))):
        following = _agent(f"agent{number}", member, following)
    assert following is not None
    return following


def _agent(name: str, member: Member, following: Agent[Any] | None) -> Agent[Any]:
    tools = [tool(f"{name}_look{n}") for n in range(member.tools)]
    moves: list[Move] = [(each.name, {"what": ""}) for each in tools]
    for n, expert in enumerate(member.experts):
        asked = _agent(f"{name}_expert{n}", expert, None).as_tool(f"ask{n}", "Ask.")
        tools.append(asked)
        moves.append((asked.name, {"input": f"round of {n}"}))
    rounds = [moves] * member.rounds if moves else []
    handoffs: list[Any] = [following] if following is not None else []
    if following is not None:
        rounds.append([(f"transfer_to_{following.name}", {})])
    return Agent(name, instructions=f"You are {name}.", model=Hashing(rounds, name), tools=tools, handoffs=handoffs)
