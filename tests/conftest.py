"""What holds for all tests: Ctrl-C reaches the programs that they start, also where they run in the background.

A shell has what it runs there ignore Ctrl-C, and whatever that starts ignores it, too.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
