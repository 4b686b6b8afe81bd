"""OpenTelemetry spans as calls: JSON and protobuf, the GenAI conventions and OpenInference."""

from __future__ import annotations

import json

import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from outtake.importers import BadLog
from outtake_probe.records import Json
from tests.importers.reading import bodies, calls, found, guesses, outline, recorded, sample

OTLP: Json = json.loads(sample("otlp.json"))


def as_protobuf(document: Json) -> bytes:
    """The same spans as protobuf, whose JSON has ids in base64 where OTLP has them in hexadecimal."""
    message = TracesData()
    held = json.loads(json.dumps(document))
    for resource in held["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            ids = [{k: span.pop(k) for k in ("traceId", "spanId", "parentSpanId")} for span in scope["spans"]]
            scope["ids"] = ids
    all_ids = [one for r in held["resourceSpans"] for s in r["scopeSpans"] for one in s.pop("ids")]
    Parse(json.dumps(held), message)
    spans = [span for r in message.resource_spans for s in r.scope_spans for span in s.spans]
    for span, one in zip(spans, all_ids, strict=True):
        span.trace_id, span.span_id = bytes.fromhex(one["traceId"]), bytes.fromhex(one["spanId"])
        span.parent_span_id = bytes.fromhex(one["parentSpanId"])
    return bytes(message.SerializeToString())


def framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


SAME = [
    sample("otlp.json"),
    json.dumps(OTLP).encode() + b"\n",
    as_protobuf(OTLP),
    framed(as_protobuf(OTLP)),
]


@pytest.mark.parametrize("data", SAME)
def test_spans_are_calls_inside_calls(data: bytes) -> None:
    what = found(data)
    (made,) = recorded(what)
    assert what.importer.name == "OpenTelemetry spans"
    assert outline(made) == [
        "agent of planner",
        "model of planner/chat gpt-4o in planner",
        "end of planner/chat gpt-4o in planner",
        "tool of planner/tools/weather in planner",
        "failed planner/tools/weather in planner",
        "end of planner",
    ]
    (model,) = calls(made, "model")
    assert model["type"] == "chat.completions"
    assert model["input"]["model"] == "gpt-4o"
    assert model["input"]["temperature"] == 0.5
    assert model["input"]["messages"] == [
        {"role": "system", "content": "You plan trips."},
        {"role": "user", "content": "Is it warm in Lisbon?"},
    ]
    assert model["input"]["tools"][0]["function"]["name"] == "weather"
    (choice,) = model["output"]["choices"]
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Lisbon"}'}
    assert (choice["finish_reason"], model["tokens"], model["seconds"]) == ("tool_calls", (12, 7), 1.5)
    (tool,) = calls(made, "tool")
    assert tool["input"] == {"city": "Lisbon"}
    assert tool["output"] == {"$type": "exception", "class": "log:ConnectionError", "message": "no network"}
    (log,) = what.logs
    assert (log.input, log.output, log.told["service"]) == ("Is it warm in Lisbon?", "I could not find out.", "trips")
    assert made.timed
    assert (made.records[0]["at"], made.records[-1]["at"]) == (1700000000.0, 1700000003.0)
    assert guesses(what) == []


def span(id: str, parent: str = "", **says: Json) -> Json:
    pairs = [{"key": key, "value": value} for key, value in says.items()]
    return {"traceId": "a" * 32, "spanId": id * 16, "parentSpanId": parent * 16, "name": f"s{id}", "attributes": pairs}


def file_of(*spans: Json) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def said(value: Json) -> Json:
    return {"intValue": value} if isinstance(value, int) else {"stringValue": value}


def test_openinference_spans_are_read() -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4o",
        "llm.invocation_parameters": '{"temperature": 0}',
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Is it warm?",
        "llm.input_messages.1.message.role": "tool",
        "llm.input_messages.1.message.tool_call_id": "c0",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "24",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city": "Rome"}',
        "llm.tools.0.tool.json_schema": '{"type": "function", "function": {"name": "weather"}}',
        "llm.token_count.prompt": 5,
        "llm.token_count.completion": 2,
        "session.id": "s-1",
    }
    holder = span("1", **{"openinference.span.kind": said("CHAIN"), "input.value": said('{"q": 1}')})
    what = found(file_of(holder, span("2", "1", **{k: said(v) for k, v in attributes.items()})))
    (made,) = recorded(what)
    assert outline(made) == ["step of s1", "model of s1/s2 in s1"]
    (model,) = calls(made, "model")
    assert model["input"] == {
        "temperature": 0,
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": "Is it warm?"},
            {"role": "tool", "content": "24", "tool_call_id": "c0"},
        ],
        "tools": [{"type": "function", "function": {"name": "weather"}}],
    }
    assert what.logs[0].told["session"] == "s-1"
    assert (what.logs[0].input, made.timed) == ({"q": 1}, False)


def test_openllmetry_and_events_of_older_conventions_are_read() -> None:
    older = span("1", **{"gen_ai.request.model": said("m"), "gen_ai.operation.name": said("chat")})
    older |= {"startTimeUnixNano": 1700000000000000000, "endTimeUnixNano": 1700000001000000000}
    older["events"] = [
        {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": said("Hi")}]},
        {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": said('{"content": "Hello"}')}]},
    ]
    numbered = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Hello",
        "gen_ai.request.model": "m",
        "llm.request.functions.0.name": "weather",
        "gen_ai.usage.prompt_tokens": 3,
    }
    other = span("2", **{k: said(v) for k, v in numbered.items()})
    other |= {"startTimeUnixNano": 1700000002000000000, "endTimeUnixNano": 1700000003000000000}
    (made,) = recorded(found(file_of(older, other)))
    first, second = calls(made, "model")
    for one in (first, second):
        assert one["input"]["messages"] == [{"role": "user", "content": "Hi"}]
        assert one["output"]["choices"][0]["message"] == {"role": "assistant", "content": "Hello"}
    assert second["input"]["tools"][0]["function"] == {"name": "weather"}
    assert second["tokens"] == (3, 0)


def test_what_spans_do_not_say_is_guessed_and_said() -> None:
    what = found(file_of(span("1", "9"), span("2", "3"), span("3", "2"), span("3", "1")))
    (made,) = recorded(what)
    assert sorted(outline(made)) == ["step of s1", "step of s1/s3 in s1", "step of s1/s3/s2 in s1/s3"]
    assert any("spans whose parent is not in the file" in guess for guess in guesses(what))
    assert any("same id" in guess for guess in guesses(what))
    assert any("became steps (4 of 4)" in guess for guess in guesses(what))
    assert bodies(made)


def test_a_circle_of_spans_is_read() -> None:
    (made,) = recorded(found(file_of(span("2", "3"), span("3", "2"))))
    assert outline(made) == ["step of s2", "step of s2/s3 in s2"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (file_of({"name": "x"}), "no traceId"),
        (file_of(), "no spans"),
        (
            file_of(*({**span("1"), "spanId": f"{n:016x}", "parentSpanId": f"{n - 1:016x}"} for n in range(1, 500))),
            "nested",
        ),
    ],
)
def test_a_damaged_file_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(BadLog, match=told):
        recorded(found(data))
