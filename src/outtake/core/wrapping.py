"""A function that is both the run and an agent, step or task of it: two invocations in the log, one call."""

from __future__ import annotations


def is_same_call(around: tuple[str, str], inside: tuple[str, str]) -> bool:
    """Whether an invocation directly inside a flow is the same call as the flow; each is its kind and its component."""
    return around[0] == "flow" and inside[0] != "flow" and around[1] == inside[1]
