"""Runs that were exported from LangSmith: a list of them, one a line, or trees of ``child_runs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from outtake.importers import models, payloads, spans
from outtake.importers.log import BadLog, Call, Importer, Log, Usage
from outtake.importers.source import Source
from outtake.importers.spans import Span
from outtake.importers.values import amount, fields, items, moment, objects, part, text, whole
from outtake_probe.records import CallKind, Json

_KINDS: Mapping[str, CallKind] = {"llm": "model", "chat_model": "model", "tool": "tool"}
_THREADS = ("session_id", "thread_id", "conversation_id")
_DEEPEST = 150
_Run = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether all documents of a file are such runs."""
    runs = _top(source)
    if not runs or not all(isinstance(run.get("run_type"), str) and "id" in run for run in runs):
        return ""
    return f"runs with run_type ({sum(1 for _ in _all(runs))})" if any("inputs" in run for run in runs) else ""


def _top(source: Source) -> Sequence[_Run]:
    return objects(source.root.get("runs")) if "runs" in source.root else source.objects


def _all(runs: Sequence[_Run]) -> Iterator[tuple[_Run, str, str]]:
    """All runs with the ids of their parents and traces, those inside others, too."""
    waiting = [(run, "", "", 0) for run in reversed(runs)]
    while waiting:
        run, parent, trace, depth = waiting.pop()
        parent = text(run.get("parent_run_id")) or parent
        trace = text(run.get("trace_id")) or trace or (text(run.get("id")) if not parent else "")
        yield run, parent, trace
        if depth > _DEEPEST:
            raise BadLog(f"its runs are nested more than {_DEEPEST} levels deep")
        inner = objects(run.get("child_runs"))
        waiting += [(child, text(run.get("id")), trace, depth + 1) for child in reversed(inner)]


def read(source: Source) -> Sequence[Log]:
    """A run for each thread, or trace where no thread is named."""
    found = [_span(run, parent, trace) for run, parent, trace in _all(_top(source))]
    return spans.logs(found, guessed=["runs of the type chain, retriever, prompt, parser and embedding became steps"])


def _span(run: _Run, parent: str, trace: str) -> Span:
    metadata = fields(fields(run.get("extra")).get("metadata"))
    name = text(run.get("name"))
    kind = _KINDS.get(text(run.get("run_type")), "step")
    if kind == "step" and name and metadata.get("lc_agent_name") == name:
        kind = "agent"
    ended = moment(run.get("end_time"))
    call = Call(
        kind=kind,
        component="",
        input=run.get("inputs"),
        output=run.get("outputs"),
        began=moment(run.get("start_time")),
        ended=ended,
        is_over=ended is not None or run.get("outputs") is not None or bool(run.get("error")),
    )
    if text(run.get("error")):
        call.error = text(run["error"])
        call.error_type = _error_type(call.error)
    if kind == "model":
        _model_call(call, run, metadata)
    events = [
        (part(event.get("name")), dict(event), moment(event.get("time")))
        for event in objects(run.get("events"))
        if event.get("name") not in ("start", "end", "new_token")
    ]
    return Span(
        id=text(run.get("id")),
        parent=parent,
        trace=trace or parent,
        session=next((id for key in _THREADS if (id := text(metadata.get(key)))), ""),
        name=name or "run",
        call=call,
        events=events,
    )


def _error_type(error: str) -> str:
    """The name of the class that an error begins with, as Python writes it."""
    name = error.partition("(")[0].partition(":")[0].strip()
    return part(name) if name.isidentifier() else "Error"


def _model_call(call: Call, run: _Run, metadata: _Run) -> None:
    extra = fields(run.get("extra"))
    asked = fields(extra.get("invocation_params"))
    names = (metadata.get("ls_model_name"), asked.get("model"), asked.get("model_name"))
    model = next((name for name in map(text, names) if name), "")
    inputs, outputs = fields(run.get("inputs")), fields(run.get("outputs"))
    tokens = _tokens(run, outputs)
    tools = items(asked.get("tools")) or items(inputs.get("tools"))
    settings = {key: value for key, value in asked.items() if key not in ("model", "model_name", "tools", "_type")}
    call.type = models.COMPLETIONS
    call.input = models.request(model, payloads.prompt(run.get("inputs")), tools, settings)
    call.usage = Usage(*tokens, amount(run.get("total_cost")))
    if run.get("outputs") is not None:
        call.output = models.completion(model, payloads.answer(outputs), None, models.usage(*tokens))


def _tokens(run: _Run, outputs: _Run) -> tuple[int, int]:
    if whole(run.get("prompt_tokens")) or whole(run.get("completion_tokens")):
        return whole(run.get("prompt_tokens")), whole(run.get("completion_tokens"))
    said = [
        payloads.langchain(fields(fields(one).get("message"))).get("usage_metadata")
        for group in items(outputs.get("generations"))
        for one in (group if isinstance(group, list) else [group])
    ]
    told = fields(outputs.get("llm_output")).get("token_usage")
    return payloads.usage(outputs.get("usage_metadata"), outputs.get("usage"), told, *said)


IMPORTER = Importer(
    name="LangSmith",
    looks="runs with id, run_type, inputs and outputs, as JSON or one a line",
    recognise=recognise,
    read=read,
)
