"""A service on a fresh store, and small programs for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake.service.rpc_client import open_service
from outtake.service.service import Service


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    made = open_service(tmp_path / ".outtake")
    yield made
    made.close()
