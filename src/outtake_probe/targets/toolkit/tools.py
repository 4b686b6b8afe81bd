"""Tools: what an adapter knows of a framework's tool, and the invocation that a call of it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outtake_probe.calls import Call, Known
from outtake_probe.records import Effects, Json
from outtake_probe.states import States
from outtake_probe.targets.toolkit import resources
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.effects import declared_effects
from outtake_probe.targets.toolkit.paths import child_path


def no_parameters() -> Mapping[str, Json]:
    """The schema of a tool that does not say what it takes."""
    return {}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a framework."""

    name: str
    made: Any
    """The framework's object."""
    functions: Sequence[Any] = ()
    """The program's functions that it was made from, if any."""
    methods: Sequence[str] = ()
    """The methods by which its class implements it."""
    parameters: Callable[[], Mapping[str, Json]] = no_parameters
    """Makes the JSON schema of its arguments, an object; asked when a person edits them."""

    own_effects: Effects | None = None
    """What its framework says that it does to the world; what the program declares comes first."""

    @property
    def places(self) -> Sequence[Any]:
        """Where a program may have declared something of it."""
        return (self.made, *self.functions, type(self.made))

    @property
    def effects(self) -> Effects | None:
        """What it does to the world; None where nobody says."""
        return declared_effects(*self.places) or self.own_effects

    def known(self, states: States) -> Known | None:
        """The state outside the process that it uses, found among the objects that it reaches."""
        return resources.known(states, self.made, *self.functions)

    def call(
        self,
        states: States,
        arguments: dict[str, Json],
        *,
        path: str = "",
        takes_more: bool | None = None,
    ) -> Call:
        """A call of it with these arguments; of what `Call` has beside, the adapter sets what it knows.

        Its component is `path`, by default ``tools/NAME`` below the running one.  `takes_more` says that an edit may
        give arguments that neither the program gave nor `parameters` names: by default, where these name none.
        """
        cls = type(self.made)
        return Call(
            "tool",
            path or child_path(f"tools/{self.name}"),
            arguments,
            effects=self.effects,
            state=resources.declared(*self.places),
            known=lambda: self.known(states),
            functions=[*self.functions, *(getattr(cls, name) for name in self.methods if hasattr(cls, name))],
            reaches=self.functions or (self.made,),
            normalize=lambda _, value: self.merge(arguments, value, takes_more),
        )

    def merge(self, arguments: Mapping[str, Json], value: Json, takes_more: bool | None = None) -> dict[str, Json]:
        """All arguments of an edited call.  Raises `BadValue`."""
        schema = dict(self.parameters())
        names = list(schema.get("properties") or {})
        more = not names if takes_more is None else takes_more
        return merge_arguments(self.name, arguments, value, names, schema=schema or None, allow_unknown=more)
