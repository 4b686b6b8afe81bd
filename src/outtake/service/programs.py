"""The programs in a folder, found by looking at its files: nothing of them is imported or executed.

The look is bounded in files, bytes and time, follows no symbolic links, and passes over hidden folders, environments
and what is installed or built; tests come last.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from outtake.core.finding import FoundProgram, Module, offered
from outtake.core.finding.frameworks import PROJECTS, Maker
from outtake.core.finding.ranking import is_test
from outtake.service.errors import WrongUse
from outtake_probe import notebooks
from outtake_probe.records import Json
from outtake_probe.specs import BadSpec, parse_spec
from outtake_probe.syntax import parse

Document = dict[str, Json]
MOST_FILES = 2000
MOST_FOLDERS = 2000
MOST_ENTRIES = 20_000
"""Of one folder."""
LARGEST_FILE = 400_000
"""Bytes; what is larger was written by a machine."""
MOST_BYTES = 20_000_000
LONGEST_LOOK = 4.0
"""Seconds."""
MOST_UNREAD = 20
MOST_NAMED = 5
PASSED_OVER = {
    "node_modules",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "build",
    "dist",
    "venv",
    "env",
    "virtualenv",
}
ENVIRONMENT = "pyvenv.cfg"
PROJECT_WEIGHT = 110
"""A project is meant rather than what it is made of."""


@dataclass
class _Look:
    """A look through a folder: what was read, and what was not."""

    folder: Path
    modules: list[Module] = field(default_factory=list)
    others: list[FoundProgram] = field(default_factory=list)
    files: int = 0
    read: int = 0
    unread: list[Document] = field(default_factory=list)
    stopped: str = ""
    """Why not all of it was looked at."""

    def all(self) -> None:
        deadline = time.monotonic() + LONGEST_LOOK
        later: list[str] = []
        for name in _names(self.folder):
            if is_test(name):
                later.append(name)
            elif not self._goes_on(deadline):
                break
            else:
                self.look_at(name)
        for name in later:
            if not self._goes_on(deadline):
                break
            self.look_at(name)

    def _goes_on(self, deadline: float) -> bool:
        if self.stopped:
            return False
        if time.monotonic() > deadline:
            self.stopped = f"it took longer than {LONGEST_LOOK:.0f} seconds"
        elif self.files >= MOST_FILES:
            self.stopped = f"there are more than {MOST_FILES} files"
        elif self.read > MOST_BYTES:
            self.stopped = f"the files are larger than {MOST_BYTES // 1_000_000} MB together"
        return not self.stopped

    def look_at(self, name: str) -> None:
        """Read one file; what cannot be read is noted."""
        self.files += 1
        try:
            with open(self.folder / name, "rb") as file:
                data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            self._pass(name, error.strerror or "it cannot be read")
            return
        self.read += len(data)
        if len(data) > LARGEST_FILE:
            self._pass(name, f"it is larger than {LARGEST_FILE // 1000} kB")
            return
        if name.endswith(".ipynb"):
            self._notebook(name, data)
            return
        if (project := _project(name)) is not None:
            self.others.append(
                FoundProgram(name, project.kind, name, 1, framework=project.framework, weight=PROJECT_WEIGHT)
            )
            return
        try:
            self.modules.append(Module(name, parse(data, name, quiet=True)))
        except SyntaxError as error:
            self._pass(name, f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            self._pass(name, str(error) or type(error).__name__)

    def _notebook(self, name: str, data: bytes) -> None:
        try:
            cells = notebooks.cells(data)
        except (ValueError, RecursionError) as error:
            self._pass(name, str(error))
            return
        if cells:
            self.others.append(FoundProgram(name, "notebook", name, 1, takes="nothing", weight=50))

    def _pass(self, name: str, reason: str) -> None:
        if len(self.unread) < MOST_UNREAD:
            self.unread.append({"file": name, "reason": reason[:200]})


def programs(folder: str) -> Document:
    """The programs in a folder, the likeliest first (`FoundProgram`).  Raises `WrongUse` where there is no folder."""
    if not os.path.isdir(folder):
        raise WrongUse(f"the folder {folder} is not there")
    look = _Look(Path(folder))
    look.all()
    found, more = offered(look.modules, look.others)
    return {
        "folder": os.path.abspath(folder),
        "programs": [_document(one) for one in found],
        "more": more,
        "files": look.files,
        "unread": list(look.unread),
        "stopped": look.stopped,
    }


def likeliest(folder: str, *, has_input: bool) -> str:
    """The spec of the program that a person means who names a folder, with an input or without.

    Raises `WrongUse` where there is none.
    """
    found = [one for one in programs(folder)["programs"] if not one["note"]]
    unfit = "nothing" if has_input else "input"
    fits = [one for one in found if one["takes"] != unfit]
    if not has_input:
        fits.sort(key=lambda one: one["takes"] != "nothing" and _project(str(one["spec"])) is None)
    if not fits:
        raise WrongUse(f"no program was found in {folder} that {'takes' if has_input else 'needs no'} input")
    return str(fits[0]["spec"])


def program(folder: str, spec: str) -> Document:
    """What a spec names, told as `programs` does, as far as its file says it: one program, or none."""
    look = _Look(Path(folder))
    found = [_document(one) for one in _named(look, spec)]
    return {
        "folder": os.path.abspath(folder),
        "programs": found,
        "more": 0,
        "files": look.files,
        "unread": list(look.unread),
        "stopped": "",
    }


def _named(look: _Look, spec: str) -> Iterator[FoundProgram]:
    """The program of a spec, under the name that it has there."""
    try:
        parts = parse_spec(spec)
    except BadSpec:
        return
    places = [parts.place] if parts.file is not None else _files_of(parts.place)
    name = next((place for place in places if (look.folder / place).is_file()), None)
    if name is None or parts.kind == "kernel":
        return
    look.look_at(name)
    for found in [*look.others, *(one for module in look.modules for one in module.programs())]:
        _, colon, named = found.spec.rpartition(":")
        attribute = named if colon and found.kind not in ("script", "notebook") else ""
        if attribute == parts.attribute:
            yield dataclasses.replace(found, spec=spec)
            return


def _files_of(module: str) -> list[str]:
    """Where a module of the folder would be."""
    path = module.replace(".", "/")
    return [f"{path}.py", f"{path}/__init__.py", f"{path}/__main__.py"]


def suggestion(folder: str) -> str:
    """The end of an error message that names the likeliest programs in a folder; empty where there are none."""
    if not os.path.isdir(folder):
        return ""
    specs = [str(found["spec"]) for found in programs(folder)["programs"] if not found["note"]][:MOST_NAMED]
    return f"; found here: {', '.join(specs)}" if specs else ""


def _project(name: str) -> Maker | None:
    """What a file is the project of, by its name."""
    return PROJECTS.get(name.rpartition("/")[2])


def _is_looked_at(name: str) -> bool:
    return name.endswith((".py", ".ipynb")) or name in PROJECTS


def _document(found: FoundProgram) -> Document:
    return {name: value for name, value in dataclasses.asdict(found).items() if name != "weight"}


def _names(folder: Path) -> Iterator[str]:
    """The Python files and notebooks below a folder, those nearest to it first, relative to it."""
    waiting = deque([""])
    seen = 0
    while waiting and seen < MOST_FOLDERS:
        at = waiting.popleft()
        seen += 1
        try:
            with os.scandir(folder / at) as entries:
                listed = sorted(
                    (entry for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False)), key=lambda e: e.name
                )
        except OSError:
            continue
        if at and any(entry.name == ENVIRONMENT for entry in listed):
            continue
        for entry in listed:
            if entry.name.startswith(".") or entry.name in PASSED_OVER:
                continue
            name = f"{at}/{entry.name}" if at else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name)
                elif _is_looked_at(entry.name) and entry.is_file(follow_symlinks=False):
                    yield name
            except OSError:
                continue
