"""What a crew's memory and knowledge are asked, and what a memory is told, as calls of tools.

Both keep what they know outside the process, where the next run finds it: a fork is given what the record holds, and
nothing is remembered twice.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any

from outtake_probe.calls import Call
from outtake_probe.codec import encode
from outtake_probe.targets.crewai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.boundary import Bound, Boundary, Method
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path

MEMORY = "crewai.memory.unified_memory"
KNOWLEDGE = "crewai.knowledge.knowledge"
_READS = ("recall", "query", "aquery")
_NAMES = {"_background_encode_batch": "remember_many", "aquery": "query"}


def install_memory(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap what is done with a memory; what is remembered in the background, there."""
    boundary = Boundary(lambda: shared.session, functools.partial(_use, shared, "memory"))
    return _install(patches, sys.modules[MEMORY].Memory, boundary, "recall", "remember", "_background_encode_batch")


def install_knowledge(shared: AdapterState, patches: Patches) -> list[str]:
    """Wrap the questions to a knowledge."""
    boundary = Boundary(lambda: shared.session, functools.partial(_use, shared, "knowledge"))
    return _install(patches, sys.modules[KNOWLEDGE].Knowledge, boundary, "query", "aquery")


def _install(patches: Patches, cls: type, boundary: Boundary, *names: str) -> list[str]:
    wraps = {name: boundary.acall if name.startswith("a") else boundary.call for name in names}
    lost = [name for name, wrap in wraps.items() if not patches.wrap(cls, name, wrap)]
    return [f"{cls.__name__} is not seen: {name} is not there" for name in lost]


def _use(shared: AdapterState, kind: str, method: Method, *args: Any, **kwargs: Any) -> Bound:
    bound = inspect.signature(method).bind(*args, **kwargs)
    (_, holder), *rest = bound.arguments.items()
    given = {name: encode(value) for name, value in rest}
    name = _NAMES.get(method.__name__, method.__name__)
    call = Call(
        "tool",
        child_path(f"{kind}/{name}"),
        given,
        type=type(holder).__name__,
        effects="read" if method.__name__ in _READS else "write",
        normalize=lambda current, value: merge_arguments(name, current, value),
        reaches=(),
    )
    return Bound(call, lambda new: ((holder,), new))
