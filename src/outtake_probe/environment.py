"""Environment variables that the program sets after its start, as from a file of settings: they may be secrets."""

from __future__ import annotations

import os
from collections.abc import Callable

from outtake_probe.redaction.text import Cleaner

Text = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def install(clean: Cleaner) -> Callable[[], None]:
    """Let `clean` know every variable from the moment when it is set; returns what takes this back.

    Whoever sets one comes through `os.putenv`, `os.environ` too.
    """
    real = os.putenv

    def putenv(name: Text, value: Text, /) -> None:
        real(name, value)
        clean.learn(os.fsdecode(name), os.fsdecode(value))

    def take_back() -> None:
        if os.putenv is putenv:
            os.putenv = real

    os.putenv = putenv
    return take_back
