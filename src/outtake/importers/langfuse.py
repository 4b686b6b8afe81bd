"""Traces that were exported from Langfuse: with their observations, or the observations alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from outtake.core.annotations import Note
from outtake.importers import models, payloads, spans
from outtake.importers.log import Call, Importer, Log, Remark, Usage
from outtake.importers.source import Source
from outtake.importers.spans import Span
from outtake.importers.values import amount, decoded, fields, items, moment, objects, part, text
from outtake_probe.records import CallKind, Json

AUTHOR = "langfuse"
_KINDS: Mapping[str, CallKind] = {
    "GENERATION": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    **dict.fromkeys(("SPAN", "EVENT", "CHAIN", "RETRIEVER", "EMBEDDING", "EVALUATOR", "GUARDRAIL"), "step"),
}
_Document = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether all documents of a file are traces with observations, or observations."""
    documents = _documents(source)
    if documents and all(_is_trace(one) for one in documents):
        return f"traces with observations ({len(documents)})"
    if documents and all(_is_observation(one) for one in documents):
        return f"observations with traceId ({len(documents)})"
    return ""


def _documents(source: Source) -> Sequence[_Document]:
    return objects(source.root.get("data")) if "data" in source.root else source.objects


def _is_trace(one: _Document) -> bool:
    observations = one.get("observations")
    return isinstance(observations, list) and all(isinstance(item, dict) and "type" in item for item in observations)


def _is_observation(one: _Document) -> bool:
    return text(one.get("type")) in _KINDS and bool(text(one.get("traceId"))) and "startTime" in one


def read(source: Source) -> Sequence[Log]:
    """A run for each session, or trace where no session is named."""
    documents = _documents(source)
    found: list[Span] = []
    scores: dict[str, list[_Document]] = {}
    for document in documents:
        if _is_trace(document):
            trace = fields(document.get("trace")) or document
            id = text(trace.get("id")) or str(len(found))
            found += _trace(trace, objects(document["observations"]), id)
            scores[id] = objects(document.get("scores", trace.get("scores")))
        else:
            found.append(_span(document, "", text(document["traceId"]), text(document.get("sessionId"))))
    logs = spans.logs(found, guessed=["observations of the type SPAN and EVENT became steps"])
    return [_scored(log, scores) for log in logs]


def _trace(trace: _Document, observations: Sequence[_Document], id: str) -> Iterator[Span]:
    session = text(trace.get("sessionId"))
    root = f"trace {id}"
    call = Call(
        kind="flow",
        component="",
        input=decoded(trace.get("input")),
        output=decoded(trace.get("output")),
        began=moment(trace.get("timestamp")),
    )
    yield Span(id=root, parent="", trace=id, session=session, name=text(trace.get("name")) or "trace", call=call)
    for one in observations:
        yield _span(one, root, id, session)


def _span(one: _Document, root: str, trace: str, session: str) -> Span:
    kind = _KINDS.get(text(one.get("type")), "step")
    began, ended = moment(one.get("startTime")), moment(one.get("endTime"))
    call = Call(
        kind=kind,
        component="",
        input=decoded(one.get("input")),
        output=decoded(one.get("output")),
        began=began,
        ended=began if one.get("type") == "EVENT" else ended,
        is_over=ended is not None or one.get("output") is not None or one.get("type") == "EVENT",
    )
    if one.get("level") == "ERROR":
        call.error = text(one.get("statusMessage"))
        call.is_over = True
    if kind == "model":
        _model_call(call, one)
    return Span(
        id=text(one.get("id")),
        parent=text(one.get("parentObservationId")) or root,
        trace=trace,
        session=session,
        name=text(one.get("name")) or text(one.get("type")).lower(),
        call=call,
    )


def _model_call(call: Call, one: _Document) -> None:
    model = text(one.get("model")) or text(one.get("providedModelName"))
    asked = fields(call.input)
    told = {"input": one.get("inputUsage"), "output": one.get("outputUsage")}
    older = {"input": one.get("promptTokens"), "output": one.get("completionTokens")}
    tokens = payloads.usage(one.get("usageDetails"), one.get("usage"), told, older)
    costs = (fields(one.get("costDetails")).get("total"), one.get("calculatedTotalCost"), one.get("totalCost"))
    call.usage = Usage(*tokens, next((cost for cost in map(amount, costs) if cost), 0.0))
    call.type = models.COMPLETIONS
    settings = fields(decoded(one.get("modelParameters")))
    call.input = models.request(model, payloads.prompt(call.input), items(asked.get("tools")), settings)
    if call.output is not None:
        call.output = models.completion(model, payloads.answer(call.output), None, models.usage(*tokens))


def _scored(log: Log, scores: Mapping[str, Sequence[_Document]]) -> Log:
    """The run with the scores of its traces as feedback."""
    of = [trace for trace in scores if trace == log.told.get("trace")] or (list(scores) if len(scores) == 1 else [])
    remarks = [
        Remark(Note(kind="feedback", text=_score(score), author=AUTHOR)) for trace in of for score in scores[trace]
    ]
    return replace(log, remarks=remarks)


def _score(score: _Document) -> str:
    value = score.get("stringValue", score.get("value"))
    comment = text(score.get("comment"))
    return f"{part(score.get('name'))}: {value}{f' ({comment})' if comment else ''}"


IMPORTER = Importer(
    name="Langfuse",
    looks="traces with observations, or observations with traceId, as JSON or one a line",
    recognise=recognise,
    read=read,
)
