"""What holds for all tests: Ctrl-C reaches the programs that they start, also where a shell runs the tests in the background.

Such a shell has them ignore it, and what is ignored is ignored by whatever they start.
"""

from __future__ import annotations

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
