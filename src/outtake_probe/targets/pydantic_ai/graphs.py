"""Steps of graphs (pydantic-graph) pass the gate; a step is code between model calls and tools, and is never served.

The framework's own agents are graphs, too: their nodes are no steps.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pydantic_ai._agent_graph import GraphAgentState
from pydantic_graph.graph_builder import Graph
from pydantic_graph.step import NodeStep, Step, StepContext

from outtake_probe.calls import Call, nested
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import Json
from outtake_probe.targets.pydantic_ai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.weak_maps import ByIdentity

Method = Callable[..., Any]


def install(state: AdapterState, patches: Patches) -> list[str]:
    """Wrap what gives the function of a step, and note which graph a step belongs to."""
    owners: ByIdentity[list[Any]] = ByIdentity()

    def wrap_iter(method: Method) -> Method:
        @functools.wraps(method)
        def iter(graph: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(kwargs.get("state"), GraphAgentState):
                for node in graph.nodes.values():
                    if isinstance(node, Step):
                        owners.get(node, list)[:] = [graph]
            return method(graph, *args, **kwargs)

        return iter

    method = vars(Step)["call"].fget

    def call(step: Any) -> Any:
        function = method(step)
        graphs = owners.get(step, list)
        return functools.partial(_run, state, step, graphs[0], function) if graphs else function

    if not patches.wrap(Graph, "iter", wrap_iter):
        return ["steps of graphs are not seen: Graph.iter is not there"]
    patches.set(Step, "call", property(call, doc=Step.call.__doc__))
    return []


def name_of(graph: Any) -> str:
    """What a graph is called in paths."""
    return str(graph.name or "graph").replace("/", "-")


async def _run(state: AdapterState, step: Any, graph: Any, function: Any, context: Any) -> Any:
    """Execute a step as an invocation below its graph."""
    path = nested(name_of(graph))
    state.adopt(path, graph)
    said = encode(context.inputs)
    code = step.node_type.run if isinstance(step, NodeStep) else function
    what = Call(
        "step",
        f"{path}/{step.id}",
        {"inputs": said},
        type=step.label or "",
        functions=(code,),
        decode_input=lambda value: decode(value["inputs"]),
        normalize=lambda _, value: _edited(said, value),
    )

    async def run(new: NewInput | None) -> Any:
        given = context if new is None else StepContext(state=context.state, deps=context.deps, inputs=new.value)
        return await function(given)

    return await acall(state.session, what, run)


def _edited(said: Json, value: Json) -> Json:
    """Another input of a step; of a node, some fields of it.  Raises `BadValue`."""
    given = value["inputs"] if isinstance(value, dict) and set(value) == {"inputs"} else value
    if not (isinstance(said, dict) and "fields" in said):
        return {"inputs": given}
    if not isinstance(given, dict):
        raise BadValue(f"the input is an object with the fields {', '.join(said['fields'])}")
    if TAG in given:
        return {"inputs": given}
    unknown = [name for name in given if name not in said["fields"]]
    if unknown:
        raise BadValue(f"the input has no field {unknown[0]!r}; it has {', '.join(said['fields'])}")
    return {"inputs": {**said, "fields": {**said["fields"], **given}}}
