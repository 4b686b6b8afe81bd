"""`state`: a program says which object holds a state that its tools share."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

holders: dict[str, object] = {}
"""By the name of the state.  Of the process, as the decorators are: a program declares before any session is there."""


def state(name: str, holder: T) -> T:
    """Say that `holder` can save and load the state `name`; returns it.

    It offers ``save_state()`` and ``load_state(saved)``, as functions or as coroutines.  What is saved is JSON, bytes
    and paths of files or folders, which are saved with their content.  Raises `TypeError` for an object without them.
    """
    for method in ("save_state", "load_state"):
        if not callable(getattr(holder, method, None)):
            raise TypeError(f"{type(holder).__name__} cannot hold the state {name!r}: it has no {method}()")
    holders[name] = holder
    return holder
