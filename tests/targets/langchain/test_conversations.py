"""Conversations that grow and change: what is shown is always what the messages say now."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("langchain_core")

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from outtake_probe.bodies import Bodies, Part
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.langchain import conversations
from outtake_probe.targets.langchain.conversations import Transcript, conversation
from outtake_probe.targets.langchain.messages import part, slim
from outtake_probe.targets.toolkit.patches import Patches

Talk = list[BaseMessage]


@pytest.fixture
def watched() -> Iterator[None]:
    patches = Patches()
    conversations.install(Session(Bodies()), patches)
    yield
    patches.undo()


MADE: list[Callable[[], BaseMessage]] = [
    lambda: HumanMessage("hi"),
    lambda: AIMessage("hello", id="a"),
    lambda: SystemMessage("be brief"),
    lambda: ToolMessage("seen", tool_call_id="c", artifact={"rows": [1]}),
    lambda: ToolMessage("seen", tool_call_id="c", artifact=object()),
    lambda: AIMessage("", tool_calls=[{"name": "look", "args": {"at": [1]}, "id": "c"}]),
    lambda: HumanMessage([{"type": "text", "text": "look"}]),
]


def say_more(message: BaseMessage) -> None:
    if isinstance(message.content, list):
        message.content.append("more")
    else:
        message.content += "more"


def name(message: BaseMessage) -> None:
    message.name = "ann"


def call(message: BaseMessage) -> None:
    if isinstance(message, AIMessage):
        message.tool_calls = [{"name": "look", "args": {}, "id": "d"}]


def note(message: BaseMessage) -> None:
    message.additional_kwargs["noted"] = True


def identify(message: BaseMessage) -> None:
    message.id = "new"


CHANGES: list[Callable[[BaseMessage], None]] = [say_more, name, call, note, identify]
DONE = ["add", "add", "change", "drop", "replace", "nothing"]
Step = tuple[str, int, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "change", "drop", "replace", "nothing"]), st.integers(0, 50), st.integers(0, 50)
    ),
    max_size=25,
)


def apply(talk: Talk, step: Step) -> None:
    what, where, which = step
    if what == "add":
        talk.append(MADE[which % len(MADE)]())
    elif talk and what == "change":
        CHANGES[which % len(CHANGES)](talk[where % len(talk)])
    elif talk and what == "drop":
        del talk[where % len(talk)]
    elif talk and what == "replace":
        talk[where % len(talk)] = MADE[which % len(MADE)]()


def shown(said: Transcript) -> list[Json]:
    return [part.make() if isinstance(part, Part) else part for part in said.parts]


@pytest.mark.usefixtures("watched")
@settings(max_examples=200, deadline=None, derandomize=True)
@given(steps=steps)
def test_what_is_shown_is_what_is_said(steps: list[Step]) -> None:
    talk: Talk = []
    last: Transcript | None = None
    bodies = Bodies()
    for step in steps:
        apply(talk, step)
        said = conversation(talk, last)
        if said is None:
            assert not talk
            continue
        assert shown(said) == [slim(message) for message in talk]
        assert bodies.put(said.parts) == Bodies().put([slim(message) for message in talk])
        last = said


def test_it_is_so_where_assignments_cannot_be_watched() -> None:
    talk: Talk = [HumanMessage("one"), HumanMessage("two")]
    said = conversation(talk, None)
    talk[0].content = "three"
    again = conversation(talk, said)
    assert again is not None
    assert shown(again)[0] == slim(talk[0])


@pytest.mark.usefixtures("watched")
def test_only_what_is_new_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[BaseMessage] = []

    def counted(message: BaseMessage) -> Json:
        made.append(message)
        return part(message)

    monkeypatch.setattr(conversations, "part", counted)
    talk: Talk = [HumanMessage(str(n)) for n in range(100)]
    said = conversation(talk, None)
    assert conversation(list(talk), said) is said
    talk.append(AIMessage("new"))
    talk[-1].id = "1"
    assert conversation(talk, said) is not None
    assert len(made) == 101
