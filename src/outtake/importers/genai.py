"""What the spans of a program with agents mean: the GenAI conventions of OpenTelemetry, OpenInference, OpenLLMetry.

A span is a model call, a tool call, an agent or a step, by its attributes; one that says nothing of the kind is a step.
Prompts, answers, tools and usage become a model call in the shape of `outtake.importers.models`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from outtake.importers import models, spans
from outtake.importers.log import Call, Log, Usage
from outtake.importers.spans import Span
from outtake.importers.values import amount, decoded, fields, items, objects, part, text, whole
from outtake_probe.records import CallKind, Json

_OPERATIONS: Mapping[str, CallKind] = {
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "embeddings": "step",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "create_agent": "step",
    "invoke_workflow": "flow",
}
"""By ``gen_ai.operation.name``."""
_KINDS: Mapping[str, CallKind] = {
    "LLM": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "step",
    "RETRIEVER": "step",
    "EMBEDDING": "step",
    "RERANKER": "step",
    "GUARDRAIL": "step",
    "EVALUATOR": "step",
    "WORKFLOW": "flow",
    "TASK": "task",
}
"""By ``openinference.span.kind`` and ``traceloop.span.kind``."""
_SESSIONS = (
    "session.id",
    "gen_ai.conversation.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
)
_SETTINGS = (
    *("temperature", "top_p", "top_k", "max_tokens", "frequency_penalty", "presence_penalty"),
    *("stop_sequences", "seed"),
)
_MOST = 10_000
"""Messages of one prompt whose attributes are numbered."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a span."""

    name: str
    at: float | None
    attributes: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """A span as OpenTelemetry has it, times in seconds since the epoch."""

    trace: str
    id: str
    parent: str
    name: str
    began: float | None
    ended: float | None
    attributes: Mapping[str, Json]
    events: Sequence[Event] = ()
    failed: bool = False
    status: str = ""
    resource: Mapping[str, Json] = field(default_factory=dict)
    scope: str = ""


def logs(given: Sequence[Telemetry], guessed: Sequence[str] = ()) -> list[Log]:
    """One run for each session, or trace where no session is named."""
    services = {name for one in given if (name := text(one.resource.get("service.name")))}
    guessed = list(guessed)
    unknown = sum(_kind(one.attributes) is None for one in given)
    if unknown:
        guessed.append(f"spans that do not say what they are became steps ({unknown} of {len(given)})")
    told = {"service": ", ".join(sorted(services))} if services else {}
    return spans.logs(list(map(span_of, given)), dict(told), guessed)


def span_of(one: Telemetry) -> Span:
    """A span as a call."""
    says = one.attributes
    kind = _kind(says) or "step"
    call = Call(kind=kind, component="", began=one.began, ended=one.ended, is_over=one.ended is not None)
    if kind == "model":
        _model_call(call, one)
    elif kind == "tool":
        arguments = says.get("gen_ai.tool.call.arguments", says.get("tool.parameters"))
        call.input = decoded(arguments) if arguments is not None else _value(says, "input")
        result = says.get("gen_ai.tool.call.result")
        call.output = decoded(result) if result is not None else _value(says, "output")
    else:
        call.input, call.output = _input(says), _output(says)
    _errors(call, one)
    return Span(
        id=one.id,
        parent=one.parent,
        trace=one.trace,
        session=next((id for key in _SESSIONS if (id := text(says.get(key)))), ""),
        name=_name(kind, one),
        call=call,
        events=[(part(event.name), dict(event.attributes), event.at) for event in one.events if not _is_content(event)],
    )


def _kind(says: Mapping[str, Json]) -> CallKind | None:
    """What a span is; None: it does not say."""
    operation = text(says.get("gen_ai.operation.name"))
    if operation:
        return _OPERATIONS.get(operation, "step")
    for key in ("openinference.span.kind", "traceloop.span.kind"):
        if named := text(says.get(key)).upper():
            return _KINDS.get(named, "step")
    if text(says.get("llm.request.type")) or any(
        key in says for key in ("gen_ai.request.model", "llm.model_name", "gen_ai.prompt.0.content")
    ):
        return "model"
    return "tool" if "gen_ai.tool.name" in says else None


def _name(kind: CallKind, one: Telemetry) -> str:
    """What a component is called: its own name where that is told, not the operation's."""
    says = one.attributes
    keys = {
        "tool": ("gen_ai.tool.name", "tool.name", "traceloop.entity.name"),
        "agent": ("gen_ai.agent.name", "agent.name", "graph.node.id", "traceloop.entity.name"),
        "flow": ("gen_ai.workflow.name", "gen_ai.agent.name", "traceloop.entity.name"),
    }
    own = next((name for key in keys.get(kind, ("traceloop.entity.name",)) if (name := text(says.get(key)))), "")
    return own or one.name or "span"


def _value(says: Mapping[str, Json], side: str) -> Json:
    """``input.value`` or ``output.value`` of OpenInference, or the like of OpenLLMetry."""
    for key in (f"{side}.value", f"traceloop.entity.{side}", f"langfuse.observation.{side}"):
        if key in says:
            return decoded(says[key])
    return None


def _input(says: Mapping[str, Json]) -> Json:
    messages = _messages(says.get("gen_ai.input.messages"))
    return {"messages": messages} if messages else _value(says, "input")


def _output(says: Mapping[str, Json]) -> Json:
    messages = _messages(says.get("gen_ai.output.messages"))
    return messages[-1] if messages else _value(says, "output")


def _errors(call: Call, one: Telemetry) -> None:
    """Why a span failed: its status, or the exception that it names."""
    raised = next((event.attributes for event in one.events if event.name == "exception"), {})
    if not one.failed and "error.type" not in one.attributes:
        return
    call.error_type = part(raised.get("exception.type", one.attributes.get("error.type", "Error"))).rpartition(".")[2]
    said = (raised.get("exception.message"), one.status, one.attributes.get("error.message"))
    call.error = next((text(one) for one in said if text(one)), "")


# -- model calls -----------------------------------------------------------------------------------------------------


def _model_call(call: Call, one: Telemetry) -> None:
    says = one.attributes
    name = next(
        (
            model
            for key in ("gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "embedding.model_name")
            if (model := text(says.get(key)))
        ),
        "",
    )
    given, answered = _first(_PROMPTS, one), _first(_ANSWERS, one)
    settings = {key: says[f"gen_ai.request.{key}"] for key in _SETTINGS if f"gen_ai.request.{key}" in says}
    settings |= fields(decoded(says.get("llm.invocation_parameters")))
    tools = _tools(says) or items(settings.pop("tools", None))
    settings = {key: value for key, value in settings.items() if key not in ("model", "messages", "tools")}
    tokens = _usage(says)
    call.type = models.COMPLETIONS
    call.usage = Usage(*tokens, amount(says.get("gen_ai.usage.cost", says.get("llm.cost.total"))))
    call.input = models.request(name, given, tools, settings) if given else _as_prompt(name, says, tools, settings)
    if answered:
        reasons = items(decoded(says.get("gen_ai.response.finish_reasons")))
        answering = text(says.get("gen_ai.response.model")) or name
        call.output = models.completion(answering, answered, reasons[0] if reasons else None, models.usage(*tokens))
    else:
        call.output = _value(says, "output")


def _as_prompt(name: str, says: Mapping[str, Json], tools: Sequence[Json], settings: Mapping[str, Json]) -> Json:
    """The request of a model call whose messages are not reported one by one."""
    value = _value(says, "input")
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return {**value, "model": value.get("model", name)}
    told = [models.message("user", value)] if value is not None else []
    return models.request(name, told, tools, dict(settings))


def _usage(says: Mapping[str, Json]) -> tuple[int, int]:
    keys = (
        (
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
            "llm.usage.prompt_tokens",
        ),
        (
            *("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
            *("llm.token_count.completion", "llm.usage.completion_tokens"),
        ),
    )
    tokens_in, tokens_out = (next((whole(says[key]) for key in group if key in says), 0) for group in keys)
    return tokens_in, tokens_out


def _first(readers: Sequence[Callable[[Telemetry], list[Json]]], one: Telemetry) -> list[Json]:
    """What the first reader finds that finds anything."""
    return next((found for read in readers if (found := read(one))), [])


def _messages(value: Json) -> list[Json]:
    """Messages with parts, as the GenAI conventions have them, structured or as a text of JSON."""
    found: list[Json] = []
    for said in objects(decoded(value)):
        content = said.get("parts", said.get("content"))
        more = {"name": said.get("name")} if text(said.get("name")) else {}
        if objects(said.get("tool_calls")):
            found.append(dict(said))
        else:
            found += models.from_blocks(text(said.get("role")), content, **more)
    return found


def _conventional(side: str) -> Callable[[Telemetry], list[Json]]:
    """Reads attributes and events of the current conventions."""

    def read(one: Telemetry) -> list[Json]:
        key = f"gen_ai.{side}.messages"
        places = [one.attributes, *(event.attributes for event in one.events)]
        held = next((place for place in places if key in place), None)
        if held is None:
            return []
        instructions = held.get("gen_ai.system_instructions") if side == "input" else None
        system = models.from_blocks("system", decoded(instructions)) if instructions is not None else []
        return [*system, *_messages(held[key])]

    return read


def _by_events(one: Telemetry) -> list[Json]:
    """Reads events such as ``gen_ai.user.message``, of the conventions before."""
    found: list[Json] = []
    for event in one.events:
        role = event.name.removeprefix("gen_ai.").removesuffix(".message")
        if role in ("system", "user", "assistant", "tool") and event.name == f"gen_ai.{role}.message":
            found.append(_said(role, event.attributes))
    return found


def _choices(one: Telemetry) -> list[Json]:
    """Reads events ``gen_ai.choice``."""
    found: list[Json] = []
    for event in one.events:
        if event.name == "gen_ai.choice":
            held = fields(decoded(event.attributes.get("message"))) or event.attributes
            found.append(_said("assistant", held))
    return found


def _said(role: str, held: Mapping[str, Json]) -> Json:
    calls = [models.tool_call(name, given, id) for id, name, given in _calls(decoded(held.get("tool_calls")))]
    content = decoded(held.get("content", held.get("gen_ai.event.content")))
    return models.message(role, models.plain(content), calls, tool_call_id=text(held.get("id")))


def _calls(value: Json) -> list[tuple[str, str, Json]]:
    return models.calls_of({"tool_calls": value})


def _is_content(event: Event) -> bool:
    """Whether an event only brings what is told elsewhere: messages, and the error of its span."""
    return event.name == "exception" or event.name.startswith("gen_ai.")


def _numbered(prefix: str) -> Callable[[Telemetry], list[Json]]:
    """Reads attributes such as ``llm.input_messages.0.message.role`` and ``gen_ai.prompt.0.role``."""

    def read(one: Telemetry) -> list[Json]:
        root = _grown(one.attributes, prefix)
        return [_message(fields(fields(said).get("message")) or fields(said)) for said in _listed(root)]

    return read


def _message(held: Mapping[str, Json]) -> Json:
    texts = [fields(one.get("message_content", one)).get("text") for one in map(fields, _listed(held.get("contents")))]
    content = held.get("content", "\n".join(map(text, texts)) if texts else None)
    calls = []
    for one in map(fields, _listed(held.get("tool_calls"))):
        call = fields(one.get("tool_call")) or one
        function = fields(call.get("function")) or call
        calls.append(models.tool_call(function.get("name"), function.get("arguments"), call.get("id")))
    return models.message(
        text(held.get("role")), content, calls, name=held.get("name"), tool_call_id=text(held.get("tool_call_id"))
    )


def _tools(says: Mapping[str, Json]) -> list[Json]:
    told = decoded(says.get("gen_ai.tool.definitions"))
    if items(told):
        return list(told)
    numbered = [fields(one) for one in _listed(_grown(says, "llm.tools"))]
    tools = [fields(one.get("tool")) for one in numbered]
    schemas = [decoded(one.get("json_schema")) for one in tools if one.get("json_schema")]
    return schemas or [dict(one) for one in map(fields, _listed(_grown(says, "llm.request.functions")))]


def _grown(says: Mapping[str, Json], prefix: str) -> dict[str, Json]:
    """The tree of attributes whose names go on from a prefix with dots."""
    root: dict[str, Json] = {}
    for key, value in says.items():
        if not key.startswith(f"{prefix}."):
            continue
        at = root
        *path, last = key[len(prefix) + 1 :].split(".")[:20]
        for name in path:
            below = at.get(name)
            if not isinstance(below, dict):
                below = at[name] = {}
            at = below
        if not isinstance(at.get(last), dict):
            at[last] = value
    return root


def _listed(tree: Json) -> list[Json]:
    """The items of a tree whose names are numbers, in order."""
    numbers = [name for name in fields(tree) if name.isascii() and name.isdigit() and len(name) < 7]
    return [fields(tree)[name] for name in sorted(numbers, key=int)[:_MOST]]


_PROMPTS = (_conventional("input"), _numbered("llm.input_messages"), _numbered("gen_ai.prompt"), _by_events)
_ANSWERS = (_conventional("output"), _numbered("llm.output_messages"), _numbered("gen_ai.completion"), _choices)
