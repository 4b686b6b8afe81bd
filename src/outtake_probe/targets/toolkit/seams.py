"""Seams: places of a framework's modules where an adapter puts its hooks, once they have been imported."""

from __future__ import annotations

import sys


def is_ready(module: str, needed: str) -> bool:
    """Whether an imported module has the attribute that its hook needs, or will never have it.

    Adapters look while imports are under way, when a module may be there without what is defined at its end.
    """
    found = sys.modules[module]
    return hasattr(found, needed) or not getattr(getattr(found, "__spec__", None), "_initializing", False)
