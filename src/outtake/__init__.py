"""Outtake, the debugger for agent teams: what a program that is to be debugged may import.

The decorators do nothing when no debugger is attached.  Importing this package needs the standard library only.
"""

from outtake_probe.attach import attach
from outtake_probe.decorators import agent, model, step, tool
from outtake_probe.states.declared import state

__all__ = ["__version__", "agent", "attach", "model", "state", "step", "tool"]
__version__ = "0.1.0"
