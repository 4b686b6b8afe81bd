"""Logs of Inspect (``inspect_ai``): ``.eval``, a zip archive with a file for each sample, and the same as one JSON.

A sample is a run.  Its events are model calls, tool calls and steps (spans), each with the times that the log has; its
target is the expected answer, and its scores are verdicts where they say right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from outtake.core.annotations import Note
from outtake.importers import models
from outtake.importers.log import BadLog, Call, Event, Importer, Log, Remark, Usage
from outtake.importers.payloads import prompt, usage
from outtake.importers.source import Source
from outtake.importers.spans import Span, nest
from outtake.importers.values import fields, items, moment, objects, part, text
from outtake_probe.records import Json

AUTHOR = "inspect"
_RIGHT, _WRONG = ("C", True), ("I", False)
_LEFT_OUT = ("state", "store", "sample_init", "score")
_REFERENCE = "attachment://"
_MOST = 2_000_000
"""Messages of all prompts of a sample, where they refer to a common list."""
_Document = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether a file is such a log."""
    if source.packed is not None:
        names = source.packed.names()
        samples = sum(name.startswith("samples/") for name in names)
        if "header.json" in names or "_journal/start.json" in names:
            return f"an archive with {samples} samples of an evaluation"
        return ""
    root = source.root
    if isinstance(root.get("eval"), dict) and "task" in root["eval"] and ("samples" in root or "plan" in root):
        return f"an evaluation with {len(items(root.get('samples')))} samples"
    return ""


def read(source: Source) -> Sequence[Log]:
    """A run for each sample.  Raises `BadLog`."""
    if source.packed is None:
        header, samples = source.root, list(objects(source.root.get("samples")))
    else:
        names = source.packed.names()
        start = "header.json" if "header.json" in names else "_journal/start.json"
        try:
            header = fields(source.packed.document(start))
            found = [source.packed.document(name) for name in names if name.startswith("samples/")]
        except ValueError as error:
            raise BadLog(str(error)) from error
        samples = list(objects(found))
    if not samples:
        raise BadLog("it has no samples")
    return [_log(fields(header.get("eval")), sample) for sample in samples]


def _log(evaluation: _Document, sample: _Document) -> Log:
    sample = fields(_attached(sample))
    task = text(evaluation.get("task")) or "evaluation"
    answer = next((said for said in _choices(fields(sample.get("output")))), None)
    if answer is None:
        spoken = [one for one in objects(sample.get("messages")) if one.get("role") == "assistant"]
        answer = spoken[-1] if spoken else None
    output = models.plain(fields(answer).get("content")) if answer is not None else None
    flow = Call(
        kind="flow",
        component=part(task),
        input={"input": sample.get("input")},
        output=output,
        began=moment(sample.get("started_at")),
        ended=moment(sample.get("completed_at")),
    )
    guessed = _fill(flow, sample)
    error = fields(sample.get("error"))
    return Log(
        name=f"{sample.get('id')} ({sample.get('epoch', 1)})",
        input=_asked(sample.get("input")),
        output=output,
        error=(text(error.get("message")) or "error") if error else None,
        parts=[flow],
        told={
            "task": task,
            "model": evaluation.get("model"),
            **{key: sample.get(key) for key in ("id", "epoch", "metadata", "limit") if sample.get(key) is not None},
        },
        remarks=list(_remarks(sample)),
        guessed=guessed,
    )


def _asked(input: Json) -> Json:
    """What a sample asks: its text, or that of its last message."""
    said = objects(input)
    return models.plain(said[-1].get("content")) if said else input


def _remarks(sample: _Document) -> Iterator[Remark]:
    targets = [target for target in map(text, [sample.get("target"), *items(sample.get("target"))]) if target.strip()]
    if targets:
        yield Remark(Note(kind="expectation", text="\n".join(targets), author=AUTHOR))
    for scorer, score in fields(sample.get("scores")).items():
        value = fields(score).get("value")
        why = text(fields(score).get("explanation"))
        said = f"{part(scorer)}: {value}{f' ({why})' if why else ''}"
        right = any(value is one or (isinstance(value, str) and value == one) for one in _RIGHT)
        if right or any(value is one or (isinstance(value, str) and value == one) for one in _WRONG):
            yield Remark(Note(kind="verdict", text=said, author=AUTHOR, data={"passed": right}))
        else:
            yield Remark(Note(kind="feedback", text=said, author=AUTHOR))


# -- events ----------------------------------------------------------------------------------------------------------


def _fill(flow: Call, sample: _Document) -> list[str]:
    """Put what happened into the call of a sample; what had to be guessed."""
    events = list(_flat(sample.get("events")))
    if not events:
        return _from_messages(flow, sample)
    pool = _Pool(fields(sample.get("events_data")).get("messages", sample.get("message_pool")))
    spans: list[Span] = []
    open_steps: list[str] = []
    by_id: dict[str, Span] = {}
    for number, event in enumerate(events):
        at = moment(event.get("timestamp"))
        holder = text(event.get("span_id")) or (open_steps[-1] if open_steps else "")
        match event.get("event"):
            case "span_begin" | "step" if event.get("action", "begin") == "begin":
                id = text(event.get("id")) or f"step {number}"
                outer = text(event.get("parent_id")) or (open_steps[-1] if open_steps else "")
                kind = "agent" if event.get("type") == "agent" else "step"
                call = Call(kind="agent" if kind == "agent" else "step", component="", began=at, is_over=False)
                spans.append(Span(id=id, parent=outer, name=text(event.get("name")) or "step", call=call))
                by_id[id] = spans[-1]
                if event.get("event") == "step":
                    open_steps.append(id)
            case "span_end" | "step":
                ended = by_id.get(text(event.get("id")) or (open_steps[-1] if open_steps else ""))
                if ended is not None:
                    ended.call.ended, ended.call.is_over = at, True
                if event.get("event") == "step" and open_steps:
                    open_steps.pop()
            case "model":
                call = _model(event, pool, at)
                spans.append(
                    Span(id=f"event {number}", parent=holder, name=text(event.get("model")) or "model", call=call)
                )
            case "tool":
                spans.append(
                    Span(
                        id=f"event {number}",
                        parent=holder,
                        name=text(event.get("function")) or "tool",
                        call=_tool(event, at),
                    )
                )
            case kind if text(kind) and kind not in _LEFT_OUT:
                type = part(text(kind))
                inner = by_id.get(holder)
                told = {key: value for key, value in event.items() if key not in ("event", "span_id", "timestamp")}
                if inner is not None:
                    inner.events = [*inner.events, (type, told, at)]
                else:
                    flow.inside.append(Event(component=flow.component, type=type, body=told, at=at))
    nested = nest(spans)
    flow.inside += [root.call for root in nested.roots]
    _placed(flow)
    return [*nested.guessed]


def _placed(flow: Call) -> None:
    """Put the components of what is inside under the component of the sample."""
    waiting = list(flow.inside)
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, Call):
            waiting += inner.inside
        if inner.component != flow.component:
            inner.component = f"{flow.component}/{inner.component}"


def _flat(events: Json) -> Iterator[_Document]:
    """All events in order, those inside of others, as older logs have them, too."""
    waiting = list(reversed(objects(events)))
    while waiting:
        event = waiting.pop()
        yield event
        waiting += reversed(objects(event.get("events")))


def _model(event: _Document, pool: _Pool, at: float | None) -> Call:
    output = fields(event.get("output"))
    name = text(event.get("model"))
    tokens = usage(output.get("usage"))
    ended = moment(event.get("completed"))
    error = text(event.get("error")) or text(output.get("error"))
    asked = pool.prompt(event)
    call = Call(
        kind="model",
        component="",
        type=models.COMPLETIONS,
        input=models.request(name, asked, items(event.get("tools")), event.get("config")),
        output=models.completion(
            text(output.get("model")) or name,
            list(_choices(output)),
            next((one.get("stop_reason") for one in objects(output.get("choices"))), None),
            models.usage(*tokens),
        ),
        error=error or None,
        began=at,
        ended=ended,
        is_over=event.get("pending") is not True,
        usage=Usage(*tokens),
    )
    return call


def _choices(output: _Document) -> Iterator[Json]:
    for choice in objects(output.get("choices")):
        yield from prompt([choice.get("message")])


def _tool(event: _Document, at: float | None) -> Call:
    error = event.get("error")
    return Call(
        kind="tool",
        component="",
        input=event.get("arguments"),
        output=models.plain(event.get("result")),
        error=(text(fields(error).get("message")) or "error") if error else None,
        error_type=part(fields(error).get("type") or "Error"),
        began=at,
        ended=moment(event.get("completed")),
        is_over=event.get("pending") is not True,
    )


def _from_messages(flow: Call, sample: _Document) -> list[str]:
    """What older logs, and those without events, tell: the messages."""
    calls: dict[str, Call] = {}
    for said in objects(sample.get("messages")):
        if said.get("role") == "tool" and text(said.get("tool_call_id")) in calls:
            call = calls[text(said["tool_call_id"])]
            call.output, call.is_over = models.plain(said.get("content")), True
            continue
        flow.inside.append(
            Event(
                component=flow.component,
                type=part(said.get("role") or "message"),
                body=models.plain(said.get("content")),
            )
        )
        for id, name, given in models.calls_of(said):
            tool = Call(kind="tool", component=f"{flow.component}/tools/{part(name)}", input=given, is_over=False)
            calls[id] = tool
            flow.inside.append(tool)
    return ["it has no events: its messages are told, and nothing of the model's calls"]


class _Pool:
    """The messages of a sample that its model calls refer to by ranges of numbers."""

    def __init__(self, messages: Json) -> None:
        self._messages = objects(messages)
        self._left = _MOST

    def prompt(self, event: _Document) -> list[Json]:
        """The messages of a model call.  Raises `BadLog` where they are too many in all."""
        said: list[Json] = list(objects(event.get("input")))
        for one in items(event.get("input_refs")):
            ends = [n for n in items(one) if isinstance(n, int) and n >= 0]
            if len(ends) == 2:
                said += self._messages[ends[0] : ends[1]]
            if len(said) > self._left:
                raise BadLog(f"its model calls have more than {_MOST:,} messages in all")
        self._left -= len(said)
        return prompt(said) if said else []


def _attached(sample: _Document) -> Json:
    """A sample with the attachments that its texts refer to."""
    attachments = fields(sample.get("attachments"))
    if not attachments:
        return sample
    return _filled({key: value for key, value in sample.items() if key != "attachments"}, attachments)


def _filled(value: Json, attachments: _Document) -> Json:
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_REFERENCE), value) if value.startswith(_REFERENCE) else value
    if isinstance(value, list):
        return [_filled(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, attachments) for key, item in value.items()}
    return value


IMPORTER = Importer(
    name="Inspect",
    looks="an archive with header.json and samples, or a JSON object with eval and samples",
    recognise=recognise,
    read=read,
)
