"""The extension of IPython: ``%load_ext outtake`` attaches a kernel, or a shell in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outtake_probe.kernels import InteractiveShell


def load_ipython_extension(ip: InteractiveShell) -> None:
    """Debug this kernel from here on, as `attach` does a script: each cell that it executes is a step of one run.

    Does nothing where it is debugged already.  Raises `NoServer`, and `AlreadyAttached` after `attach`.
    """
    from outtake_probe import kernels  # noqa: PLC0415  importing `outtake` must cost nothing

    kernels.load(ip)


def unload_ipython_extension(ip: InteractiveShell) -> None:
    """End the run after the cell that says this; the kernel goes on without the debugger."""
    from outtake_probe import kernels  # noqa: PLC0415  importing `outtake` must cost nothing

    kernels.unload(ip)
