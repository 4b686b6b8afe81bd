"""Adapters: objects that own the hooks and the state of one framework, and take all of it out again.

An adapter names its *seams*; putting hooks there when they are ready, and undoing that, is done here, so that it is
right in every adapter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from outtake_probe.session import Session
from outtake_probe.targets.base import Capability, Program
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.seams import Seam

State = TypeVar("State")


@dataclass(slots=True)
class Installed(Generic[State]):
    """What one installation has put in place."""

    session: Session
    state: State
    """What the hooks share."""
    missing: list[str]
    """What is lost in this version, in words; it grows while more of the framework is imported."""
    patches: Patches = field(default_factory=Patches)
    hooked: set[str] = field(default_factory=set)
    """The modules whose hooks are in place."""


class Adapter(ABC, Generic[State]):
    """One framework, or a library that is only called; one object of it serves a process."""

    name: str
    capabilities: Sequence[Capability]
    seams: Sequence[Seam[State]]

    def __init__(self) -> None:
        self._installed: Installed[State] | None = None

    @abstractmethod
    def begin(self, session: Session, missing: list[str]) -> State:
        """What the hooks of this session share; called before the first of them is put.

        `missing` is the list of what is lost, which is not complete yet.
        """

    def end(self, state: State) -> None:
        """Release what `begin` has taken; the hooks are still in place."""

    def install(self, session: Session) -> Sequence[str]:
        """Put every hook whose module is there; called again when more has been imported, it adds what is new.

        Returns, in words, what is lost by what this version of the framework lacks.
        """
        if self._installed is not None and self._installed.session is not session:
            self.remove()
        if self._installed is None:
            missing: list[str] = []
            self._installed = Installed(session, self.begin(session, missing), missing)
        installed, lost = self._installed, list[str]()
        while new := [seam for seam in self.seams if seam.module not in installed.hooked and seam.is_ready]:
            for seam in new:  # a hook may import more of the framework
                installed.hooked.add(seam.module)
                lost += seam.hook(installed.state, installed.patches)
        installed.missing += lost
        return lost

    def remove(self) -> None:
        """Take every hook out again."""
        installed, self._installed = self._installed, None
        if installed is not None:
            self.end(installed.state)
            installed.patches.undo()

    @property
    def installed(self) -> Installed[State] | None:
        """What is in place; None before `install` and after `remove`."""
        return self._installed


class RunnableAdapter(Adapter[State]):
    """A framework whose objects can be run: a target may be a factory of them."""

    @abstractmethod
    def claims(self, made: object) -> bool:
        """Whether this is an object of the framework that can be run."""

    @abstractmethod
    def make_program(self, made: object, installed: Installed[State]) -> Program:
        """How to run an object that the adapter claims."""

    def open(self, path: str) -> object:
        """The object that a project's file describes.  Raises what is wrong with the file."""
        raise NotImplementedError(f"{self.name} has no projects")

    def program(self, made: object, session: Session) -> Program:
        """How to run it, with the hooks in place."""
        self.install(session)
        if self._installed is None:
            raise RuntimeError(f"the hooks of {self.name} are not in place")
        return self.make_program(made, self._installed)
