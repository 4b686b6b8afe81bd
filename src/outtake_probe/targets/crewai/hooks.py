"""What is put in place once CrewAI has been imported."""

from __future__ import annotations

from collections.abc import Sequence

from outtake_probe.targets.crewai import crews, flows, human, models, timeouts, tools
from outtake_probe.targets.crewai.hub import Hub
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam


def _install(hub: Hub, patches: Patches) -> Sequence[str]:
    lost = [*models.install(hub, patches), *tools.install(hub, patches), *crews.install(hub, patches)]
    lost += [*flows.install(hub, patches), *timeouts.install(hub.session, patches)]
    hub.files.watch(patches)
    return [*lost, *human.install(patches)]


SEAMS = (Seam("crewai", "__version__", _install, required=True),)
