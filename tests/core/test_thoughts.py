"""What was thought and not said, told apart from what was said."""

import json

import pytest

from outtake.core.glance import glance
from outtake.core.thoughts import told
from outtake_probe.records import Json

LEDGER = {"is_request_satisfied": {"reason": "Not yet.", "answer": False}, "next_speaker": {"answer": "Coder"}}
IN_WORDS = "- Is request satisfied: **no** · Not yet.\n- Next speaker: **Coder**"

CALLS: list[dict[str, Json]] = [{"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}]
SAID = 'look({"x": 1})'


def chunk(**delta: Json) -> Json:
    return {"choices": [{"delta": delta}]}


@pytest.mark.parametrize(
    ("body", "thought", "said"),
    [
        ("hello", "", "hello"),
        ({"content": "hello", "thought": "be kind"}, "be kind", "hello"),
        ({"type": "ThoughtEvent", "source": "a", "content": "be kind"}, "be kind", None),
        ({"message": {"type": "ThoughtEvent", "source": "a", "content": "be kind"}}, "be kind", None),
        ("<think>be kind</think>\nhello", "be kind", "hello"),
        ("<think>cut off", "cut off", None),
        ({"content": "<think>be kind</think>hello"}, "be kind", "hello"),
        ({"choices": [{"message": {"content": "hello", "reasoning_content": "be kind"}}]}, "be kind", "hello"),
        ({"content": "hello", "additional_kwargs": {"reasoning_content": "be kind"}}, "be kind", "hello"),
        (
            {"content": [{"type": "thinking", "thinking": "be kind"}, {"type": "text", "text": "hello"}]},
            "be kind",
            "hello",
        ),
        (
            {
                "object": "response",
                "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "be kind"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "hello"}]},
                ],
            },
            "be kind",
            "hello",
        ),
        ([chunk(reasoning_content="be "), chunk(reasoning_content="kind"), chunk(content="hello")], "be kind", "hello"),
        (
            [
                {"type": "message_start"},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "be kind"}},
                {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "hello"}},
            ],
            "be kind",
            "hello",
        ),
        ({"role": "assistant", "content": "hello", "thinking": "be kind"}, "be kind", "hello"),
        (
            [
                {"type": "response", "model_name": "m"},
                {"type": "part_start", "index": 0, "part": {"part_kind": "thinking", "content": "be "}},
                {"type": "part_delta", "index": 0, "delta": {"part_delta_kind": "thinking", "content_delta": "kind"}},
                "hel",
                "lo",
                {"type": "response", "model_name": "m"},
            ],
            "be kind",
            "hello",
        ),
        ({"content": "be kind", "tool_calls": CALLS}, "be kind", SAID),
        ({"content": "<think>be kind</think>", "tool_calls": CALLS}, "be kind", SAID),
        ({"content": "", "tool_calls": CALLS}, "", SAID),
        ({"choices": [{"message": {"content": "be kind", "tool_calls": CALLS}}]}, "be kind", SAID),
        (
            {
                "content": [
                    {"type": "text", "text": "be kind"},
                    {"type": "tool_use", "id": "c", "name": "look", "input": {"x": 1}},
                ]
            },
            "be kind",
            SAID,
        ),
        (
            {
                "object": "response",
                "output": [
                    {"type": "message", "content": [{"type": "output_text", "text": "be kind"}]},
                    {"type": "function_call", "name": "look", "arguments": '{"x": 1}'},
                ],
            },
            "be kind",
            SAID,
        ),
        ({"generations": [[{"message": {"content": "be kind", "tool_calls": CALLS}}]]}, "be kind", SAID),
        ([chunk(content="be "), chunk(content="kind"), chunk(tool_calls=[{"index": 0, **CALLS[0]}])], "be kind", SAID),
        ({"content": json.dumps(LEDGER)}, IN_WORDS, None),
        (f"Updated Ledger:\n{json.dumps(LEDGER, indent=2)}", IN_WORDS, None),
        (LEDGER, IN_WORDS, None),
        ({"messages": [{"role": "assistant", "content": "hello", "reasoning_content": "be kind"}]}, "", "hello"),
        ({"reasoning": {"effort": "high"}}, "", None),
    ],
)
def test_what_was_thought_is_not_what_was_said(body: Json, thought: str, said: str | None) -> None:
    found = told(body)
    assert (found.thought, found.said) == (thought, said)


def test_a_glance_shows_a_thought_where_nothing_was_said() -> None:
    seen = glance({"content": json.dumps(LEDGER)})
    assert (seen.form, seen.text, seen.thought) == ("thought", IN_WORDS, IN_WORDS)


@pytest.mark.parametrize(
    "body",
    [
        {"content": [{"id": "1", "name": "look", "arguments": "{}"}], "thought": "I look."},
        {"choices": [{"message": {"tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]}}]},
        {"content": [{"type": "tool_use", "name": "look", "input": {}}]},
    ],
)
def test_a_glance_counts_the_tool_calls_that_are_asked_for(body: Json) -> None:
    assert glance(body).calls == 1
