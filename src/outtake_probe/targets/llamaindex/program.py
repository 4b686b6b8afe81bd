"""How a workflow that a factory made is run: its input becomes a start event, its result what its author would show."""

from __future__ import annotations

from typing import Any

from workflows.events import Event, StartEvent

from outtake_probe.codec import decode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.base import Program
from outtake_probe.targets.llamaindex import events as codec
from outtake_probe.targets.llamaindex.adapter_state import AdapterState, name_of
from outtake_probe.targets.llamaindex.target import LlamaIndexTarget
from outtake_probe.targets.toolkit.classes import derives_from

MEMORY = "memory"


def make_program(workflow: Any, adapter_state: AdapterState, target: LlamaIndexTarget) -> Program:
    """What runs it, the commands it takes, and the path of its root."""
    path = name_of(workflow)
    adapter_state.watch(workflow)
    adapter_state.workflows.add(path, workflow, newest=True)
    return Program(_Runner(workflow).run, target, path)


class _Runner:
    """Runs a workflow, and again for each input that follows; an agent remembers what was said."""

    def __init__(self, workflow: Any) -> None:
        self._workflow = workflow
        self._memory: Any = None

    async def run(self, given: Json) -> Json:
        fields = start_fields(self._workflow, given)
        if self._memory is not None:
            fields.setdefault(MEMORY, self._memory)
        handler = self._workflow.run(**fields)
        result = await handler
        if is_agent(self._workflow):
            self._memory = await handler.ctx.store.get(MEMORY, default=None)
        return shown(result)


def start_fields(workflow: Any, given: Json) -> dict[str, Any]:
    """The fields of the start event that an input means.  Raises `BadValue`."""
    if given is None:
        return {}
    if isinstance(given, dict) and "$type" not in given:
        return {str(name): decode(value) for name, value in given.items()}
    if is_agent(workflow):
        return {"user_msg": decode(given)}
    cls: type[StartEvent] = workflow.start_event_class
    required = [name for name, field in cls.model_fields.items() if field.is_required()]
    names = required or list(cls.model_fields)
    if not names:
        return {"input": decode(given)}
    if len(names) > 1:
        raise BadValue(f"the input is an object with the fields {', '.join(cls.model_fields)}", codec.schema(cls))
    return {names[0]: decode(given)}


def is_agent(workflow: Any) -> bool:
    """Whether this is an agent of llama-index-core, or several that hand over to each other."""
    return derives_from(type(workflow), "BaseWorkflowAgent", "AgentWorkflow")


def shown(result: Any) -> Json:
    """The result of a run; of an agent's answer, what it says and who said it."""
    if isinstance(result, Event) and "current_agent_name" in type(result).model_fields:
        told = {"answer": str(result), "agent": result.current_agent_name}
        structured = getattr(result, "structured_response", None)
        return told if structured is None else {**told, "structured": codec.plain(structured)}
    return codec.plain(result)
