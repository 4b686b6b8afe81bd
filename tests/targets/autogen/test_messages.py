"""Messages as JSON and back: readable, complete, the same in every run, and changed in part where an edit says part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("autogen_core")

from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.messages import (
    HandoffMessage,
    MultiModalMessage,
    StopMessage,
    StructuredMessage,
    TextMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)
from autogen_agentchat.teams._group_chat._events import (
    GroupChatAgentResponse,
    GroupChatError,
    GroupChatMessage,
    GroupChatRequestPublish,
    GroupChatStart,
    GroupChatTeamResponse,
    GroupChatTermination,
    SerializableException,
)
from autogen_core import FunctionCall, Image
from autogen_core.models import FunctionExecutionResult, RequestUsage, UserMessage
from pydantic import BaseModel

from outtake_probe.bodies import Bodies, resolve
from outtake_probe.commands import BadValue
from outtake_probe.targets.autogen import messages

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="


class Plan(BaseModel):
    steps: list[str]
    budget: float = 1.0


@dataclass
class Inner:
    name: str


@dataclass
class Outer:
    count: int
    inner: Inner
    names: list[str] = field(default_factory=list)
    one: Inner | None = None


class Order(BaseModel):
    text: str
    plan: Plan | None = None


def said(text: str = "hello") -> TextMessage:
    return TextMessage(content=text, source="ann", models_usage=RequestUsage(3, 4), metadata={"k": "v"})


MESSAGES: list[Any] = [
    said(),
    StopMessage(content="stop", source="ann"),
    HandoffMessage(content="over", source="ann", target="bob", context=[UserMessage(content="x", source="u")]),
    MultiModalMessage(content=["look", Image.from_base64(PIXEL)], source="user"),
    StructuredMessage[Plan](content=Plan(steps=["a", "b"]), source="ann"),
    ThoughtEvent(content="hm", source="ann"),
    ToolCallRequestEvent(content=[FunctionCall(id="1", name="f", arguments="{}")], source="ann"),
    ToolCallExecutionEvent(
        content=[FunctionExecutionResult(content="r", name="f", call_id="1", is_error=False)], source="ann"
    ),
    GroupChatStart(messages=[said(), said("two")]),
    GroupChatStart(),
    GroupChatRequestPublish(),
    GroupChatMessage(message=ThoughtEvent(content="hm", source="ann")),
    GroupChatAgentResponse(
        response=Response(chat_message=said(), inner_messages=[ThoughtEvent(content="hm", source="ann")]), name="ann"
    ),
    GroupChatTeamResponse(result=TaskResult(messages=[said()], stop_reason="done"), name="desk"),
    GroupChatTermination(message=StopMessage(content="stop", source="manager")),
    GroupChatError(error=SerializableException(error_type="E", error_message="m", traceback="File x, line 1")),
    Order(text="buy", plan=Plan(steps=[])),
    Outer(2, Inner("x"), ["a"], Inner("y")),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: type(m).__name__)
def test_a_message_comes_back(message: Any) -> None:
    shown = messages.plain(message)
    made = messages.build(type(message), shown)
    assert type(made) is type(message)
    assert messages.plain(made) == shown
    bodies = Bodies()
    name = bodies.put(messages.body(message))
    assert resolve(name, dict(bodies.take()).__getitem__) == shown
    assert messages.normalize(message, {}) == shown


def test_the_form_is_short_and_the_same_in_every_run() -> None:
    one = GroupChatAgentResponse(response=Response(chat_message=TextMessage(content="x", source="ann")), name="ann")
    other = GroupChatAgentResponse(response=Response(chat_message=TextMessage(content="x", source="ann")), name="ann")
    assert messages.plain(one) == messages.plain(other)
    assert messages.plain(one)["response"]["chat_message"] == {"type": "TextMessage", "source": "ann", "content": "x"}
    assert list(messages.plain(said())) == ["type", "source", "content", "models_usage", "metadata"]


@pytest.mark.parametrize("value", ["new", {"content": "new"}, {"message": {"content": "new"}}])
def test_a_part_of_a_value_changes_that_part(value: Any) -> None:
    now = GroupChatMessage(message=said())
    assert messages.normalize(now, value) == {"message": {**messages.plain(said()), "content": "new"}}


def test_a_text_is_the_text_of_the_last_message() -> None:
    start = messages.normalize(GroupChatStart(messages=[said("one"), said("two")]), "new")
    assert [m["content"] for m in start["messages"]] == ["one", "new"]
    assert messages.normalize(GroupChatStart(), "first")["messages"][0]["content"] == "first"
    team = GroupChatTeamResponse(result=TaskResult(messages=[said()]), name="desk")
    assert messages.normalize(team, "new")["result"]["messages"][0]["content"] == "new"
    assert messages.normalize(Order(text="buy"), {"text": "sell"})["text"] == "sell"
    assert messages.normalize(Inner("x"), "y") == {"name": "y"}


@pytest.mark.parametrize(
    ("message", "value", "reason"),
    [
        (GroupChatRequestPublish(), {"content": "x"}, "has no field 'content'"),
        (GroupChatMessage(message=said()), {"content": ["x"]}, "content"),
        (
            GroupChatMessage(message=said()),
            {"type": "Nothing"},
            "unknown type of message 'Nothing'; known: .*TextMessage",
        ),
        (said(), {"source": None}, "source"),
        (Order(text="x"), {"plan": {"steps": "none"}}, "steps"),
        (Outer(1, Inner("x")), {"count": "many"}, "count"),
        (Outer(1, Inner("x")), "text", "is no text: give an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_schema(message: Any, value: Any, reason: str) -> None:
    with pytest.raises(BadValue, match=reason) as refused:
        messages.normalize(message, value)
    assert refused.value.schema["title"] == type(message).__name__


def test_an_edit_changes_the_object_that_others_hold() -> None:
    shared = said()
    response = GroupChatAgentResponse(response=Response(chat_message=shared), name="ann")
    log = GroupChatMessage(message=shared)
    assert messages.apply(response, messages.normalize(response, {"content": "new"})) is response
    assert log.message is shared
    assert (shared.content, shared.metadata) == ("new", {"k": "v"})


def test_an_edit_of_a_routed_agent_s_message_leaves_the_sender_s_alone() -> None:
    sent = Outer(1, Inner("x"))
    changed = messages.apply(sent, messages.normalize(sent, {"count": 2, "inner": {"name": "z"}}))
    assert (changed, sent) == (Outer(2, Inner("z")), Outer(1, Inner("x")))


def test_a_message_may_become_another_kind_of_message() -> None:
    shared: Any = said()
    identity = shared.id
    response = GroupChatAgentResponse(response=Response(chat_message=shared), name="ann")
    messages.apply(response, messages.normalize(response, {"type": "StopMessage", "content": "enough"}))
    assert isinstance(shared, StopMessage)
    assert (shared.id, shared.content, shared.source) == (identity, "enough", "ann")
