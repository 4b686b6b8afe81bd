"""What the process prints, led to the server: standard output and error, of the program and of what it starts.

The program keeps printing when the server goes away, and whatever it prints, bytes or megabytes, can do no harm.
"""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections.abc import Callable

from outtake_probe import threads
from outtake_probe.redaction.pieces import Printed
from outtake_probe.redaction.text import Cleaner

LIMIT = 8 << 20
"""Bytes of output that are passed on; what is over is counted."""

LINGER = 0.5
"""Seconds that the end waits for what processes that the program started and left still print."""


class Console:
    """Pipes in the place of file descriptors 1 and 2, read by a thread each."""

    def __init__(self, tell: Callable[[int, str], None], clean: Cleaner) -> None:
        self._tell = tell
        self._clean = clean
        self._pumps: list[Pump] = []
        self._saved: list[tuple[int, int]] = []
        self._left = LIMIT

    def install(self) -> None:
        for number in (1, 2):
            read, write = os.pipe()
            self._saved.append((number, os.dup(number)))
            os.dup2(write, number)
            pump = Pump(read, write, self._passing_on(number))
            pump.start()
            self._pumps.append(pump)
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream = open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)

    def close(self) -> None:
        """Put the old descriptors back and pass on the rest, however long the server has no room for it."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        saved, self._saved = self._saved, []
        for number, old in saved:
            os.dup2(old, number)
            os.close(old)
        pumps, self._pumps = self._pumps, []
        for pump in pumps:
            pump.finish()

    def _passing_on(self, number: int) -> Callable[[bytes, bool], None]:
        printed = Printed(self._clean)
        decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode

        def pass_on(data: bytes, is_last: bool) -> None:
            if self._left <= 0:
                data = b""
            self._left -= len(data)
            if data and self._left <= 0:
                data += b"\n[outtake: more output than is kept]\n"
            text = printed.add(decode(data, is_last), is_last=is_last)
            if text:
                self._tell(number, text)

        return pass_on


class Pump(threading.Thread):
    """Reads a pipe, which children of the program may hold open for ever, and hands on what comes.

    What this process wrote ends with a mark of its own, so that the end waits for all of it and for no child.
    """

    def __init__(self, read: int, write: int, hand_on: Callable[[bytes, bool], None]) -> None:
        super().__init__(name="outtake-console", daemon=True)
        self._read = read
        self._write = write
        self._hand_on = hand_on
        self._mark = b"\0outtake" + os.urandom(16)
        self._is_past_mark = threading.Event()

    def run(self) -> None:
        with threads.own():
            self._pump()

    def _pump(self) -> None:
        held = b""
        try:
            while data := os.read(self._read, 1 << 16):
                before, mark, after = (held + data).partition(self._mark)
                if mark:
                    self._hand_on(before, True)
                    self._is_past_mark.set()
                    before = after
                held = before[len(before) - self._begun(before) :]
                self._hand_on(before[: len(before) - len(held)], False)
            self._hand_on(held, True)
        finally:
            self._is_past_mark.set()

    def _begun(self, data: bytes) -> int:
        """How many bytes at the end of `data` the mark may begin with."""
        return next((n for n in range(len(self._mark) - 1, 0, -1) if data.endswith(self._mark[:n])), 0)

    def finish(self) -> None:
        """Wait until all that this process wrote was handed on, and a moment for what its children still write."""
        os.write(self._write, self._mark)
        os.close(self._write)
        self._is_past_mark.wait()
        self.join(LINGER)
