"""Seams: places in a framework's modules where an adapter puts its hooks, once they have been imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from outtake_probe.targets.toolkit.patches import Patches

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Seam(Generic[State]):
    """A place in a framework's module where hooks are put once it has been imported."""

    module: str
    needed: str
    """An attribute without which the hooks cannot be put; defined late, where the module is imported in a circle."""
    hook: Callable[[State, Patches], Sequence[str]]
    """Puts the hooks; returns, in words, what is lost where this version lacks something."""
    required: bool = False
    """Wait for the attribute for ever.  Otherwise the hook is called, too, for a module that has it not at its end."""

    @property
    def is_ready(self) -> bool:
        """Whether the module has what is needed, or never will.

        Adapters look while imports are under way, when a module may be there without what is defined at its end.
        """
        module = sys.modules.get(self.module)
        if module is None or hasattr(module, self.needed):
            return module is not None
        return not self.required and not getattr(getattr(module, "__spec__", None), "_initializing", False)


def deferred(module: str, function: str) -> Callable[[Any, Patches], Sequence[str]]:
    """A hook in a part of the adapter that is imported when it is put: the part imports more of the framework."""

    def hook(state: Any, patches: Patches) -> Sequence[str]:
        found: Sequence[str] = getattr(importlib.import_module(module), function)(state, patches)
        return found

    return hook
