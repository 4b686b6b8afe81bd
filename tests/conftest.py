"""What holds for all tests: Ctrl-C reaches the programs that they start, no generated example has a time budget, and
which of them a process of several runs together.

A shell has what it runs in the background ignore Ctrl-C, and whatever that starts ignores it, too.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("outtake", parent=settings(), deadline=None)
settings.load_profile("outtake")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the tests, one takes a file of them, or a target's promises, as a whole.

    What takes long comes first, so that no process is left with it at the end.
    """
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: _LONG.index(item.path.name) if item.path.name in _LONG else len(_LONG))


_LONG: Sequence[str] = ("test_target_environments.py", "test_targets.py", "test_targets_logs.py")


def _group(item: pytest.Item) -> str:
    params = getattr(getattr(item, "callspec", None), "params", {})
    return str(params.get("target") or params.get("environment") or item.path)
