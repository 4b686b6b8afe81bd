"""A store that can only be read: every question is answered, every command refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from outtake.service.errors import Conflict
from outtake.service.methods import asks, local
from outtake.service.service import METHODS, Service
from outtake.store import Store


class ReadOnlyService(Service):
    """The service of a store that this process cannot own.  Raises `StoreError` where it cannot be read either."""

    def __init__(self, folder: Path, reason: str) -> None:
        folder = folder.absolute()
        self._reason = reason
        self._keep(folder, Store(folder, writable=False))

    @local
    def announce(self, **fields: str) -> None:
        """Nobody else is told: it is not owned."""

    @local
    def close(self) -> list[str]:
        """Give the file up."""
        self.store.close()
        return []


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refused(self: ReadOnlyService, *_: Any, **__: Any) -> NoReturn:
        raise Conflict(
            f"{self.folder} can only be read ({self._reason}), so {name.strip('_').replace('_', ' ')} is not possible; "
            "name another --store, or copy the folder to where you may write"
        )

    return refused


for _name, _method in METHODS.items():
    if not asks(_method):
        setattr(ReadOnlyService, _name, _refusing(_name))
