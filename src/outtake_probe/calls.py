"""What a target adapter says of an invocation, and where in the program it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from outtake_probe.codec import decode, encode
from outtake_probe.records import CallKind, Effects, Json

if TYPE_CHECKING:
    from outtake_probe.states.inside import Caught
    from outtake_probe.states.repeating import Repeat
    from outtake_probe.waits import Link


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call consumed; `cost` in US dollars, 0 where unknown."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


class Whole(Protocol):
    """What lets the record answer for an invocation that is no model or tool call: all that it does, made explicit.

    What it did is JSON: ``{"read": {name: value}, "set": {name: value}, "deleted": [name], ...}``, where the names are
    parts of the state that its framework keeps, and other keys are the adapter's own.  It must be honest: whatever the
    invocation read beside its input is in ``read``, or a fork serves a result that is not true any more.
    """

    def begin(self) -> None:
        """It is about to be executed: watch from here on."""

    def changes(self) -> Json:
        """It came back, or failed: what it read and changed.  Raises `Opaque` where a record cannot hold that."""

    def same(self, changes: Json) -> bool:
        """Whether what it read then is what it would read now."""

    def redo(self, changes: Json, sent: Sequence[int]) -> None:
        """It is served from the record: do again what it changed.

        `sent` are the numbers, in this run, of the messages that were sent inside it, in order: their records are
        there already.
        """


@runtime_checkable
class Sends(Whole, Protocol):
    """A whole invocation whose messages go out before it comes back, so that others may start because of them."""

    def resend(self, changes: Json, index: int, number: int) -> None:
        """It is served from the record, and it is the turn of the message that it sent as its `index`-th."""


Signal = type[BaseException]
"""A class of exceptions by which a framework takes control of what it runs."""


class Known(NamedTuple):
    """A state outside the process that an adapter knows: its name, and the object that can save and load it."""

    name: str
    holder: object = None


@dataclass(slots=True)
class Call:
    """One invocation, as its adapter describes it to the gate.

    `input` is JSON (or has `Part`s in it); `identity`, where given, is what the digest covers instead, without the ids
    and times that differ from run to run.  `decode_input` makes what the program's code needs of an edited input;
    `encode` and `decode` are for the output; a stream's `encode` and `decode` are for one chunk.
    """

    kind: CallKind
    component: str
    input: Json
    identity: Json = None
    type: str = ""
    effects: Effects | None = None
    message: int | None = None
    caused_by: tuple[int, ...] = ()
    decode_input: Callable[[Json], Any] = decode
    encode: Callable[[Any], Json] = encode
    decode: Callable[[Json], Any] = decode
    usage: Callable[[Any], Usage | None] = lambda _: None
    normalize: Callable[[Json, Json], Json] = lambda _, value: value
    """Of the input and an edit's value, which may say only part of it, the full new input; raises `BadValue`."""
    normalize_output: Callable[[Json], Json] = lambda value: value
    """Of a mock, which may say only the essential, the full output (of a stream, all pieces); raises `BadValue`."""
    functions: Sequence[Any] = ()
    """What it executes; those that are the program's own are fingerprinted, see `outtake_probe.code_hash`."""
    signals: tuple[Signal, ...] = ()
    """Exceptions by which the framework takes control; one of these is no failure."""
    whole: Whole | None = None
    """Where the framework makes its inputs, outputs and state changes explicit; None: only executing it does it."""
    number: int = -1
    """Number of the invocation once it went out, however it is answered; set by the gate."""
    revised: bool = False
    """The adapter gave it another `input` while it waited (the user edited the message that it delivers)."""
    state: str = ""
    """Name of the state outside the process that the program declares for it."""
    known: Callable[[], Known | None] | None = None
    """Tells the state by the objects that it reaches.  Asked before it goes out; where there was none yet, afterwards,
    too: the call may have made it."""
    holder: object = None
    """Offers `save_state` and `load_state` for its state, where the adapter has such an object at hand."""
    repeat: Repeat | None = None
    """How to execute it once more, in a fork; set by `outtake_probe.gate.invoke`."""
    link: Link | None = None
    """Has the program take it back by more than its task, see `outtake_probe.waits.Wait`."""
    is_seen: bool = False
    """Of a tool: the program is streamed what happens inside, which it would miss where the tool is served."""
    streamed: list[Json] = field(default_factory=list)
    """Of a tool, the events of its own that it streamed to the program while it was executed; its adapter adds them."""
    stream: Callable[[Json], None] = lambda _: None
    """Streams one of these again, where the tool is served."""
    reaches: Sequence[object] | None = None
    """Of a tool, what its code can reach in this process: its functions, the objects that it belongs to or is given.
    None: nobody can tell, see `outtake_probe.keeping`."""


@dataclass(slots=True)
class Message:
    """One message that is about to be queued.  `identity` as in `Call`."""

    sender: str
    recipient: str
    type: str
    body: Json
    identity: Json = None
    caused_by: tuple[int, ...] = ()
    normalize: Callable[[Json, Json], Json] = lambda _, value: value


_NO_CALLS = frozenset({"uuid", "tool input"})


@dataclass(frozen=True, slots=True)
class Frame:
    """The invocation that the running code is inside of.

    `matched` is its number in the parent run, where it was matched.
    """

    invocation: int
    matched: int | None
    lineage: tuple[int, ...]
    component: str
    message: int | None
    key: str = ""
    """Names this invocation by what it is, not by when it happened: the same in every run that makes it."""
    counts: Counter[str] = field(default_factory=Counter, compare=False)
    """How many of each there have been inside, for the keys."""
    kind: str = "flow"
    may_be_served: bool = False
    """Whether the record may answer for it, or for what is around it."""
    states: frozenset[str] = frozenset()
    """States outside the process that the calls around use."""
    caught: Caught | None = None
    """An earlier call is executed again to restore a state: what happens inside is no invocation of the run."""

    @property
    def has_calls(self) -> bool:
        """Whether there have been invocations inside; questions to a person do not count."""
        return any(name not in _NO_CALLS and not name.endswith("/input") for name in self.counts)


current: ContextVar[Frame | None] = ContextVar("outtake_frame", default=None)

top = Frame(-1, None, (), "", None)
"""Outside of every invocation."""


def nested(name: str) -> str:
    """The path of the component `name` where the running code is; a component inside itself keeps its path."""
    frame = current.get()
    if frame is None:
        return name
    parts = frame.component.split("/")
    return "/".join(parts[: parts.index(name) + 1] if name in parts else [*parts, name])
