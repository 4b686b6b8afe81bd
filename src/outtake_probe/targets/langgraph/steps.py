"""Nodes and tasks pass the gate: the one seam is where LangGraph runs a task, whatever graph it belongs to.

Only what the program's author wrote is replaced by something that asks first; the task's writers run as they always do,
on the result that was executed, recorded or mocked.  So reducers, routers and sends need nothing of ours.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables import Runnable
from langgraph.errors import GraphBubbleUp
from langgraph.pregel import _algo, _loop, _runner
from langgraph.pregel._write import ChannelWrite
from langgraph.pregel.main import Pregel

from outtake_probe.calls import Call, current, nested
from outtake_probe.codec import TAG, decode, encode
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import NewInput, acall, call
from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langchain.context import running_tool
from outtake_probe.targets.langchain.spans import Spans
from outtake_probe.targets.langgraph import outputs
from outtake_probe.targets.langgraph.adapter_state import CONF, AdapterState
from outtake_probe.targets.langgraph.causality import PUSH, GraphRun, here, is_function, is_hidden, name_of
from outtake_probe.targets.langgraph.codec import Waiting, revised
from outtake_probe.targets.langgraph.node_capture import Answers, Visit, visit
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.waits import adrive, drive

Method = Callable[..., Any]
RUNTIME = "__pregel_runtime"
SEQUENCE = "RunnableSeq"


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Put the seams in place."""
    missing = []
    for module, name, wrap, lost in (
        (_runner, "run_with_retry", _run(adapter_state), "nodes of graphs that run in threads are not shown"),
        (_runner, "arun_with_retry", _arun(adapter_state), "nodes of graphs that run on a loop are not shown"),
        (_loop, "prepare_next_tasks", _prepare(adapter_state), "what caused a node is not known"),
        (_loop, "apply_writes", _apply(adapter_state), "what caused a node is not known"),
    ):
        original = getattr(module, name, None)
        if callable(original):
            patches.set(module, name, wrap(original))
        else:
            missing.append(f"{lost}: {module.__name__}.{name} is not there")
    commit = getattr(_runner.PregelRunner, "commit", None)
    if callable(commit):
        patches.wrap(_runner.PregelRunner, "commit", _commit)
    return missing


# -- supersteps ------------------------------------------------------------------------------------------------------


def _prepare(adapter_state: AdapterState) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def prepare_next_tasks(*args: Any, **kwargs: Any) -> Any:
            place = here.get()
            tasks = method(*args, **kwargs)
            if place is not None and kwargs.get("for_execution"):
                config = args[5] if len(args) > 5 else kwargs.get("config")
                step = args[6] if len(args) > 6 else kwargs.get("step", 0)
                adapter_state.ledger(place, config)
                place.prepared(tasks.values(), step)
            return tasks

        return prepare_next_tasks

    return wrap


def _apply(adapter_state: AdapterState) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def apply_writes(checkpoint: Any, channels: Any, tasks: Any, *args: Any, **kwargs: Any) -> Any:
            place = here.get()
            done = list(tasks)
            result = method(checkpoint, channels, done, *args, **kwargs)
            if place is not None:
                place.channels = channels
                ordered = sorted(done, key=_order) if len(done) > 1 else done
                place.ledger.applied(ordered, place.cause, place.graph.trigger_to_nodes)
            return result

        return apply_writes

    return wrap


def _order(task: Any) -> Any:
    """As LangGraph orders what tasks wrote."""
    key = getattr(_algo, "writes_sort_key", None)
    return key(_algo.task_path_str(task.path)) if key is not None else _algo.task_path_str(task.path[:3])


def _commit(method: Method) -> Method:
    """Ids that are made when a task's writes are kept follow from the task."""

    @functools.wraps(method)
    def commit(self: Any, task: Any, *args: Any, **kwargs: Any) -> Any:
        place = _placed.get(task.id)
        ready = place.ready.get(task.id) if place is not None else None
        if ready is None or ready.frame is None:
            return method(self, task, *args, **kwargs)
        try:
            with assigned(current, ready.frame):
                return method(self, task, *args, **kwargs)
        finally:
            _placed.pop(task.id, None)

    return commit


_placed: dict[str, GraphRun] = {}
"""Where the tasks that are running belong to: what is called when one is done has no context of its own."""


# -- tasks -----------------------------------------------------------------------------------------------------------


def _run(adapter_state: AdapterState) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def run_with_retry(task: Any, *args: Any, **kwargs: Any) -> Any:
            return method(_through_the_gate(adapter_state, task), *args, **kwargs)

        return run_with_retry

    return wrap


def _arun(adapter_state: AdapterState) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def arun_with_retry(task: Any, *args: Any, **kwargs: Any) -> Any:
            return await method(_through_the_gate(adapter_state, task), *args, **kwargs)

        return arun_with_retry

    return wrap


def _through_the_gate(adapter_state: AdapterState, task: Any) -> Any:
    """The task, asking first before it runs what the program's author wrote."""
    place = here.get()
    if place is None:
        return task
    _placed[task.id] = place
    if is_hidden(task):
        place.ledger.ran(task, place.causes(task))
        return task
    bound, writers = _parts(task.proc)
    if bound is None:
        return task
    step = Step(adapter_state, place, task, bound)
    proc: Any = _sequence(task.proc, [step, *writers]) if writers else step
    return dataclasses.replace(task, proc=proc, config=_watched(task.config) if place.hears_events else task.config)


def _sequence(proc: Any, steps: list[Any]) -> Any:
    """The same sequence of other steps."""
    made = object.__new__(type(proc))
    made.__dict__.update(proc.__dict__)
    made.steps = steps
    return made


def _parts(proc: Any) -> tuple[Any, list[Any]]:
    """What the author wrote, and the writers after it."""
    if type(proc).__name__ != SEQUENCE:
        return (None, []) if ChannelWrite.is_writer(proc) else (proc, [])
    steps = list(proc.steps)
    count = len(steps)
    while count and ChannelWrite.is_writer(steps[count - 1]):
        count -= 1
    if count <= 1:
        return (steps[0] if count else None), steps[count:]
    return type(proc)(*steps[:count], name=proc.name), steps[count:]


def _watched(config: Any) -> Any:
    """The config of a task whose own events are seen on their way."""
    runtime = (config.get(CONF) or {}).get(RUNTIME)
    if runtime is None or not hasattr(runtime, "override"):
        return config
    watched = runtime.override(stream_writer=_Writer(runtime.stream_writer))
    return {**config, CONF: {**config[CONF], RUNTIME: watched}}


class _Writer:
    """Streams an event of the program's, and remembers it."""

    def __init__(self, write: Callable[[Any], None]) -> None:
        self._write = write

    def __call__(self, event: Any) -> None:
        now = visit.get()
        if now is not None:
            now.streamed(event)
        tool = running_tool.get()
        if tool is not None:
            tool.streamed.append(encode(event))
        self._write(event)


class Step(Runnable[Any, Any]):
    """What stands in a task for what its author wrote."""

    def __init__(self, adapter_state: AdapterState, place: GraphRun, task: Any, bound: Any) -> None:
        self._adapter_state = adapter_state
        self._place = place
        self._task = task
        self._bound = bound
        self.name = getattr(bound, "name", None) or task.name
        if _is_task(task):
            self.path = nested(task.name)
        elif _is_entry(place, task):
            self.path = place.path
        else:
            self.path = f"{place.path}/{task.name}"
        self._inside = adapter_state.codes.inside(bound)

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        now = self._visit(input, config)
        what = self._call(now, config)
        if self._inside and self._adapter_state.session.is_fork:
            self._compare_inside(what, drive(self._adapter_state.recorded_inside(self.path)))

        def run(new: NewInput | None) -> Any:
            self._watch(what, now)
            with assigned(visit, now):
                try:
                    return self._returned(now, self._bound.invoke(self._given(now, new), config, **kwargs))
                except GraphBubbleUp as error:
                    return self._bubbled(now, error)

        try:
            return _result(call(self._adapter_state.session, what, run))
        finally:
            self._place.ledger.ran(self._task, (what.number,) if what.number >= 0 else ())

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        now = self._visit(input, config)
        what = self._call(now, config)
        if self._inside and self._adapter_state.session.is_fork:
            self._compare_inside(what, await adrive(self._adapter_state.recorded_inside(self.path)))

        async def run(new: NewInput | None) -> Any:
            self._watch(what, now)
            with assigned(visit, now):
                try:
                    return self._returned(now, await self._bound.ainvoke(self._given(now, new), config, **kwargs))
                except GraphBubbleUp as error:
                    return self._bubbled(now, error)

        try:
            return _result(await acall(self._adapter_state.session, what, run))
        finally:
            self._place.ledger.ran(self._task, (what.number,) if what.number >= 0 else ())

    # -- changed code ------------------------------------------------------------------------------------------------

    def _compare_inside(self, what: Call, recorded: frozenset[str]) -> None:
        """Where the code inside is not what it was, no record answers for all of it."""
        if not recorded <= {self._inside}:
            what.whole = None

    def _watch(self, what: Call, now: Visit) -> None:
        """It is executed, so what it does is recorded, also where no record could answer for it."""
        if what.whole is None:
            now.begin()
            what.whole = now

    # -- what happens inside -----------------------------------------------------------------------------------------

    def _visit(self, input: Any, config: Any) -> Visit:
        conf = (config or {}).get(CONF) or {}
        runtime = conf.get(RUNTIME)
        store, writer = getattr(runtime, "store", None), getattr(runtime, "stream_writer", _nowhere)
        made = Visit(
            self._place,
            self.path,
            input,
            node=_graph_in(self._bound),
            store=store,
            writer=writer,
            settings=lambda: self._adapter_state.settings(self._place, self._task.name),
            answers=Answers(self._place, conf),
            inside=self._inside,
        )
        made.heard = _is_heard(config)
        if made.outer is not None and _is_task(self._task):
            made.outer.tasks()
        return made

    def _given(self, now: Visit, new: NewInput | None) -> Any:
        return now.given if new is None else new.value

    def _returned(self, now: Visit, result: Any) -> Any:
        now.returned(result)
        return result

    def _bubbled(self, now: Visit, error: GraphBubbleUp) -> Waiting:
        """It asked a person, or handed a command to the graph around: no failure, and not for the record to answer."""
        now.returned()
        now.lose("the node waits for an answer, or hands a command on")
        return Waiting(error)

    # -- how it is described -----------------------------------------------------------------------------------------

    def _call(self, now: Visit, config: Any) -> Call:
        conf = (config or {}).get(CONF) or {}
        answers = now.answers.values()
        beside = _beside(conf, answers)
        is_task = _is_task(self._task)
        shown = _arguments(self._bound, now.shown) if is_task else now.shown
        caused = self._place.causes(self._task)
        cause = self._place.cause
        return Call(
            "task" if is_task else "step",
            self.path,
            shown,
            {"state": shown, **beside} if beside else None,
            type="resumed" if answers else "",
            message=cause[0] if answers and cause else None,
            caused_by=(*caused, *(cause if answers or not caused else ())),
            decode_input=lambda value: _task_input(now, value) if is_task else revised(now.given, now.shown, value),
            encode=encode,
            decode=now.decode,
            normalize=lambda _, value: self._full(now, value, is_task),
            normalize_output=encode_plain if is_task else functools.partial(outputs.full, self._place, self._task),
            functions=self._adapter_state.codes.own(self._bound),
            whole=now,
        )

    def _full(self, now: Visit, value: Json, is_task: bool) -> Json:
        """An edit names all of a node's input, or some keys of it.  Raises `BadValue`."""
        plain = now.plain() if not is_task else _arguments(self._bound, now.plain())
        if not (isinstance(plain, dict) and TAG not in plain and isinstance(value, dict) and TAG not in value):
            return value
        unknown = [name for name in value if name not in plain and name not in outputs.keys(self._place)]
        if unknown and not is_task:
            known = ", ".join(dict.fromkeys([*plain, *outputs.keys(self._place)]))
            raise BadValue(f"{self.path} has no input {unknown[0]!r}; it has {known}", outputs.schema(self._place))
        return {**plain, **value}


def encode_plain(value: Json) -> Json:
    """A mocked result of a task: any value; a message that was written as a plain object is one."""
    return encode(messages.given(value)) if messages.looks_like_message(value) else encode(decode(value))


def _result(result: Any) -> Any:
    if not isinstance(result, Waiting):
        return result
    try:
        raise result.error
    finally:
        del result  # see `outtake_probe.gate.invoke`: its frame must not keep an error


def _is_heard(config: Any) -> bool:
    """Whether the program has callbacks of its own; those that stream what a model says are known by their events."""
    callbacks = (config or {}).get("callbacks")
    handlers = getattr(callbacks, "inheritable_handlers", callbacks if isinstance(callbacks, list) else ())
    return any(not isinstance(handler, Spans) and type(handler).__name__ not in _UNHEARD for handler in handlers)


_UNHEARD = frozenset(
    {"LangChainTracer", "StreamMessagesHandler", "StreamMessagesHandlerV2", "StreamToolCallHandler"}
    | {"_IdleProgressCallbackHandler"}
)


def _nowhere(event: Any) -> None:
    """Nobody listens."""


def _is_task(task: Any) -> bool:
    """Whether this is a call of a function with `@task`."""
    return bool(task.path) and task.path[0] == PUSH and len(task.path) > 3 and task.path[-1] is True


def _is_entry(place: GraphRun, task: Any) -> bool:
    """Whether this is the body of an `@entrypoint`, the only node of a graph that is called like it."""
    return is_function(place.graph) and name_of(place.graph) == task.name


def _graph_in(bound: Any) -> Any:
    """The graph that a node is."""
    if isinstance(bound, Pregel):
        return bound
    inner = getattr(bound, "bound", None)
    if isinstance(inner, Pregel):
        return inner
    found: Sequence[Any] = [step for step in getattr(bound, "steps", ()) if isinstance(step, Pregel)]
    return found[0] if found else None


def _beside(conf: dict[str, Any], answers: list[Any]) -> dict[str, Json]:
    """What a node can read besides its state."""
    out: dict[str, Json] = {"answers": messages.body(answers)} if answers else {}
    runtime = conf.get(RUNTIME)
    for name in ("context", "previous"):
        value = getattr(runtime, name, None)
        if value is not None:
            out[name] = messages.body(value)
    own = {name: value for name, value in conf.items() if not name.startswith("__") and name not in _FRAMEWORK}
    if own:
        out["configurable"] = messages.body(own)
    error = conf.get("__pregel_node_error")
    if error is not None:
        out["error"] = [error.node, encode(error.error)]
    return out


_FRAMEWORK = frozenset({"thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map", "langgraph_request_id"})


def _arguments(bound: Any, shown: Json) -> Json:
    """The arguments of a task by name: LangGraph keeps a tuple and a dict of them."""
    try:
        args, kwargs = shown["items"]
    except (TypeError, KeyError, ValueError):
        return shown
    names = _parameters(bound)
    values = args["items"] if isinstance(args, dict) else args
    if len(values) > len(names):
        return shown
    return {**dict(zip(names, values, strict=False)), **kwargs}


@functools.lru_cache(maxsize=1000)
def _parameters(bound: Any) -> list[str]:
    function = getattr(bound, "func", None) or getattr(bound, "afunc", None)
    try:
        return list(inspect.signature(function).parameters) if function is not None else []
    except (TypeError, ValueError):
        return []


def _task_input(now: Visit, value: Json) -> Any:
    """The arguments that an edited input stands for."""
    return (), decode(value) if isinstance(value, dict) else {}
