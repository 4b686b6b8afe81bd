"""Growing prompts: what is converted anew, and that the result is what converting everything gives."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.bodies import Bodies
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.conversations import ComparedConversations, Conversation, follow


class Texts:
    """A snapshot of messages that are lists of texts, which can be changed in place."""

    def __init__(self, messages: list[list[str]]) -> None:
        self.held = [list(message) for message in messages]

    def begins_with(self, before: Texts) -> bool:
        return self.held[: len(before.held)] == before.held


class Program:
    """Asks a model again and again, and counts what is converted."""

    def __init__(self) -> None:
        self.converted: list[Json] = []
        self.last: Conversation[Texts] | None = None

    def ask(self, messages: list[list[str]], *, comparable: bool = True) -> list[Json]:
        self.converted.clear()
        self.last = follow(self.last, messages, Texts(messages) if comparable else None, self._convert)
        return self.last.parts

    def _convert(self, message: list[str]) -> Json:
        shown = {"content": " ".join(message)}
        self.converted.append(shown)
        return shown


A, B, C = {"content": "a"}, {"content": "b"}, {"content": "c"}


def test_only_the_new_messages_are_converted() -> None:
    program = Program()
    assert program.ask([["a"], ["b"]]) == program.converted == [A, B]
    assert program.ask([["a"], ["b"], ["c"]]) == [A, B, C]
    assert program.converted == [C]


def test_the_same_prompt_again_costs_nothing() -> None:
    program = Program()
    first = program.ask([["a"], ["b"]])
    assert program.ask([["a"], ["b"]]) is first
    assert program.converted == []


def test_a_prompt_that_is_another_one_is_converted_as_a_whole() -> None:
    program = Program()
    program.ask([["a"], ["b"]])
    assert program.ask([["a"]]) == program.converted == [A]
    assert program.ask([["b"], ["c"]]) == program.converted == [B, C]


def test_a_message_that_was_changed_in_place_is_seen() -> None:
    program, messages = Program(), [["a"], ["b"]]
    program.ask(messages)
    messages[0][0] = "c"
    assert program.ask([*messages, ["a"]]) == program.converted == [C, B, A]


def test_what_cannot_be_compared_is_converted_each_time() -> None:
    program = Program()
    program.ask([["a"]], comparable=False)
    assert program.ask([["a"], ["b"]]) == program.converted == [A, B]
    program.ask([["a"], ["b"]], comparable=False)
    assert program.converted == [A, B]


@given(st.lists(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=2), max_size=6), max_size=6))
def test_whatever_is_asked_the_body_is_that_of_the_whole_prompt(prompts: list[list[list[str]]]) -> None:
    program, bodies = Program(), Bodies()
    for messages in prompts:
        parts = program.ask(messages)
        whole = [{"content": " ".join(message)} for message in messages]
        assert parts == whole
        assert bodies.put(parts) == Bodies().put(whole)


def test_ids_are_numbered_in_what_is_compared_and_only_new_messages_are_converted() -> None:
    shown: list[Json] = []

    def show(message: Json) -> Json:
        shown.append(message)
        return message

    def compare(message: Json, number: Callable[[str], int]) -> Json:
        return {**message, "id": number(message["id"])}

    told = [ComparedConversations(show, compare) for _ in range(2)]
    ids = [["a", "b", "a", "c"], ["x", "y", "x", "z"]]
    for length in (2, 4):
        (_, one), (_, other) = (
            each.follow("ann/model", [{"id": name} for name in names[:length]])
            for each, names in zip(told, ids, strict=True)
        )
        assert list(one) == list(other) == [{"id": n} for n in (1, 2, 1, 3)[:length]]
    assert len(shown) == 2 * 2 * 4  # for each of both, as it is shown and as it is compared, each message once
    changed = [{"id": "b"}, {"id": "a"}]
    assert list(told[0].follow("ann/model", changed)[1]) == [{"id": 1}, {"id": 2}]
    changed[0]["id"] = "q"  # in place
    assert list(told[0].follow("ann/model", changed)[0]) == [{"id": "q"}, {"id": "a"}]
