"""Settings of agents: what is shown, and what can be changed from an agent's next turn on.

A model client may be shared by several agents; a change for one of them gives that one a copy of its own.  Secrets are
never read.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from autogen_core.models import SystemMessage
from autogen_core.tools import StaticWorkbench

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.autogen import messages, prompts
from outtake_probe.targets.autogen.paths import is_team, manager_name
from outtake_probe.targets.toolkit.settings import (
    MODEL_ARGUMENTS,
    OPTIONAL_TEXT,
    TEXT,
    Setting,
    Settings,
    change_setting,
    fixed,
)

if TYPE_CHECKING:
    from outtake_probe.targets.autogen.adapter_state import AdapterState

_ARGS = ("temperature", "top_p", "max_tokens", "seed", "frequency_penalty", "presence_penalty")
"""What can be set of every client that keeps what it sends with each call."""
_TEXTS = ("instruction", "response_prompt", "selector_prompt", "final_answer_prompt")
_NUMBERS = ("max_tool_iterations", "max_turns", "max_stalls", "max_selector_attempts")
_FLAGS = ("reflect_on_tool_use", "model_client_stream", "allow_repeated_speaker")
_TOOLS: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
"""The tools that an agent was made with, for choosing among them again."""


class Manager:
    """The manager of a team as one holder of settings: what makes it (the team), and the agent once it is made."""

    def __init__(self, adapter_state: AdapterState, path: str, team: Any) -> None:
        self.adapter_state = adapter_state
        self.team = team
        self.made = _manager_of(adapter_state, f"{path}/{manager_name(team)}")

    @property
    def client(self) -> Any:
        return getattr(self.made or self.team, "_model_client", None)

    def holders(self) -> list[Any]:
        return [self.team, *([self.made] if self.made is not None else [])]


def _manager_of(adapter_state: AdapterState, path: str) -> Any:
    found = adapter_state.agents().get(path)
    return found[0].made().get(found[1]) if found is not None else None


# -- what there is ---------------------------------------------------------------------------------------------------


def of(adapter_state: AdapterState, path: str, holder: Any) -> Settings:
    """The settings of a component: an agent, or the manager of a team."""
    holders = holder.holders() if isinstance(holder, Manager) else [holder]
    subject = holders[-1]
    found = [fixed("class", type(subject).__name__)]
    if not isinstance(holder, Manager) and isinstance(getattr(subject, "_description", None), str):
        describe = functools.partial(_describe, adapter_state, path, subject)
        found.append(Setting("description", TEXT, lambda: subject._description, describe))
    if _has_system(subject):
        instruct = functools.partial(_each, holders, _instruct)
        found.append(Setting("system_message", OPTIONAL_TEXT, lambda: _system(subject), instruct))
    for names, kind in ((_TEXTS, "string"), (_NUMBERS, "integer"), (_FLAGS, "boolean")):
        found += [_own(holders, name, {"type": [kind, "null"]}) for name in names if hasattr(subject, f"_{name}")]
    if (client := getattr(subject, "_model_client", None)) is not None:
        found += _of_client(holders, client)
    if _static(subject):
        schema: Json = {"type": "array", "items": {"enum": [tool.name for tool in all_tools(adapter_state, subject)]}}
        choose = functools.partial(_choose_tools, subject)
        found.append(Setting("tools", schema, lambda: [tool.name for tool in subject._tools], choose))
    elif isinstance(tools := getattr(subject, "_tools", None), list):
        found.append(fixed("tools", [tool.name for tool in tools]))
    if handoffs := getattr(subject, "_handoffs", None):
        found.append(fixed("handoffs", [handoff.target for handoff in handoffs.values()]))
    return found


def _each(holders: list[Any], change: Callable[[Any, Json], None], value: Json) -> None:
    for holder in holders:
        change(holder, value)


def _own(holders: list[Any], name: str, schema: Json) -> Setting:
    """A setting that a component keeps under its name."""

    def change(holder: Any, value: Json) -> None:
        setattr(holder, f"_{name}", value)

    return Setting(
        name,
        schema,
        lambda: messages.plain(getattr(holders[-1], f"_{name}")),
        functools.partial(_each, holders, change),
    )


def _of_client(holders: list[Any], client: Any) -> Iterator[Setting]:
    """The settings of a model client; whoever holds it gets a changed copy."""

    def setting(key: str, schema: Json, get: Callable[[], Json]) -> Setting:
        def change(holder: Any, value: Json) -> None:
            holder._model_client = _client_with(holder._model_client, key, value)

        return Setting(key, schema, get, functools.partial(_each, holders, change))

    yield fixed("client", type(client).__name__)
    if _model_attribute(client) is not None:
        yield setting("model", TEXT, lambda: prompts.model_name(client))
    else:
        yield fixed("model", prompts.model_name(client))
    if isinstance(getattr(client, "_create_args", None), dict):
        args = prompts.create_args(client)
        for name in dict.fromkeys([*_ARGS, *args]):
            yield setting(name, MODEL_ARGUMENTS.get(name, {}), functools.partial(args.get, name))
    elif hasattr(client, "temperature"):
        get = functools.partial(getattr, client, "temperature")
        yield setting("temperature", MODEL_ARGUMENTS["temperature"], lambda: messages.plain(get()))


def all_tools(adapter_state: AdapterState, agent: Any) -> list[Any]:
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


def change(adapter_state: AdapterState, component: str, key: str, value: Json) -> None:
    """Change a setting.  Raises `BadValue` for a component or key that is not there, or a value that does not fit."""
    path = component.removesuffix("/model")
    holders = _holders(adapter_state)
    if path not in holders and path in adapter_state.agents():
        adapter_state.pending.setdefault(path, []).append((key, value))
    else:
        change_setting({where: of(adapter_state, where, each) for where, each in holders.items()}, path, key, value)


def apply_pending(adapter_state: AdapterState, path: str, made: Any) -> None:
    """An agent was made: the settings that waited for it hold.  One that does not fit ends the run as wrong use."""
    for key, value in adapter_state.pending.pop(path, ()):
        try:
            change_setting({path: of(adapter_state, path, made)}, path, key, value)
        except BadValue as error:
            adapter_state.session.fail(str(error))


def _holders(adapter_state: AdapterState) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, (runtime, agent) in adapter_state.agents().items():
        made = runtime.made().get(agent)
        if made is not None:
            found[path] = made
    found.update(adapter_state.runners)
    for path, team in adapter_state.paths.teams.items():
        found[f"{path}/{manager_name(team)}"] = Manager(adapter_state, path, team)
        found.update({f"{path}/{p.name}": p for p in team._participants if not is_team(p)})
    return found


def _describe(adapter_state: AdapterState, path: str, agent: Any, value: Json) -> None:
    """The description is read by the manager, too, which keeps a list that it shares with its team."""
    agent._description = value
    for place, team in adapter_state.paths.teams.items():
        for index, name in enumerate(team._participant_names):
            if f"{place}/{name}" == path:
                team._participant_descriptions[index] = value
                manager = _manager_of(adapter_state, f"{place}/{manager_name(team)}")
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
