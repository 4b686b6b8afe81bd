"""Traces stay here: the SDK's exporter to its vendor is off while a program is debugged.

The program's own trace processors, and exporters to anywhere else, go on.
"""

from __future__ import annotations

import functools
from typing import Any

from agents.tracing.processors import BackendSpanExporter

from outtake_probe.targets.openai_agents.adapter_state import AdapterState
from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.patches import Patches

_VENDOR = "https://api.openai.com/"
SAID = "traces are not sent to OpenAI while this is debugged; trace processors of the program's own go on"


def install(_adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Export nothing to the vendor's address."""

    def export(method: Method) -> Method:
        @functools.wraps(method)
        def kept(self: Any, items: Any) -> None:
            if not str(getattr(self, "endpoint", _VENDOR)).startswith(_VENDOR):
                method(self, items)

        return kept

    return [SAID] if patches.wrap(BackendSpanExporter, "export", export) else ["traces may be sent to OpenAI"]
