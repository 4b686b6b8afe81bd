"""What can be read and set of a workflow: its time-out; of agents their prompts, models, tools and descriptions.

Secrets are never among the values: of a model only plain settings are shown, without those that are named like a key.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from outtake_probe.records import Json
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.toolkit.classes import derives_from
from outtake_probe.targets.toolkit.secret_names import is_secret_field
from outtake_probe.targets.toolkit.settings import (
    NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    Setting,
    Settings,
    attribute,
    change_setting,
    describe_settings,
    fixed,
)

_AGENT: dict[str, Json] = {
    "system_prompt": OPTIONAL_TEXT,
    "description": TEXT,
    "streaming": {"type": "boolean"},
    "can_handoff_to": {"type": ["array", "null"], "items": {"type": "string"}},
}
_PROMPTS = ("handoff_prompt", "handoff_output_prompt", "state_prompt")
_MODEL = ("model", "temperature", "max_tokens")
_MODEL_TYPES: dict[type, Json] = {str: OPTIONAL_TEXT, int: {"type": "number"}, float: {"type": "number"}}
_offered: dict[int, tuple[Any, list[Any]]] = {}
"""All tools that an agent was given, to choose among, by its identity."""


# -- what there is ---------------------------------------------------------------------------------------------------


def is_agent(value: Any) -> bool:
    return derives_from(type(value), "BaseWorkflowAgent")


def agents(path: str, workflow: Any) -> Iterator[tuple[str, Any]]:
    """The agents of a workflow by path; an agent is its own."""
    if is_agent(workflow):
        yield path, workflow
    several = getattr(workflow, "agents", None)
    for name, agent in several.items() if isinstance(several, dict) else ():
        if is_agent(agent):
            yield f"{path}/{name}", agent


def tools_of(agent: Any) -> list[Any]:
    return [tool for tool in agent.tools or [] if hasattr(tool, "metadata")]


def of_workflow(workflow: Any) -> Settings:
    """The settings of a workflow; an agent that is one has its own, too."""
    timeout = attribute(workflow, "_timeout", NUMBER, "timeout")
    if is_agent(workflow):
        return [timeout, *of_agent(workflow)]
    names = [name for name in _PROMPTS if hasattr(workflow, "agents") and hasattr(workflow, name)]
    return [timeout, *(_prompt(workflow, name) for name in names)]


def _prompt(workflow: Any, name: str) -> Setting:
    return Setting(
        name,
        TEXT,
        lambda: _template(getattr(workflow, name)),
        lambda value: workflow.update_prompts({name: _same_kind(getattr(workflow, name), value)}),
    )


def of_agent(agent: Any) -> Settings:
    """The settings of an agent, its model's among them."""
    llm = getattr(agent, "llm", None)
    return [
        *(attribute(agent, name, schema) for name, schema in _AGENT.items() if hasattr(agent, name)),
        _choice_of_tools(agent),
        fixed("llm", type(llm).__name__),
        *(_of_model(agent, name) for name in _MODEL if _is_plain(llm, name)),
    ]


def _choice_of_tools(agent: Any) -> Setting:
    def choose(names: Json) -> None:
        agent.tools = [tool for tool in _all_tools(agent) if tool.metadata.name in names]

    names = [tool.metadata.name for tool in _all_tools(agent)]
    schema: Json = {"type": "array", "items": {"type": "string", "enum": names}}
    return Setting("tools", schema, lambda: [tool.metadata.name for tool in tools_of(agent)], choose)


def _is_plain(llm: Any, name: str) -> bool:
    value = getattr(llm, name, None)
    return name in getattr(type(llm), "model_fields", {}) and (value is None or type(value) in _MODEL_TYPES)


def _of_model(agent: Any, name: str) -> Setting:
    """A setting of an agent's model.  The agent gets a copy: others may use the same model."""

    def change(value: Json) -> None:
        agent.llm = agent.llm.model_copy(update={name: value})

    schema = _MODEL_TYPES.get(type(getattr(agent.llm, name)), NUMBER)
    return Setting(name, schema, lambda: getattr(agent.llm, name), change)


def _template(value: Any) -> Json:
    return value if isinstance(value, str) else getattr(value, "template", str(value))


def _all_tools(agent: Any) -> list[Any]:
    known = _offered.get(id(agent))
    if known is None or known[0] is not agent:
        known = _offered[id(agent)] = (agent, tools_of(agent))
    return known[1]


def of_model(model: Any) -> dict[str, Json]:
    """The plain settings of a model or an embedding, without secrets."""
    cls: type = type(model)
    found = {name: getattr(model, name, None) for name in _plain_fields(cls)}
    return {name: value for name, value in found.items() if type(value) in (str, int, float, bool) and value != ""}


@functools.lru_cache(maxsize=256)
def _plain_fields(cls: type) -> list[str]:
    """The fields that may be told."""
    fields = getattr(cls, "model_fields", {})
    return [name for name in fields if not is_secret_field(name)]


def of_component(value: Any) -> Json:
    """What of a part of the program decides what it does: its settings, and those of its parts."""
    if is_agent(value):
        return describe_settings(of_agent(value))["config"]
    if isinstance(value, BaseModel):
        return of_model(value)
    told = getattr(value, "metadata", None)
    return [getattr(told, "name", ""), getattr(told, "description", "")] if told is not None else None


# -- changing it -----------------------------------------------------------------------------------------------------


def change(adapter_state: AdapterState, component: str, key: str, value: Json) -> None:
    """Change a setting, from the component's next turn on.  Raises `BadValue`."""
    components: dict[str, Settings] = {}
    for path, workflow in adapter_state.workflows.items():
        components |= {where: of_agent(agent) for where, agent in agents(path, workflow)}
        components[path] = of_workflow(workflow)
    change_setting(components, component, key, value)


def _same_kind(old: Any, text: str) -> Any:
    return text if isinstance(old, str) else type(old)(text)
