"""Redaction of what leaves the store for somebody else's eyes.

What a program said was redacted before it left its process, its own secrets included.  A log of another program was
not: in it, at least what looks like a secret is replaced.
"""

from __future__ import annotations

from outtake_probe.records import Json
from outtake_probe.redaction.structure import Structure
from outtake_probe.redaction.text import Cleaner


class Redaction:
    """Replaces what looks like a secret: by its form, or by the name of the field that it is in."""

    def __init__(self) -> None:
        self._clean = Cleaner()
        self._structure = Structure(self._clean)

    def text(self, text: str) -> str:
        return self._clean(text)

    def value(self, value: Json) -> Json:
        return self._structure.cleaned(value)
