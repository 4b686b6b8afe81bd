"""Traces stay here: nothing is collected for the SDK's vendor while a program is debugged.

The program's own trace processors, and exporters to anywhere else, go on.
"""

from __future__ import annotations

import functools
from typing import Any

from agents.tracing.processors import BackendSpanExporter, BatchTraceProcessor

from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.patches import Patches

_VENDOR = "https://api.openai.com/"
_NOTICE = "traces are not sent to OpenAI while this is debugged; trace processors of the program's own go on"


def install(_adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Collect nothing in the processor that sends to the vendor's address."""
    wrapped = [patches.wrap(BatchTraceProcessor, name, _collect) for name in ("on_trace_start", "on_span_end")]
    return [_NOTICE if all(wrapped) else "traces may be sent to OpenAI: BatchTraceProcessor has other methods"]


def _collect(method: Method) -> Method:
    @functools.wraps(method)
    def collect(self: Any, item: Any) -> None:
        exporter = getattr(self, "_exporter", None)
        if not isinstance(exporter, BackendSpanExporter) or not exporter.endpoint.startswith(_VENDOR):
            method(self, item)

    return collect
