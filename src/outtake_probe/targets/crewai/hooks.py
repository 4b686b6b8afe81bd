"""What is put in place once CrewAI has been imported."""

from __future__ import annotations

from collections.abc import Sequence

from outtake_probe.targets.crewai import crews, flows, human, memory, models, timeouts, tools
from outtake_probe.targets.crewai.adapter_state import AdapterState
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


def _install(shared: AdapterState, patches: Patches) -> Sequence[str]:
    lost = [
        *models.install(shared, patches),
        *tools.install(shared, patches),
        *crews.install(shared, patches),
    ]
    lost += [*flows.install(shared, patches), *timeouts.install(shared.session, patches)]
    shared.files.watch(patches)
    return [*lost, *human.install(patches)]


SEAMS = (
    Seam("crewai", "__version__", _install, required=True),
    Seam(memory.MEMORY, "Memory", memory.install_memory, required=True),
    Seam(memory.KNOWLEDGE, "Knowledge", memory.install_knowledge, required=True),
)
