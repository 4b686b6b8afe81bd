"""What the process prints, led to the server: standard output and error, of the program and of what it starts.

The program keeps printing when the server goes away, and whatever it prints, bytes or megabytes, can do no harm.
"""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections.abc import Callable

from outtake_probe.redaction.pieces import Printed
from outtake_probe.redaction.text import Cleaner

LIMIT = 8 << 20
"""Bytes of output that are passed on; what is over is counted."""


class Console:
    """Pipes in the place of file descriptors 1 and 2, read by a thread each."""

    def __init__(self, tell: Callable[[int, str], None], clean: Cleaner) -> None:
        self._tell = tell
        self._clean = clean
        self._threads: list[threading.Thread] = []
        self._saved: list[tuple[int, int]] = []
        self._left = LIMIT

    def install(self) -> None:
        for number in (1, 2):
            read, write = os.pipe()
            self._saved.append((number, os.dup(number)))
            os.dup2(write, number)
            os.close(write)
            thread = threading.Thread(target=self._pump, args=(number, read), name="outtake-console", daemon=True)
            thread.start()
            self._threads.append(thread)
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream = open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)

    def close(self) -> None:
        """Put the old descriptors back and pass on the rest."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        saved, self._saved = self._saved, []
        for number, old in saved:
            os.dup2(old, number)
            os.close(old)
        for thread in self._threads:
            thread.join(0.5)  # a child that lives on may keep the pipe open

    def _pump(self, number: int, read: int) -> None:
        printed = Printed(self._clean)
        decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
        while True:
            data = os.read(read, 1 << 16)
            if not data:
                self._pass_on(number, printed.add("", is_last=True))
                return
            if self._left <= 0:
                continue
            self._left -= len(data)
            if self._left <= 0:
                data += b"\n[outtake: more output than is kept]\n"
            self._pass_on(number, printed.add(decode(data)))

    def _pass_on(self, number: int, text: str) -> None:
        if text:
            self._tell(number, text)
