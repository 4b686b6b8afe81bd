"""OpenTelemetry spans as OTLP: JSON (one document, or one a line, as collectors write them) and protobuf.

A protobuf file is one ``TracesData`` (the same bytes as an export request), or a sequence of them, each after its
length in four bytes, as the collector's file exporter writes.  What spans mean is `outtake.importers.genai`'s.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping, Sequence

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

from outtake.importers.genai import Event, Telemetry, logs
from outtake.importers.log import BadLog, Importer, Log
from outtake.importers.source import Source
from outtake.importers.values import amount, fields, items, objects, text
from outtake_probe.records import Json

_FAILED = (2, "STATUS_CODE_ERROR")
_DEEPEST = 50
_SPANS = 500_000
_BYTES = ("traceId", "spanId", "parentSpanId")


def recognise(source: Source) -> str:
    """Whether a file has spans in the form of OTLP."""
    if source.objects and all("resourceSpans" in one or "resource_spans" in one for one in source.objects):
        return "OTLP spans as JSON"
    if source.text or not source.data:
        return ""
    return "OTLP spans as protobuf" if any(data.resource_spans for data in _messages(source.data)) else ""


def read(source: Source) -> Sequence[Log]:
    """One run for each session, or trace."""
    spans = from_json(source.objects) if source.objects else from_protobuf(_messages(source.data))
    return logs(bounded(spans))


def bounded(spans: Iterable[Telemetry]) -> list[Telemetry]:
    """All spans.  Raises `BadLog` if there are too many, or none."""
    found = []
    for span in spans:
        found.append(span)
        if len(found) > _SPANS:
            raise BadLog(f"it has more than {_SPANS:,} spans; split it")
    if not found:
        raise BadLog("it has no spans")
    return found


# -- JSON ------------------------------------------------------------------------------------------------------------


def from_json(documents: Iterable[Mapping[str, Json]]) -> Iterator[Telemetry]:
    """The spans of JSON documents.  Raises `BadLog`."""
    for document in documents:
        for resource in objects(document.get("resourceSpans", document.get("resource_spans"))):
            about = _attributes(fields(resource.get("resource")).get("attributes"))
            scopes = resource.get("scopeSpans", resource.get("scope_spans"))
            for scope in objects(scopes if scopes is not None else resource.get("instrumentationLibrarySpans")):
                name = text(fields(scope.get("scope", scope.get("instrumentationLibrary"))).get("name"))
                for span in items(scope.get("spans")):
                    yield _span(span, about, name)


def _span(span: Json, resource: Mapping[str, Json], scope: str) -> Telemetry:
    held = {_camel(name): value for name, value in fields(span).items()}
    ids = {name: _id(held.get(name)) for name in _BYTES}
    if not ids["traceId"] or not ids["spanId"]:
        raise BadLog("one of its spans has no traceId or no spanId")
    status = fields(held.get("status"))
    return Telemetry(
        trace=ids["traceId"],
        id=ids["spanId"],
        parent=ids["parentSpanId"],
        name=text(held.get("name")),
        began=_seconds(held.get("startTimeUnixNano")),
        ended=_seconds(held.get("endTimeUnixNano")),
        attributes=_attributes(held.get("attributes")),
        events=[
            Event(
                text(event.get("name")),
                _seconds(event.get("timeUnixNano", event.get("time_unix_nano"))),
                _attributes(event.get("attributes")),
            )
            for event in objects(held.get("events"))
        ],
        failed=status.get("code") in _FAILED,
        status=text(status.get("message")),
        resource=resource,
        scope=scope,
    )


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _id(value: Json) -> str:
    """An id as hexadecimal digits; one in base64, as plain protobuf JSON has it, is turned into them."""
    given = text(value)
    if len(given) in (16, 32) or not given:
        return given.lower().strip("0") and given.lower()
    try:
        return base64.b64decode(given, validate=True).hex()
    except (binascii.Error, ValueError):
        return given


def _seconds(value: Json) -> float | None:
    """Seconds since the epoch, of nanoseconds in a number or a text."""
    if isinstance(value, str):
        value = int(value) if len(value) < 25 and value.isascii() and value.isdigit() else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1 << 63:
        return None
    return value / 1e9


def _attributes(pairs: Json) -> dict[str, Json]:
    return {text(pair.get("key")): _value(fields(pair.get("value")), 0) for pair in objects(pairs)}


def _value(held: Mapping[str, Json], depth: int) -> Json:
    """The value of an attribute."""
    if depth > _DEEPEST:
        raise BadLog(f"an attribute is nested more than {_DEEPEST} levels deep")
    for name, value in held.items():
        match _camel(name):
            case "intValue":
                return int(value) if isinstance(value, str) and _is_integer(value) else value
            case "doubleValue":
                return value if isinstance(value, str) else amount(value) or value
            case "arrayValue":
                return [_value(fields(one), depth + 1) for one in items(fields(value).get("values"))]
            case "kvlistValue":
                pairs = objects(fields(value).get("values"))
                return {text(pair.get("key")): _value(fields(pair.get("value")), depth + 1) for pair in pairs}
            case _:
                return value
    return None


def _is_integer(digits: str) -> bool:
    return len(digits) < 25 and digits.lstrip("-").isdigit() and digits.isascii() and digits.count("-") <= 1


# -- protobuf --------------------------------------------------------------------------------------------------------


def _messages(data: bytes) -> list[trace_pb2.TracesData]:
    """The messages that a file holds; none: it is not of this kind."""
    whole = parsed(data)
    if whole is not None and whole.resource_spans:
        return [whole]
    found, at = [], 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if not 0 < size <= len(data) - at - 4 or (one := parsed(data[at + 4 : at + 4 + size])) is None:
            return []
        found.append(one)
        at += 4 + size
    return found if at == len(data) else []


def parsed(data: bytes) -> trace_pb2.TracesData | None:
    """One message; None: it is none."""
    message = trace_pb2.TracesData()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return None
    return message


def from_protobuf(messages: Iterable[trace_pb2.TracesData]) -> Iterator[Telemetry]:
    """The spans of messages.  Raises `BadLog`."""
    for message in messages:
        for resource in message.resource_spans:
            about = _pairs(resource.resource.attributes, 0)
            for scope in resource.scope_spans:
                for span in scope.spans:
                    yield _from_message(span, about, scope.scope.name)


def _from_message(span: trace_pb2.Span, resource: Mapping[str, Json], scope: str) -> Telemetry:
    if not span.trace_id or not span.span_id:
        raise BadLog("one of its spans has no trace id or no span id")
    return Telemetry(
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex() if any(span.parent_span_id) else "",
        name=span.name,
        began=_seconds(span.start_time_unix_nano),
        ended=_seconds(span.end_time_unix_nano),
        attributes=_pairs(span.attributes, 0),
        events=[
            Event(event.name, _seconds(event.time_unix_nano), _pairs(event.attributes, 0)) for event in span.events
        ],
        failed=span.status.code == trace_pb2.Status.STATUS_CODE_ERROR,
        status=span.status.message,
        resource=resource,
        scope=scope,
    )


def _pairs(pairs: Iterable[KeyValue], depth: int) -> dict[str, Json]:
    return {pair.key: _any(pair.value, depth) for pair in pairs}


def _any(value: AnyValue, depth: int) -> Json:
    if depth > _DEEPEST:
        raise BadLog(f"an attribute is nested more than {_DEEPEST} levels deep")
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "int_value":
            return value.int_value
        case "double_value":
            return amount(value.double_value) or str(value.double_value)
        case "bytes_value":
            return base64.b64encode(value.bytes_value).decode()
        case "array_value":
            return [_any(one, depth + 1) for one in value.array_value.values]
        case "kvlist_value":
            return _pairs(value.kvlist_value.values, depth + 1)
    return None


IMPORTER = Importer(
    name="OpenTelemetry spans",
    looks="OTLP spans as JSON with resourceSpans, or as protobuf",
    recognise=recognise,
    read=read,
)
