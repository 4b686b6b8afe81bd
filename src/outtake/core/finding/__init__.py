"""Programs that could be run, found in source files by their syntax alone: nothing is imported, nothing executed."""

from outtake.core.finding.found import FoundProgram, Kind
from outtake.core.finding.modules import Module
from outtake.core.finding.ranking import offered

__all__ = ["FoundProgram", "Kind", "Module", "offered"]
