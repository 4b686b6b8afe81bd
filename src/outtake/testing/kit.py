"""A target under test: how its programs are run, what it declares, and one small program for each scene.

A program is a file ``program.py`` with a `main`: a function that takes the input, or a factory of a framework's object.
Beside it lies the helper `stage` (`outtake.testing.stage`); what really calls a model or a tool calls `stage.called`.

    chat       (input)  asks a model `opening(input)`; gives the answer to a tool, where the target has tools; asks the
                        model again, with what was found; the second answer is part of the result.  Each kind of
                        invocation that the target can hold occurs
    parallel            asks two things at once, with `left` in the one and `right` in the other, and after the right
                        one `again`, with its answer; nothing else is called, and all answers are part of the result
    failing    (input)  calls a tool (a model, where the target has no tools) whose error says `BROKEN`, catches
                        it, and asks a model about it; the answer is part of the result
    stream     (input)  asks `opening(input)`, and gets the answer in `pieces`; the result is ``{"pieces": how many,
                        "text": all of them}``
    letters             a component is sent three messages with the texts `one`, `two`, `three`, all before the first is
                        delivered; of each it asks a model, one after the other
    setting    (input)  asks a model in two turns of its own; each time, the setting of the kit is part of the question
    shared              its tool `put` is called with `one`, `two`, `three`; really calls `put` with the word, adds it
                        to a list of the process, the state `shelf`, and gives the list; the last one is the result
    memory              its tool is used with `one`, `two`, `three`; inside, an agent asks a model with all that it was
                        asked and answered before; nothing else is called, and all answers are the result
    reading             three steps: the first asks `write` and keeps the answer in what the target's steps share; the
                        second, whose input is the same whatever was answered, reads it there and asks `read` with it;
                        the third asks `the same`; the answers of the last two are the result
    printing            prints with `tell` in everything that a fork may serve, and between; its result does not matter
    asking              asks a person for a word, and a model about it; its answer is part of the result
    awaiting            waits for what another part of the program, a timer, sends it by `later`, and asks a model about
                        that; its answer is part of the result
    requests            a script: calls its function `handle`, which is marked as a run, with each of `REQUESTS` by
                        `at_once`; each call does what `chat` does with it
    limited             a framework that allows its step `ALLOWED` seconds asks a model in it; the answer is part of the
                        result
    secret              gives `secrets()` to the client, asks a model with each of them in the question, prints and
                        returns them
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import outtake_probe
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability

Scene = Literal[
    "chat",
    "parallel",
    "failing",
    "stream",
    "letters",
    "setting",
    "shared",
    "memory",
    "reading",
    "printing",
    "asking",
    "awaiting",
    "cancelling",
    "timing",
    "limited",
    "requests",
    "secret",
]
WITH_INPUT: frozenset[Scene] = frozenset({"chat", "failing", "stream", "setting"})
SCRIPTS: frozenset[Scene] = frozenset({"requests"})
"""The scenes that are scripts, without a function that is the target."""
TOPIC = "birds"
"""The input of the scenes that take one."""
_ASK = """
import importlib, importlib.metadata, json, platform, sys
sys.path.append(sys.argv[1])
declared = list(importlib.import_module(sys.argv[2]).adapter.capabilities) if sys.argv[2] else []
versions = {name: importlib.metadata.version(name) for name in sys.argv[3:]}
print(json.dumps([declared, versions, platform.python_version()]))
"""


class BadKit(Exception):
    """A kit that cannot be used; the message says what is wrong."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a user changes in the program `setting`, so that `value` is part of every question from then on."""

    component: str
    key: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Kit:
    """One target.  What it has no program for, and no capability, is reported as not offered."""

    name: str
    programs: Mapping[Scene, str]
    capabilities: Sequence[Capability] = ()
    """What the target declares, where it has no `adapter` that says so."""
    adapter: str = ""
    """Module whose `adapter` says what the target can do."""
    packages: Sequence[str] = ()
    """Distributions whose versions are part of the report."""
    environment: str = ""
    """Name of the environment with these packages; empty: any interpreter will do."""
    python: str = sys.executable
    files: Mapping[str, str] = field(default_factory=dict)
    """Other files that lie beside the program."""
    tokens: tuple[int, int] | None = None
    """Tokens in and out that every model call of `chat` reports; None where the target cannot know."""
    setting: Setting | None = None
    reply: Callable[[str], Json] = str
    """What a person answers the program of `asking`, with this word."""
    message: Callable[[str], Json] = str
    """A new message for the component of `letters`, with this text."""
    reruns: Collection[str] = ()
    """Paths of components that the framework itself executes again with the same input when things happen at the same
    time, as often as their timing has it; see `outtake.testing.golden`."""
    cuts: int = 5
    """At how many records of a run it is forked to show that nothing is called again."""

    def __post_init__(self) -> None:
        if "chat" not in self.programs:
            raise BadKit(f"the kit {self.name} has no program chat, which every target needs")

    @functools.cached_property
    def declared(self) -> Declared:
        """What the target says of itself, asked in its own interpreter.  Raises `BadKit`."""
        probe = str(Path(outtake_probe.__file__).parent.parent)
        command = [self.python, "-c", _ASK, probe, self.adapter, *self.packages]
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except OSError as error:
            raise BadKit(f"the interpreter of the kit {self.name} cannot be started: {error}") from error
        if said.returncode:
            raise BadKit(f"{self.python} cannot tell what {self.adapter or self.name} declares:\n{said.stderr.strip()}")
        capabilities, versions, python = json.loads(said.stdout)
        return Declared(frozenset(capabilities if self.adapter else self.capabilities), versions, python)


@dataclass(frozen=True)
class Declared:
    """What a target can do, and in which versions it was asked."""

    capabilities: frozenset[Capability]
    versions: Mapping[str, str]
    python: str
