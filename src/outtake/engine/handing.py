"""Handing a secret to a process that is started: through a pipe that only this process inherits.

See `outtake_probe.handover` for the other end.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

STANDARD = 3
"""Descriptors that a started process has for its input and output."""


@contextlib.contextmanager
def handing_over(told: Mapping[str, str], also: Sequence[int] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """An argument that tells the process where to read, and how it is to be started, as options of `Popen`.

    `also`: further descriptors that it inherits; on Windows there are none.
    """
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:  # it is read when the process gets to it: a pipe holds that much
        pipe.write(json.dumps(told).encode())
    try:
        if sys.platform == "win32":
            handle = msvcrt.get_osfhandle(reading)
            os.set_handle_inheritable(handle, True)
            yield str(handle), {"startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})}
        else:
            if reading < STANDARD:  # this process has none of its own
                low, reading = reading, fcntl.fcntl(reading, fcntl.F_DUPFD_CLOEXEC, STANDARD)
                os.close(low)
            yield str(reading), {"pass_fds": (reading, *also)}
    finally:
        os.close(reading)
