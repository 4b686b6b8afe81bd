"""What is put in place when which part of LlamaIndex has been imported."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from workflows.context.internal_context import InternalContext

from outtake_probe.targets.llamaindex import fingerprints, runtime, settings, spans
from outtake_probe.targets.llamaindex.adapter_state import AdapterState
from outtake_probe.targets.llamaindex.steps import running
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


def _workflows(adapter_state: AdapterState, patches: Patches) -> Sequence[str]:
    runtime.install(adapter_state, patches)
    patches.wrap(InternalContext, "collect_events", _collect)
    return spans.install(adapter_state, patches)


def _collect(method: Any) -> Any:
    """What a step collects is known once it has asked."""

    @functools.wraps(method)
    def collect_events(self: Any, ev: Any, expected: Any, buffer_id: str | None = None) -> Any:
        result = method(self, ev, expected, buffer_id)
        here = running.get()
        if here is not None and here.invocation is not None and expected:
            here.invocation.collected(buffer_id or "default", expected, result)
        return result

    return collect_events


def _core(adapter_state: AdapterState, patches: Patches) -> Sequence[str]:
    """llama-index-core is imported only by programs that use it."""
    core = importlib.import_module("outtake_probe.targets.llamaindex.core")
    fingerprints.constants[:] = [(cls, settings.of_component) for cls in core.PARTS]
    fingerprints.unfit[:] = core.UNFIT
    core.install(adapter_state, patches)
    return []


SEAMS = (
    Seam("workflows", "Workflow", _workflows),
    Seam("llama_index.core", "global_tokenizer", _core),  # which it has once its import is as good as done
)
