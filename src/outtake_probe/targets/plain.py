"""Plain Python: a decorated function as a component, its arguments as an input, an input as its arguments."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Any

from outtake_probe.calls import Call, nested
from outtake_probe.codec import encode
from outtake_probe.gate.invoke import NewInput, acall, astream, call, stream
from outtake_probe.records import CallKind, Effects, Json
from outtake_probe.replay.index import LEAVES
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.arguments import merge_arguments
from outtake_probe.targets.toolkit.resources import known

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


class ReturnsOnly:
    """What a function does that is declared to change nothing: it returns."""

    def begin(self) -> None:
        """Nothing to watch."""

    def changes(self) -> Json:
        return {}

    def same(self, changes: Json) -> bool:
        return not changes

    def redo(self, changes: Json, sent: Sequence[int]) -> None:
        """Nothing to do."""


class Component:
    """A decorated function under the debugger."""

    def __init__(
        self, kind: CallKind, function: Callable[..., Any], name: str, effects: Effects | None, state: str = ""
    ) -> None:
        self.kind = kind
        self.function = function
        self.name = name
        self.effects = effects
        self.state = state
        self.signature = inspect.signature(function)
        names = list(self.signature.parameters)
        self.bound_to = names[0] if names and names[0] in ("self", "cls") else None
        self.names = [name for name in names if name != self.bound_to]

    def call(self, session: Session, args: Args, kwargs: Kwargs) -> Any:
        what, bound = self._describe(session, args, kwargs)
        return call(session, what, lambda new: self._again(bound, new))

    async def acall(self, session: Session, args: Args, kwargs: Kwargs) -> Any:
        what, bound = self._describe(session, args, kwargs)
        return await acall(session, what, lambda new: self._again(bound, new))

    def stream(self, session: Session, args: Args, kwargs: Kwargs) -> Iterator[Any]:
        what, bound = self._describe(session, args, kwargs)
        return stream(session, what, lambda new: self._again(bound, new))

    def astream(self, session: Session, args: Args, kwargs: Kwargs) -> AsyncIterator[Any]:
        what, bound = self._describe(session, args, kwargs)
        return astream(session, what, lambda new: self._again(bound, new))

    def _describe(self, session: Session, args: Args, kwargs: Kwargs) -> tuple[Call, inspect.BoundArguments]:
        bound = self.signature.bind(*args, **kwargs)
        given = {name: encode(value) for name, value in bound.arguments.items() if name != self.bound_to}
        call = Call(
            self.kind, nested(self.name), given, effects=self.effects, normalize=self._normalize, state=self.state
        )
        call.functions = (self.function,)
        if self.kind == "tool":
            call.reaches = (self.function, *bound.arguments.values())
            call.known = partial(known, session.states, self.function, bound.arguments.get(self.bound_to or ""))
        if self.kind not in LEAVES and session.effects(call) in ("pure", "read"):
            call.whole = ReturnsOnly()
        return call, bound

    def _normalize(self, current: Json, value: Json) -> Json:
        return merge_arguments(self.name, current, value, self.names, schema=self.names)

    def _again(self, bound: inspect.BoundArguments, new: NewInput | None) -> Any:
        """Call the function, with the arguments that an edit put in their place."""
        if new is not None:
            bound.arguments.update(new.value)
        return self.function(*bound.args, **bound.kwargs)
