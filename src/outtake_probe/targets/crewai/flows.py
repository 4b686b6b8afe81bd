"""Flows: a run is a flow, each call of one of its methods a step.

CrewAI's own machinery is made of flows, too (an agent's loop, its memory); those are not the program's.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from typing import Any

from crewai.flow.flow import Flow

from outtake_probe.calls import Call
from outtake_probe.codec import encode
from outtake_probe.gate.invoke import NewInput, acall
from outtake_probe.records import Json
from outtake_probe.targets.crewai.adapter_state import AdapterState, runnable_name
from outtake_probe.targets.crewai.crews import crew_result, expected
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches, Wrap
from outtake_probe.targets.toolkit.paths import child_path


def install(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap runs of flows, and the one place where their methods are called."""
    kickoffs = Boundary(lambda: shared.session, functools.partial(_kickoff, shared))
    places: dict[str, tuple[str, Wrap]] = {
        "runs of flows": ("kickoff_async", kickoffs.acall),
        "methods of flows": ("_execute_method", functools.partial(_method, shared)),
    }
    lost = []
    for what, (name, wrap) in places.items():
        owner = next((cls for cls in Flow.__mro__ if name in vars(cls)), Flow)
        if not patches.wrap(owner, name, wrap):
            lost.append(f"{what} are not seen: Flow.{name} is not there")
    return lost


def is_own(flow: Any) -> bool:
    """Whether a flow is the program's."""
    return isinstance(flow, Flow) and not type(flow).__module__.startswith("crewai.")


def _kickoff(
    shared: AdapterState, method: Method, flow: Any, inputs: Any = None, *args: Any, **kwargs: Any
) -> Bound | None:
    if not is_own(flow) or flow.stream or expected.get() is flow:
        return None
    path = child_path(runnable_name(flow))
    shared.adopt(flow, path)
    shared.begins(path)
    given: dict[str, Json] = {"inputs": encode(inputs)}
    call = Call("flow", path, given, encode=crew_result, normalize=lambda _, value: merge_arguments(path, given, value))
    return Bound(call, lambda new: ((flow, new["inputs"], *args), kwargs))


def _method(shared: AdapterState, execute: Method) -> Method:
    """The method that a flow is about to call passes the gate; what the flow notes of it is noted as ever."""

    @functools.wraps(execute)
    async def _execute_method(self: Any, method_name: Any, method: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_own(self):
            return await execute(self, method_name, method, *args, **kwargs)
        return await execute(self, method_name, _gated(shared, self, str(method_name), method), *args, **kwargs)

    return _execute_method


def _gated(shared: AdapterState, flow: Any, name: str, method: Any) -> Any:
    @functools.wraps(method)
    async def gated(*args: Any, **kwargs: Any) -> Any:
        path = f"{shared.path_of(flow)}/{name}"
        given: dict[str, Json] = {**({"given": encode(list(args))} if args else {}), **encode(kwargs)}
        state = _state(flow)
        call = Call(
            "step",
            path,
            {**given, "state": state},
            functions=(method,),
            normalize=lambda current, value: merge_arguments(path, current, value),
        )

        async def run(new: NewInput | None) -> Any:
            told, named = args, kwargs
            if new is not None:
                told, named = tuple(new.value.pop("given", ())), new.value
                flow._apply_state_updates(named.pop("state"))
            if inspect.iscoroutinefunction(method):
                return await method(*told, **named)
            result = await asyncio.to_thread(contextvars.copy_context().run, method, *told, **named)
            return await result if inspect.iscoroutine(result) else result

        return await acall(shared.session, call, run)

    return gated


def _state(flow: Any) -> Json:
    """A flow's state, without the id that is new in every run."""
    state = flow.state
    told = state if isinstance(state, dict) else state.model_dump()
    return {str(name): encode(value) for name, value in told.items() if name != "id"}
