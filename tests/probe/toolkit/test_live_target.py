"""Live targets: what a framework does not have is refused with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.live_target import LiveTarget


class Graph(LiveTarget):
    no_queue = "a graph has no queue"

    def graph(self) -> Mapping[str, Json]:
        return {"components": [{"path": "graph"}], "edges": []}


QUEUE: list[Callable[[LiveTarget], object]] = [
    lambda target: target.normalize(3, "text"),
    lambda target: target.replace(3, "text"),
    lambda target: target.drop(3),
    lambda target: target.move(3, None),
]


@pytest.mark.parametrize("command", QUEUE)
def test_every_command_for_a_queued_message_is_refused(command: Callable[[LiveTarget], object]) -> None:
    with pytest.raises(BadValue, match="a graph has no queue"):
        command(Graph(()))


def test_messages_and_settings_are_refused() -> None:
    with pytest.raises(BadValue, match="takes no messages"):
        Graph(()).send("graph", "", "text")
    with pytest.raises(BadValue, match="has no settings"):
        Graph(()).configure("graph", "limit", 3)


def test_commands_are_carried_out_at_once_where_no_loop_is_named() -> None:
    assert Graph(()).perform(lambda: "done") == "done"


def test_it_is_described_with_what_has_come_to_be_missing() -> None:
    missing: list[str] = []
    target = Graph(("edit",), missing)
    missing.append("steps are not seen")
    told = {"components": [{"path": "graph"}], "edges": [], "missing": ["steps are not seen"], "capabilities": ["edit"]}
    assert target.describe() == told
