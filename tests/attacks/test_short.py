"""Every attack in its short form: nothing gets through."""

from __future__ import annotations

import pytest

from attacks.__main__ import names, run


@pytest.mark.parametrize("name", names())
def test_nothing_gets_through(name: str) -> None:
    assert run(name, "short").failures == []
