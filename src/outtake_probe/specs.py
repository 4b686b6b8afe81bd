"""What the spec of a target names: a function of a file or a module, a whole program or project, a kernel's cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["function", "script", "module", "notebook", "project", "kernel"]
FORMS = "path.py:factory, pkg.module:factory, script.py, notebook.ipynb, crew.jsonc or -m pkg.module"
PROJECTS = (".json", ".jsonc")
"""How the files end that say what a framework's project is made of."""
MODULE = "-m "
KERNEL = "kernel "
"""Begins the spec of what a kernel executes; its name follows.  Only a fork of such a run can be started."""


class BadSpec(Exception):
    """The spec names no target; the message says what is wrong and what a spec looks like."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec's parts: `place` is a file or the name of a module."""

    kind: Kind
    place: str
    attribute: str = ""
    """What a function is called; may have dots."""

    @property
    def file(self) -> str | None:
        """The file that must be there."""
        ends = (".py", ".ipynb", *PROJECTS)
        return self.place if self.kind != "kernel" and self.place.endswith(ends) else None

    @property
    def name(self) -> str:
        """What the root of a run is called whose program has no function."""
        if self.kind in ("module", "kernel"):
            return self.place
        file = self.place.replace("\\", "/").rpartition("/")[2]
        return file.rpartition(".")[0] or file


def parse_spec(spec: str) -> Spec:
    """The parts of a spec.  Raises `BadSpec`."""
    if spec.startswith(MODULE):
        place = spec[len(MODULE) :].strip()
        if not all(part.isidentifier() for part in place.split(".")):
            raise BadSpec(f"{spec!r} names no module; say -m pkg.module")
        return Spec("module", place)
    if spec.startswith(KERNEL) and spec[len(KERNEL) :].strip():
        return Spec("kernel", spec[len(KERNEL) :].strip())
    place, colon, attribute = spec.rpartition(":")
    if not colon or (len(place) == 1 and attribute[:1] in ("\\", "/")):
        place, attribute = spec, ""
    if not place:
        raise BadSpec(f"{spec!r} names no target; say {FORMS}")
    if place.endswith(".ipynb"):
        if attribute:
            raise BadSpec(f"a notebook is run from its first cell to its last; say {place}")
        return Spec("notebook", place)
    if place.endswith(PROJECTS):
        if attribute:
            raise BadSpec(f"a project is run as a whole; say {place}")
        return Spec("project", place)
    if attribute:
        return Spec("function", place, attribute)
    if place.endswith(".py") or place.startswith("/"):  # a command of an environment, which attaches
        return Spec("script", place)
    raise BadSpec(f"{spec!r} names no target; a module needs its factory, as in {spec}:main, or -m as in -m {spec}")
