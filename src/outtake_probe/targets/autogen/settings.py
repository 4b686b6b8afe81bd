"""Settings of agents: what is shown, and what can be changed from an agent's next turn on.

A model client may be shared by several agents; a change for one of them gives that one a copy of its own.  Secrets are
never read.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from autogen_core.models import SystemMessage
from autogen_core.tools import StaticWorkbench

from outtake_probe.records import Json
from outtake_probe.session import BadValue
from outtake_probe.targets.autogen import messages, prompts
from outtake_probe.targets.autogen.paths import is_team, manager_name
from outtake_probe.targets.toolkit.settings import check_setting, find_holder

if TYPE_CHECKING:
    from outtake_probe.targets.autogen.hub import Hub

_TEXT: Json = {"type": "string"}
_ARGS: dict[str, Json] = {
    "temperature": {"type": ["number", "null"]},
    "top_p": {"type": ["number", "null"]},
    "max_tokens": {"type": ["integer", "null"]},
    "seed": {"type": ["integer", "null"]},
    "frequency_penalty": {"type": ["number", "null"]},
    "presence_penalty": {"type": ["number", "null"]},
}
_TEXTS = ("instruction", "response_prompt", "selector_prompt", "final_answer_prompt")
_NUMBERS = ("max_tool_iterations", "max_turns", "max_stalls", "max_selector_attempts")
_FLAGS = ("reflect_on_tool_use", "model_client_stream", "allow_repeated_speaker")
_TOOLS: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
"""The tools that an agent was made with, for choosing among them again."""


class Manager:
    """The manager of a team as one holder of settings: what makes it (the team), and the agent once it is made."""

    def __init__(self, hub: Hub, path: str, team: Any) -> None:
        self.hub = hub
        self.team = team
        self.made = _manager_of(hub, f"{path}/{manager_name(team)}")

    @property
    def client(self) -> Any:
        return getattr(self.made or self.team, "_model_client", None)

    def holders(self) -> list[Any]:
        return [self.team, *([self.made] if self.made is not None else [])]


def _manager_of(hub: Hub, path: str) -> Any:
    found = hub.agents().get(path)
    return found[0].made().get(found[1]) if found is not None else None


# -- reading ---------------------------------------------------------------------------------------------------------


def read(hub: Hub, path: str, holder: Any) -> tuple[dict[str, Json], dict[str, Json]]:
    """The settings of a component: current values, and the JSON schema of those that can be changed."""
    subject = holder.made or holder.team if isinstance(holder, Manager) else holder
    config: dict[str, Json] = {"class": type(subject).__name__}
    schema: dict[str, Json] = {}
    if not isinstance(holder, Manager) and isinstance(getattr(subject, "_description", None), str):
        config["description"], schema["description"] = subject._description, _TEXT
    if _has_system(subject):
        config["system_message"] = _system(subject)
        schema["system_message"] = {"type": ["string", "null"]}
    for names, kind in ((_TEXTS, "string"), (_NUMBERS, "integer"), (_FLAGS, "boolean")):
        for name in names:
            if hasattr(subject, f"_{name}"):
                config[name], schema[name] = messages.plain(getattr(subject, f"_{name}")), {"type": [kind, "null"]}
    _read_client(getattr(subject, "_model_client", None), config, schema)
    _read_tools(hub, subject, config, schema)
    handoffs = getattr(subject, "_handoffs", None)
    if handoffs:
        config["handoffs"] = [handoff.target for handoff in handoffs.values()]
    return config, {"type": "object", "properties": schema, "additionalProperties": False}


def _read_client(client: Any, config: dict[str, Json], schema: dict[str, Json]) -> None:
    if client is None:
        return
    config["client"] = type(client).__name__
    config["model"] = prompts.model_name(client)
    if _model_attribute(client) is not None:
        schema["model"] = _TEXT
    if isinstance(getattr(client, "_create_args", None), dict):
        args = prompts.create_args(client)
        for name in (*_ARGS, *(name for name in args if name not in _ARGS)):
            if name in args or name == "temperature":
                config[name] = args.get(name)
            schema[name] = _ARGS.get(name, {})
    elif hasattr(client, "temperature"):
        config["temperature"], schema["temperature"] = messages.plain(client.temperature), _ARGS["temperature"]


def _read_tools(hub: Hub, agent: Any, config: dict[str, Json], schema: dict[str, Json]) -> None:
    tools = getattr(agent, "_tools", None)
    if isinstance(tools, list):
        config["tools"] = [tool.name for tool in tools]
    if _static(agent):
        names: Json = [tool.name for tool in all_tools(hub, agent)]
        schema["tools"] = {"type": "array", "items": {"enum": names}}


def all_tools(hub: Hub, agent: Any) -> list[Any]:
    """The tools that an agent was made with, also those that a setting took away."""
    found = _TOOLS.get(agent) if getattr(type(agent), "__weakref__", None) else None
    return found if found is not None else list(getattr(agent, "_tools", None) or _bench_tools(agent))


def _bench_tools(agent: Any) -> list[Any]:
    benches = getattr(agent, "_workbench", None) or []
    benches = benches if isinstance(benches, (list, tuple)) else [benches]
    return [tool for bench in benches if isinstance(bench, StaticWorkbench) for tool in bench._tools]


def _static(agent: Any) -> bool:
    benches = getattr(agent, "_workbench", None)
    return (
        isinstance(getattr(agent, "_tools", None), list)
        and isinstance(benches, list)
        and len(benches) == 1
        and isinstance(benches[0], StaticWorkbench)
    )


def _has_system(agent: Any) -> bool:
    return isinstance(getattr(agent, "_system_messages", None), list) or isinstance(
        getattr(agent, "_system_message", None), (str, SystemMessage)
    )


def _system(agent: Any) -> Json:
    many = getattr(agent, "_system_messages", None)
    if isinstance(many, list):
        return "\n".join(message.content for message in many) if many else None
    one = agent._system_message
    return one if isinstance(one, str) else one.content


# -- changing --------------------------------------------------------------------------------------------------------


def change(hub: Hub, component: str, key: str, value: Json) -> None:
    """Change a setting.  Raises `BadValue` for a component or key that is not there, or a value that does not fit."""
    path = component.removesuffix("/model")
    if path not in _holders(hub) and path in hub.agents():
        hub.pending.setdefault(path, []).append((key, value))
        return
    _change(hub, path, find_holder(path, _holders(hub)), key, value)


def apply_pending(hub: Hub, path: str, made: Any) -> None:
    """An agent was made: the settings that waited for it hold.  One that does not fit ends the run as wrong use."""
    for key, value in hub.pending.pop(path, ()):
        try:
            _change(hub, path, made, key, value)
        except BadValue as error:
            hub.session.fail(str(error))


def _change(hub: Hub, path: str, holder: Any, key: str, value: Json) -> None:
    _, schema = read(hub, path, holder)
    check_setting(path, key, value, schema["properties"])
    for each in holder.holders() if isinstance(holder, Manager) else [holder]:
        _set(hub, path, each, key, value)


def _holders(hub: Hub) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, (runtime, agent) in hub.agents().items():
        made = runtime.made().get(agent)
        if made is not None:
            found[path] = made
    found.update(hub.runners)
    for path, team in hub.paths.teams.items():
        found[f"{path}/{manager_name(team)}"] = Manager(hub, path, team)
        found.update({f"{path}/{p.name}": p for p in team._participants if not is_team(p)})
    return found


def _set(hub: Hub, path: str, holder: Any, key: str, value: Json) -> None:
    if key == "description":
        _describe(hub, path, holder, value)
    elif key == "system_message":
        _instruct(holder, value)
    elif key == "tools":
        _choose_tools(holder, value)
    elif hasattr(holder, f"_{key}"):
        setattr(holder, f"_{key}", value)
    elif getattr(holder, "_model_client", None) is not None:
        holder._model_client = _client_with(holder._model_client, key, value)


def _describe(hub: Hub, path: str, agent: Any, value: Json) -> None:
    """The description is read by the manager, too, which keeps a list that it shares with its team."""
    agent._description = value
    for place, team in hub.paths.teams.items():
        for index, name in enumerate(team._participant_names):
            if f"{place}/{name}" == path:
                team._participant_descriptions[index] = value
                manager = _manager_of(hub, f"{place}/{manager_name(team)}")
                if hasattr(manager, "_team_description"):
                    lines = zip(team._participant_names, team._participant_descriptions, strict=True)
                    manager._team_description = "\n".join(" ".join(f"{n}: {d}".split()) for n, d in lines)


def _instruct(agent: Any, value: Json) -> None:
    if isinstance(getattr(agent, "_system_messages", None), list):
        agent._system_messages = [] if value is None else [SystemMessage(content=value)]
    elif isinstance(agent._system_message, str):
        agent._system_message = value or ""
    else:
        agent._system_message = SystemMessage(content=value or "")


def _choose_tools(agent: Any, names: Json) -> None:
    tools = _TOOLS.setdefault(agent, list(agent._tools))
    bench = agent._workbench[0]
    agent._tools = [tool for tool in tools if tool.name in names]
    agent._workbench = [type(bench)(agent._tools, bench._tool_overrides)]


def _client_with(client: Any, key: str, value: Json) -> Any:
    """A copy of a model client with one setting changed; its connection is shared."""
    copy = object.__new__(type(client))
    copy.__dict__.update(client.__dict__)
    args = getattr(client, "_create_args", None)
    if isinstance(args, dict):
        copy._create_args = {name: item for name, item in {**args, key: value}.items() if item is not None}
        raw = getattr(client, "_raw_config", None)
        if isinstance(raw, dict):
            copy._raw_config = {name: item for name, item in {**raw, key: value}.items() if item is not None}
        if key == "model" and hasattr(client, "_resolved_model"):
            copy._resolved_model = None
        return copy
    setattr(copy, _model_attribute(client) or key if key == "model" else key, value)
    return copy


def _model_attribute(client: Any) -> str | None:
    """Where a client keeps the name of its model."""
    if isinstance(getattr(client, "_create_args", None), dict):
        return "_create_args"
    names = ("model", "_model", "model_name", "_model_name")
    return next((name for name in names if isinstance(vars(client).get(name), str)), None)
