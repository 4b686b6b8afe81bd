"""Component paths of calls, from the invocation that the running code belongs to."""

from __future__ import annotations

from outtake_probe.calls import current


def child_path(name: str) -> str:
    """The path of a component called `name` that the running component uses; at the top, the name itself."""
    frame = current.get()
    return f"{frame.component}/{name}" if frame is not None and frame.component else name


def is_inside(kind: str, suffix: str = "") -> bool:
    """Whether the innermost invocation is of this kind, and its component path ends with `suffix`.

    Implementations call each other (a chat client calls another client, a workbench calls a tool).  A wrapper asks this
    first, so that only the outermost call is recorded.
    """
    frame = current.get()
    return frame is not None and frame.kind == kind and frame.component.endswith(suffix)
