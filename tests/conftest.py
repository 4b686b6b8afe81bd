"""What holds for all tests: Ctrl-C reaches the programs that they start, and no generated example has a time budget.

A shell has what it runs in the background ignore Ctrl-C, and whatever that starts ignores it, too.
"""

from __future__ import annotations

import signal

from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("outtake", parent=settings(), deadline=None)
settings.load_profile("outtake")
