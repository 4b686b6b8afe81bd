"""Component paths: below the running component, and whether a call is the implementation of another one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from outtake_probe.calls import Frame, current
from outtake_probe.targets.toolkit.paths import child_path, is_inside


@contextmanager
def running(component: str, kind: str) -> Iterator[None]:
    token = current.set(Frame(0, None, (0,), component, None, kind=kind))
    try:
        yield
    finally:
        current.reset(token)


def test_a_component_is_below_the_running_one() -> None:
    with running("team/coder", "agent"):
        assert child_path("model") == "team/coder/model"


def test_at_the_top_and_inside_an_unnamed_component_a_path_is_the_name() -> None:
    assert child_path("model") == "model"
    with running("", "flow"):
        assert child_path("model") == "model"


@pytest.mark.parametrize(
    ("kind", "suffix", "expected"),
    [
        ("tool", "", True),
        ("tool", "/search", True),
        ("tool", "/arch", False),
        ("tool", "/code", False),
        ("model", "", False),
        ("model", "/search", False),
    ],
)
def test_only_the_innermost_invocation_counts(kind: str, suffix: str, expected: bool) -> None:
    with running("team/model", "model"), running("team/coder/tools/search", "tool"):
        assert is_inside(kind, suffix) is expected


def test_nothing_is_inside_where_nothing_runs() -> None:
    assert not is_inside("model")
