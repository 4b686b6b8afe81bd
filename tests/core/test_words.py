"""Bodies as a person reads them: whatever an adapter writes has an end, and says what was said."""

from __future__ import annotations

import pytest

from outtake.core import words
from outtake.core.glance import glance
from outtake_probe.records import Json

MESSAGE = {"$type": "message", "type": "ai", "content": "hello", "id": "lc_run--1"}
CALL = {"$type": "message", "type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"x": 1}, "id": "1"}]}
COMMAND = {"$type": "command", "update": {"n": 1}, "goto": [{"$type": "send", "node": "work", "arg": {"n": 2}}]}


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        (MESSAGE, {"type": "ai", "content": "hello", "id": "lc_run--1"}),
        (COMMAND, {"update": {"n": 1}, "goto": [{"node": "work", "arg": {"n": 2}}]}),
        ({"$type": "waiting", "interrupts": ["Right?"]}, {"interrupts": ["Right?"]}),
        ({"$type": "timedelta", "days": 1, "seconds": 2}, {"days": 1, "seconds": 2}),
        ({"$type": "bytes", "base64": "aGk="}, {"base64": "aGk="}),
        ({"$type": "int", "hex": "0xff"}, {"hex": "0xff"}),
        ({"$type": "class", "class": "a.b:C"}, "a.b:C"),
        ({"$type": "exception", "class": "builtins:ValueError", "message": "bad"}, "ValueError: bad"),
        ({"$type": "dict", "items": [[1, "a"], ["b", {"$type": "path", "value": "x"}]]}, {"1": "a", "b": "x"}),
        ({"$type": "opaque"}, "opaque"),
    ],
    ids=lambda value: str(value.get("$type")) if isinstance(value, dict) and "$type" in value else "",
)
def test_a_tagged_value_is_plain_json_without_its_tag(body: Json, plain: Json) -> None:
    assert words.untyped(body) == plain
    for held in (body, {"in": body}, [body, [body]]):
        told = (
            words.outline(held),
            words.readable(held),
            words.arguments(held),
            words.as_json(held),
            glance(held).text,
        )
        assert not [text for text in told if "$type" in text]


def _chunk(**delta: Json) -> Json:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def _called(index: int, arguments: str, **named: str) -> Json:
    return _chunk(tool_calls=[{"index": index, "function": {"arguments": arguments, **named}}])


RESPONSE = {
    "object": "response",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "hello there"}]}],
}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (MESSAGE, "hello"),
        (CALL, 'look({"x": 1})'),
        ({"messages": [MESSAGE, CALL]}, 'look({"x": 1})'),
        ({"generations": [MESSAGE], "llm_output": {"model_name": "m"}}, "hello"),
        ({"generations": [{"message": CALL, "generation_info": {"finish_reason": "stop"}}]}, 'look({"x": 1})'),
        ({"generations": [["one"], ["two"]], "llm_output": {}}, "one\ntwo"),
        ({"generations": [[{"$type": "model", "class": "a:Generation", "fields": {"text": "one"}}]]}, "one"),
        ([_chunk(role="assistant", content=""), _chunk(content="hello "), _chunk(content="there")], "hello there"),
        ([_called(0, "", name="look"), _called(0, '{"x"'), _called(0, ": 1}")], 'look({"x": 1})'),
        (RESPONSE, "hello there"),
        ([{"type": "response.created"}, {"type": "response.completed", "response": RESPONSE}], "hello there"),
        ([{"type": "response.output_text.delta", "delta": part} for part in ("hello ", "there")], "hello there"),
        (
            [
                {"type": "message_start", "message": {"content": []}},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello "}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "there"}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            ],
            "hello there",
        ),
        (
            [
                {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "look"}},
                {"type": "content_block_delta", "index": 0, "delta": {"partial_json": '{"x": 1}'}},
            ],
            'look({"x": 1})',
        ),
        (["hello ", {"$type": "message", "type": "AIMessageChunk", "content": "there"}], "hello there"),
        ({"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url"}]}, "one"),
    ],
)
def test_an_answer_says_its_text_or_its_calls_in_any_librarys_form(body: Json, said: str) -> None:
    assert words.said(body) == said
    assert words.readable(body) == said


def test_a_divergence_tells_the_programs_own_error_first() -> None:
    cause = {"$type": "exception", "class": "openai:OpenAIError", "message": "no key"}
    told = words.error_line({"difference": "record 5 (main): recorded x; asked y", "cause": cause})
    assert told.startswith("OpenAIError: no key (the program departs from its record: record 5")
