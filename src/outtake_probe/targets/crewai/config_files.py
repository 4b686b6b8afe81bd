"""Where settings of agents and tasks come from: the file and the line, in both layouts of a project.

A class with `@CrewBase` names its YAML files, and a ``crew.jsonc`` lies beside its ``agents``.  What an agent or a task
was made from is found there by what it says; nothing is said of what the program has set by itself.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from crewai.project.crew_base import CrewBaseMeta

from outtake_probe.records import Json
from outtake_probe.targets.toolkit.boundary import Method
from outtake_probe.targets.toolkit.patches import Patches

Entry = Mapping[str, tuple[Json, int]]
"""Values by name, each with its line, from 1."""
_MEMBER = re.compile(r'"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|true|false|null|-?\d[\w.+-]*)')


class ConfigFiles:
    """The configuration files of a program."""

    def __init__(self) -> None:
        self._files: list[Path] = []

    def add(self, *files: Path) -> None:
        self._files += [file for file in files if file not in self._files]

    def add_project(self, path: str) -> None:
        """The file of a crew, with those of its agents."""
        self.add(*sorted(Path(path).parent.glob("agents/*.json*")), Path(path))

    def watch(self, patches: Patches) -> None:
        """Learn the files of classes with `@CrewBase` when one of them is used."""
        patches.wrap(CrewBaseMeta, "__call__", self._made)

    def _made(self, method: Method) -> Method:
        @functools.wraps(method)
        def __call__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            for name in ("original_agents_config_path", "original_tasks_config_path"):
                path = getattr(cls, name, None)
                if isinstance(path, str):
                    self.add(Path(cls.base_directory) / path)
            return method(cls, *args, **kwargs)

        return __call__

    def origins(self, part: Any, known_by: str, names: Sequence[str]) -> dict[str, str]:
        """The files and lines of settings, by name; `known_by` is the one by which the part is known in its file."""
        said = _original(part, known_by)
        for file in self._files:
            for entry in _entries(file):
                value, _ = entry.get(known_by, (None, 0))
                if isinstance(value, str) and value.strip() == str(said).strip():
                    return {name: f"{_shown(file)}:{entry[name][1]}" for name in names if name in entry}
        return {}


def _original(part: Any, name: str) -> Any:
    """A setting as it was before anything was put into its placeholders."""
    return getattr(part, f"_original_{name}", None) or getattr(part, name, None)


def _shown(file: Path) -> str:
    return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)


def _entries(file: Path) -> Iterator[Entry]:
    """What a file says of each of its agents or tasks."""
    try:
        text = file.read_text("utf-8")
        if file.suffix in (".yaml", ".yml"):
            yield from _yaml(yaml.compose(text))
        else:
            yield from _members(text)
    except (OSError, ValueError, yaml.YAMLError):
        return  # the framework has told what is wrong with it


def _yaml(root: Any) -> Iterator[Entry]:
    for _, entry in root.value if isinstance(root, yaml.MappingNode) else ():
        if isinstance(entry, yaml.MappingNode):
            yield {name.value: (value.value, name.start_mark.line + 1) for name, value in entry.value}


def _members(text: str) -> Iterator[Entry]:
    """The objects of a file of JSON with comments, as far as they have plain values: each ends with its brace."""
    entry: dict[str, tuple[Json, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        code = "" if line.lstrip().startswith("//") else line
        for part in re.split(r"(\}(?=\s*[,\]}]|\s*$))", code):
            entry |= {found[1]: (json.loads(found[2]), number) for found in _MEMBER.finditer(part)}
            if part == "}":
                yield entry
                entry = {}
