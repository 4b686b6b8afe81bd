"""Runs: what a run is, how forks share their parents' records, and how a run is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from outtake_probe.records import CallKind, InvocationEnded, Json, Record, StateRestored

State = Literal[
    "starting",
    "replaying",
    "running",
    "paused",
    "held",
    "reconnecting",
    "completed",
    "failed",
    "stopped",
    "diverged",
    "lost",
]
ENDED: tuple[State, ...] = ("completed", "failed", "stopped", "diverged", "lost")
"""`lost`: the process died, or was ended with its server; the run can be continued from its last record.

A run whose process outlived its server is `reconnecting`, which is no end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How the target of a run is started; a fork uses its parent's by default."""

    spec: str
    folder: str
    python: str
    input: Json = None
    has_input: bool = False
    config: Mapping[str, Json] = field(default_factory=dict)
    """Settings at the start, by ``component.key``."""
    args: Sequence[str] = ()
    edits: Sequence[Mapping[str, Json]] = ()
    """Mocks that hold from the start, in every fork, too."""
    attached: bool = False
    """The user started the script, which called `outtake.attach()`.  Not of a kernel: a fork does not start one."""
    imported: str = ""
    """The kind of log that the run was read from, such as ``Who&When``: there is no program behind it."""
    recognised: str = ""
    """Of an imported run: what of its file showed what it is."""
    guessed: Sequence[str] = ()
    """Of an imported run: what its log does not say and was taken for likely."""
    untimed: bool = False
    """Of an imported run: its log has no times, and those of its records say when it was imported."""
    from_file: bool = False
    """It came here in a file, or is a fork of one that did: somebody else wrote what it would start."""
    trusted: bool = False
    """The user has seen what it starts, and let it be started here; a file never says that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """What makes a run a fork: its parent, the cut, the edits, and what is served from the record."""

    parent: str
    cut: int
    reuse: str = "matching"
    repeat: str = "ask"
    live: Sequence[str] = ()
    edits: Sequence[Mapping[str, Json]] = ()
    serve_failures: bool = False
    """Whether calls that failed are served after the cut, too, instead of tried again."""


@dataclass(slots=True)
class Counts:
    """How many invocations of each kind were executed, reused, mocked; what the executed model calls consumed."""

    executed: Counter[CallKind] = field(default_factory=Counter)
    reused: Counter[CallKind] = field(default_factory=Counter)
    mocked: Counter[CallKind] = field(default_factory=Counter)
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    loaded: Counter[str] = field(default_factory=Counter)
    """By the name of a state outside the process: how often a saved one was loaded."""
    repeated: Counter[str] = field(default_factory=Counter)
    """How many earlier calls were executed again to restore it."""
    skipped: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)
    """How many of these steps did not give what is recorded."""

    def json(self) -> dict[str, Json]:
        """As plain numbers and objects."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in plain.items()}

    def add(self, record: Record, cut: int) -> None:
        """Count a record; what lies before the cut was served."""
        if isinstance(record, StateRestored) and record.seq >= cut:
            self._add_restored(record)
        if not isinstance(record, InvocationEnded):
            return
        if record.seq < cut or record.how == "reused":
            self.reused[record.call] += 1
        elif record.how == "mocked":
            self.mocked[record.call] += 1
        elif record.how == "executed":
            self.executed[record.call] += 1
            if record.call == "model":
                self.tokens_in += record.tokens_in
                self.tokens_out += record.tokens_out
                self.cost += record.cost
            if record.call in ("model", "tool"):
                self.seconds += record.seconds

    def _add_restored(self, record: StateRestored) -> None:
        steps = {"loaded": self.loaded, "repeated": self.repeated, "skipped": self.skipped}
        steps[record.how][record.state] += 1
        self.different[record.state] += not record.same

    @property
    def restored(self) -> list[dict[str, Json]]:
        """What was done for each state outside the process, by name."""
        steps = {name: getattr(self, name) for name in ("loaded", "repeated", "skipped", "different")}
        names = sorted({*self.loaded, *self.repeated, *self.skipped})
        return [{"state": state, **{name: counter[state] for name, counter in steps.items()}} for state in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One line of history of a target."""

    id: str
    launch: Launch
    fork: Fork | None = None
    status: State = "starting"
    created: float = 0.0
    ended: float | None = None
    seed: int = 0
    name: str = ""
    output: Json = None
    error: Json = None
    records: int = 0
    """Number of records, the prefix shared with the parent included."""
    counts: Counts | None = None
    """Once it has ended: they are kept, because a long log takes long to count."""

    @property
    def over(self) -> bool:
        return self.status in ENDED

    @property
    def untrusted(self) -> bool:
        """Whether what it would start came in a file, and the user has not yet let it be started."""
        return self.launch.from_file and not self.launch.trusted


@dataclass(frozen=True, slots=True)
class Segment:
    """Records from `first` up to, not including, `last` are stored with run `run`; no `last`: to the end."""

    run: str
    first: int
    last: int | None


class EndlessLine(ValueError):
    """A run is among those that it was forked from: what was read is damaged."""


def lineage(run: Run, find: Callable[[str], Run]) -> Iterator[Run]:
    """The run, then those that it was forked from, the nearest first.  Raises `EndlessLine`."""
    seen = {run.id}
    yield run
    while run.fork is not None:
        run = find(run.fork.parent)
        if run.id in seen:
            raise EndlessLine(f"{run.id} is said to be forked from itself")
        seen.add(run.id)
        yield run


def segments(run: Run, find: Callable[[str], Run]) -> list[Segment]:
    """Where the records of a run are stored, in order: each fork shares its parent's up to its cut.

    Raises `EndlessLine`.
    """
    out: list[Segment] = []
    end: int | None = None
    for at in lineage(run, find):
        start = at.fork.cut if at.fork is not None else 0
        if end is None or start < end:
            out.append(Segment(at.id, start, end))
            end = start
        if start <= 0:
            break
    return out[::-1]


def count(records: Iterable[Record], cut: int) -> Counts:
    counts = Counts()
    for record in records:
        counts.add(record, cut)
    return counts
