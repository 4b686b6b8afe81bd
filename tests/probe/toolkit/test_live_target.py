"""Live targets: a target without a queue refuses every command for queued messages, with its reason."""

from __future__ import annotations

import pytest

from outtake_probe.session import BadValue
from outtake_probe.targets.toolkit.live_target import WithoutQueue


class Graph(WithoutQueue):
    no_queue = "a graph has no queue"


def test_every_command_for_a_queued_message_is_refused() -> None:
    target = Graph()
    with pytest.raises(BadValue, match="a graph has no queue"):
        target.normalize(3, "text")
    with pytest.raises(BadValue, match="a graph has no queue"):
        target.replace(3, "text")
    with pytest.raises(BadValue, match="a graph has no queue"):
        target.drop(3)
    with pytest.raises(BadValue, match="a graph has no queue"):
        target.move(3, None)
