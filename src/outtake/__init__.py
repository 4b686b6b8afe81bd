"""Outtake, the debugger for agent teams: what a program that is to be debugged may import.

The decorators do nothing when no debugger is attached.  Importing this package needs the standard library only.
"""

from outtake_probe.attach import attach
from outtake_probe.decorators import agent, model, run, step, tool
from outtake_probe.extension import load_ipython_extension, unload_ipython_extension
from outtake_probe.states.declared import state

__all__ = [
    "__version__",
    "agent",
    "attach",
    "load_ipython_extension",
    "model",
    "run",
    "state",
    "step",
    "tool",
    "unload_ipython_extension",
]
__version__ = "0.1.0"
