"""The program as a graph: its teams and agents, what they accept, and how they are connected."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

from autogen_core import AgentId, MessageContext

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.autogen import calls, messages, prompts, settings
from outtake_probe.targets.autogen.adapter_state import AdapterState
from outtake_probe.targets.autogen.paths import inner_teams, is_team, manager_name
from outtake_probe.targets.autogen.runtime import Runtime
from outtake_probe.targets.base import Component, Edge
from outtake_probe.targets.toolkit.settings import describe_settings

Place = tuple[Runtime, AgentId]


def describe(adapter_state: AdapterState) -> dict[str, Json]:
    """Components and edges as JSON."""
    components: dict[str, Component] = {}
    edges: list[Edge] = []
    for path, team in list(adapter_state.paths.teams.items()):
        for found in _team(adapter_state, path, team):
            components.setdefault(found.path, found)
        edges += _team_edges(path, team)
    for path, runner in adapter_state.runners.items():
        for found in _agent(adapter_state, path, runner):
            components.setdefault(found.path, found)
    for path, place in adapter_state.agents().items():
        if path not in components:
            for found in _routed(adapter_state, path, place):
                components.setdefault(found.path, found)
    edges += list(_routed_edges(adapter_state, components))
    return {
        "components": [dataclasses.asdict(found) for found in components.values()],
        "edges": [dataclasses.asdict(edge) for edge in dict.fromkeys(edges)],
    }


# -- teams -----------------------------------------------------------------------------------------------------------


def _team(adapter_state: AdapterState, path: str, team: Any) -> Iterator[Component]:
    config = {
        "class": type(team).__name__,
        "participants": list(team._participant_names),
        "max_turns": team._max_turns,
        "termination": _shown(team._termination_condition),
    }
    yield Component(path, "team", team.description or "", config, accepts=_schemas(chat_types()))
    manager = f"{path}/{manager_name(team)}"
    its = settings.Manager(adapter_state, path, team)
    about = describe_settings(settings.of(adapter_state, manager, its))
    yield Component(manager, "agent", "chooses who speaks next", **about, accepts=_schemas(manager_types()))
    yield from _model(manager, its.client)
    yield Component(f"{path}/output", "agent", "collects what the team shows; its deliveries tell nothing new")
    for participant in team._participants:
        if not is_team(participant):
            yield from _agent(adapter_state, f"{path}/{participant.name}", participant, _schemas(member_types()))


def _agent(
    adapter_state: AdapterState, path: str, agent: Any, accepts: dict[str, Json] | None = None
) -> Iterator[Component]:
    doc = getattr(agent, "description", "") or ""
    about = describe_settings(settings.of(adapter_state, path, agent))
    yield Component(path, "agent", doc, **about, accepts=accepts or _schemas(chat_types()))
    yield from _model(path, getattr(agent, "_model_client", None))
    for tool in settings.all_tools(adapter_state, agent):
        effects = calls.described(tool).effects or "unknown"
        yield Component(
            f"{path}/tools/{tool.name}",
            "tool",
            tool.description,
            {"effects": effects},
            accepts={"arguments": _tool(tool)},
        )
    if hasattr(agent, "_code_executor"):
        yield Component(f"{path}/code", "tool", "runs code", {"class": type(agent._code_executor).__name__})
    if hasattr(agent, "input_func"):
        yield Component(f"{path}/input", "tool", "asks the user", {"effects": "read"})


def _tool(tool: Any) -> Json:
    return messages.plain(dict(tool.schema)).get("parameters", {})


def _model(path: str, client: Any) -> Iterator[Component]:
    if client is not None:
        yield Component(
            f"{path}/model",
            "model",
            type(client).__name__,
            {"model": prompts.model_name(client), **prompts.create_args(client)},
        )


def _shown(condition: Any) -> Json:
    """A termination condition in a few words."""
    if condition is None:
        return None
    parts = getattr(condition, "_conditions", None)
    if parts:
        word = " and " if type(condition).__name__.startswith("And") else " or "
        return word.join(str(_shown(part)) for part in parts)
    values = {k.lstrip("_"): v for k, v in vars(condition).items() if isinstance(v, (int, str)) and "count" not in k}
    said = ", ".join(f"{k}={v!r}" for k, v in values.items() if not isinstance(v, bool))
    return f"{type(condition).__name__}({said})"


def _team_edges(path: str, team: Any) -> Iterator[Edge]:
    manager = f"{path}/{manager_name(team)}"
    for participant in team._participants:
        member = f"{path}/{participant.name}"
        yield Edge(manager, member, "asks")
        yield Edge(member, manager, "answers")
        if is_team(participant):
            yield Edge(member, f"{member}/{manager_name(participant)}", "contains")
        for inner, place in inner_teams(participant, member) if not is_team(participant) else ():
            yield Edge(member, f"{place}/{manager_name(inner)}", "contains")
        for handoff in (getattr(participant, "_handoffs", None) or {}).values():
            yield Edge(member, f"{path}/{handoff.target}", "hands off")
    yield from _flow_edges(path, team)


def _flow_edges(path: str, team: Any) -> Iterator[Edge]:
    graph = getattr(team, "_graph", None)
    for node in getattr(graph, "nodes", {}).values():
        for edge in node.edges:
            function = getattr(edge, "condition_function", None)
            asked = edge.condition or (getattr(function, "__name__", "") if function is not None else "")
            yield Edge(f"{path}/{node.name}", f"{path}/{edge.target}", f"then: {asked}" if asked else "then")


# -- routed agents ---------------------------------------------------------------------------------------------------


def _routed(adapter_state: AdapterState, path: str, place: Place) -> Iterator[Component]:
    runtime, agent = place
    made = runtime.made().get(agent)
    cls = type(made) if made is not None else runtime.known().get(agent.type)
    about = describe_settings(settings.of(adapter_state, path, made) if made is not None else ())
    about["config"] = {"class": cls.__name__ if cls is not None else None, **about["config"]}
    doc = getattr(made, "_description", "") or (cls.__doc__ if cls is not None else "") or ""
    yield Component(path, "agent", doc, **about, accepts=_schemas(accepts(adapter_state, place)))
    yield from _model(path, getattr(made, "_model_client", None))


def _routed_edges(adapter_state: AdapterState, components: dict[str, Component]) -> Iterator[Edge]:
    """Who hears which topic, for agents that no team holds."""
    members = {f"{path}/{p.name}" for path, team in adapter_state.paths.teams.items() for p in team._participants}
    managers = {f"{path}/{manager_name(team)}" for path, team in adapter_state.paths.teams.items()}
    for runtime in list(adapter_state.runtimes):
        for subscription in runtime.subscriptions():
            topic, kind = getattr(subscription, "topic_type", None), getattr(subscription, "agent_type", None)
            if topic and kind:
                path = runtime.path(AgentId(kind, adapter_state.paths.key(kind)))
                if path in components and path not in members | managers:
                    yield Edge(f"topic:{adapter_state.paths.topic(topic)}", path, "heard by")


# -- what agents accept ----------------------------------------------------------------------------------------------


def _schemas(types: dict[str, Any]) -> dict[str, Json]:
    return {name: messages.schema(cls) for name, cls in types.items()}


def chat_types() -> dict[str, Any]:
    """The chat messages that a team and an agent take as their task."""
    base = getattr(sys.modules.get("autogen_agentchat.messages"), "BaseChatMessage", None)
    return messages.known(base) if base is not None else {}


def member_types() -> dict[str, Any]:
    """What a member of a team takes: messages to hear, and the request to speak."""
    own = messages.events(
        "GroupChatRequestPublish", "GroupChatStart", "GroupChatAgentResponse", "GroupChatTeamResponse", "GroupChatReset"
    )
    return {**chat_types(), **own}


def manager_types() -> dict[str, Any]:
    """What the manager of a team takes."""
    own = messages.events(
        "GroupChatStart", "GroupChatAgentResponse", "GroupChatTeamResponse", "GroupChatMessage", "GroupChatReset"
    )
    return {**chat_types(), **own}


def is_chat(adapter_state: AdapterState, place: Place) -> bool:
    """Whether an agent is a member or the manager of a team."""
    return adapter_state.paths.key(place[1].type) != "default"


def is_manager(adapter_state: AdapterState, agent: AgentId) -> bool:
    return any(team._group_chat_manager_topic_type == agent.type for team in adapter_state.paths.registered())


def accepts(adapter_state: AdapterState, place: Place) -> dict[str, Any]:
    """The types of messages that an agent has handlers for, by name."""
    runtime, agent = place
    if is_chat(adapter_state, place):
        return manager_types() if is_manager(adapter_state, agent) else member_types()
    made = runtime.made().get(agent)
    cls = type(made) if made is not None else runtime.known().get(agent.type)
    handled = getattr(made, "_handlers", None)
    if handled:
        return {kind.__name__: kind for kind in handled}
    expected = getattr(made, "_expected_types", None)
    if expected:
        return {kind.__name__: kind for kind in expected}
    discover = getattr(cls, "_handles_types", None)
    return {kind.__name__: kind for kind, _ in discover()} if discover is not None else {}


def takes_calls_only(adapter_state: AdapterState, place: Place, message: Any) -> bool:
    """Whether an agent handles this message only where an answer is awaited."""
    runtime, agent = place
    if is_chat(adapter_state, place):
        return type(message).__name__ in ("GroupChatReset",) or (
            type(message).__name__ == "GroupChatStart" and is_manager(adapter_state, agent)
        )
    made = runtime.made().get(agent)
    handlers = getattr(made, "_handlers", {}).get(type(message), [])
    event = MessageContext(sender=None, topic_id=None, is_rpc=False, cancellation_token=None, message_id="")  # type: ignore[arg-type]
    return bool(handlers) and not any(handler.router(message, event) for handler in handlers)


def wrap(adapter_state: AdapterState, runtime: Runtime, agent: AgentId, message: Any, to_all: bool) -> Any:
    """A chat message in the event by which a member of a team hears it.

    The manager hears what goes to everybody as one more message of the conversation; what goes to it alone starts a
    new turn.
    """
    events = messages.events("GroupChatStart", "GroupChatMessage")
    if len(events) < 2:
        raise BadValue("this version of AutoGen has no events of group chats that Outtake knows")
    if is_manager(adapter_state, agent) and to_all:
        return events["GroupChatMessage"](message=message)
    return events["GroupChatStart"](messages=[message])


def expect_answer(adapter_state: AdapterState, runtime: Runtime, agent: AgentId, message: Any) -> None:
    """The user asks a member to speak: its manager must expect that, or it takes the answer for an error."""
    if type(message).__name__ != "GroupChatRequestPublish":
        return
    for team in adapter_state.paths.registered():
        if agent.type in team._participant_topic_types:
            manager = runtime.made().get(AgentId(team._group_chat_manager_topic_type, team._team_id))
            speakers = getattr(manager, "_active_speakers", None)
            name = team._participant_names[team._participant_topic_types.index(agent.type)]
            if speakers is not None and name not in speakers:
                speakers.append(name)
