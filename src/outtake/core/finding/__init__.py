"""Programs that could be run, found in source files by their syntax alone: nothing is imported, nothing executed."""

from outtake.core.finding.found import Found, Kind
from outtake.core.finding.modules import Module
from outtake.core.finding.ranking import offered

__all__ = ["Found", "Kind", "Module", "offered"]
