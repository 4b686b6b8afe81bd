"""Runs as the API gives them: in a list, in a tree, while they change, and whole."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from outtake.server.models.base import Answer, Json, Request, Seq
from outtake.server.models.edits import Edit

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
Outcome = Literal["passed", "failed"]
Reuse = Literal["matching", "prefix", "none"]
Repeat = Literal["ask", "serve", "run"]


class Calls(Answer):
    """A number for each kind of invocation."""

    model: int = 0
    tool: int = 0
    step: int = 0
    agent: int = 0
    task: int = 0


class Tokens(Answer):
    """What the executed model calls consumed."""

    input: int = 0
    output: int = 0


class RestoringCall(Answer):
    """An earlier call that would be executed again."""

    component: str
    invocation: int
    effects: str


class Restores(Answer):
    """What would bring a state outside the process to where the record left it."""

    state: str
    calls: list[RestoringCall]


class Hold(Answer):
    """Something that the gate holds: an invocation before or after, a question to the user, a replay that diverged."""

    hold: int
    when: Literal["before", "after", "input", "diverged"]
    reason: str = ""
    since: float = 0.0
    component: str = ""
    call: str | None = None
    type: str = ""
    message: int | None = None
    invocation: int | None = None
    parent: int | None = None
    body: str | None = None
    """Hash of the input, or of the output or error."""
    failed: bool = False
    effects: str | None = None
    offers: list[str] = Field(default_factory=list)
    """What is suggested as the answer, where not everything makes sense."""
    prompt: str | None = None
    others: bool = False
    """Others of the program may go on, and answer it."""
    restores: Restores | None = None
    set: bool = False
    """Whether another input or result was set for it, which is given when it is let go."""


class Outline(Answer):
    """An edit without its value."""

    op: str
    seq: int | None = None
    component: str | None = None


class RunSummary(Answer):
    """A run as one line of a list; long texts are cut short."""

    run: str
    name: str
    status: State
    live: bool
    spec: str
    parent: str | None
    cut: int | None
    edits: list[Outline]
    changed: str
    """What was changed in a fork, in a few words."""
    changed_at: int | None
    """The record of its parent that was changed: a message, an input, or the end of the call whose output it was."""
    records: int
    created: float
    ended: float | None
    input: str
    output: str
    error: str
    calls: Calls | None
    """Invocations that were executed, by kind; null, as the other figures, where nobody has counted them yet."""
    tokens: Tokens | None
    cost: float | None
    seconds: float | None
    outcome: Outcome | None
    """What a verdict says, or whether the output holds the expected answer; null where neither is known."""
    expected: str | None
    """The answer that is expected of it, or of the nearest run that it was forked from."""
    imported: bool
    """It was read from a log of something else: there is no program that could be run or forked."""
    timed: bool
    """False: its log has no times, and those of the run say when it was imported."""
    untrusted: bool
    """It came in a file: somebody else wrote what a fork of it would start."""


class RunBranch(RunSummary):
    """A run in a tree that is written as a list: `depth` forks below a root, and followed by its own forks."""

    depth: int


class Breakpoint(Answer):
    id: int
    text: str
    enabled: bool


class RestoredState(Answer):
    """What was done to bring a state outside the process to where the record left it; `different` steps did not give
    what is recorded.
    """

    state: str
    loaded: int
    repeated: int
    skipped: int
    different: int


class RunState(Answer):
    """What changes about a run while it goes on."""

    run: str
    name: str
    status: State
    live: bool
    records: int
    cut: int | None
    changed: str
    """What was changed in a fork, in a few words."""
    changed_at: int | None
    """The record of its parent that was changed: a message, an input, or the end of the call whose output it was."""
    new_code: list[str]
    """The program's own files whose code a fork has anew, against what its parent imported."""
    ended: float | None
    held: list[Hold] = Field(default_factory=list)
    breakpoints: list[Breakpoint] = Field(default_factory=list)
    """Those of a live run."""
    difference: Json = None
    """Where a replay first differs from what its parent recorded."""
    trouble: str = ""
    """Why the store does not take what the process records, while it does not."""
    pid: int | None = None
    """Number of the run's process, while it lives."""
    adopted: bool = False
    """Another server started the process, and ended before it."""
    executed: Calls = Calls()
    reused: Calls = Calls()
    mocked: Calls = Calls()
    tokens: Tokens = Tokens()
    cost: float = 0.0
    seconds: float = 0.0
    """Time spent in executed model and tool calls."""
    restored: list[RestoredState] = Field(default_factory=list)
    """In a fork, by the name of the state."""
    outcome: Outcome | None = None
    expected: str | None = None
    imported: bool = False
    timed: bool = True
    """False: its log has no times, and those of the run say when it was imported."""
    untrusted: bool = False
    """It came in a file: to fork or build it asks for `trust`."""


class RunInfo(RunState):
    """A run whole."""

    spec: str
    folder: str
    python: str
    parent: str | None
    reuse: str | None
    edits: list[Edit]
    mocks: list[Edit]
    """Mocks that hold since its start."""
    config: dict[str, Json]
    """Settings at its start, by ``component.key``."""
    args: list[str]
    log: str
    """Of an imported run: what it was read from, such as ``LangSmith``."""
    recognised: str
    """Of an imported run: what of its file showed that."""
    guessed: list[str]
    """Of an imported run: what its log does not say and was taken for likely."""
    created: float
    input: Json
    output: Json
    error: Json


class RenameRequest(Request):
    """What a run is called from now on; an empty name takes it back."""

    name: str


class RunRequest(Request):
    """Start a run of a target.  Without `input`, the target starts without one."""

    spec: str
    input: Json = None
    headless: bool = False
    pause: bool = False
    breakpoints: list[str] = Field(default_factory=list)
    python: str | None = None
    config: dict[str, Json] = Field(default_factory=dict)
    """Settings at the start, by ``component.key``."""
    edits: list[Edit] = Field(default_factory=list)
    """Mocks that hold from the start: each names a component, and the inputs that it is for."""
    folder: str | None = None
    args: list[str] = Field(default_factory=list)
    name: str = ""
    expected: str | None = None
    """The right answer, by which the run and its forks are judged."""
    env: dict[str, str] | None = None
    """The whole environment of the process; the server's own where it is not given.  It is not kept."""


class DemoRequest(Request):
    """Start the demo's run; what is left out is chosen so that it works wherever Outtake is installed."""

    python: str | None = None
    """An interpreter; the team is AutoGen's where it has AutoGen, else in plain Python."""
    model: str = ""
    """A real model, as ``openai:NAME``, instead of the scripted ones."""
    question: str | None = None
    """Another question than the demo's own."""
    headless: bool = False


class ForkRequest(Request):
    """Fork a run at a record: at `at`, else at the first record that an edit changes, else at the end."""

    at: Seq | None = None
    edits: list[Edit] = Field(default_factory=list)
    reuse: Reuse = "matching"
    live: list[str] = Field(default_factory=list)
    """Components that execute in any case."""
    repeat: Repeat | None = None
    serve_failures: bool = False
    """Whether calls that failed are served after the cut, too, instead of tried again."""
    headless: bool = False
    pause: bool = False
    breakpoints: list[str] = Field(default_factory=list)
    python: str | None = None
    name: str = ""
    env: dict[str, str] | None = None
    trust: bool = False
    """Start the program of a run that came in a file; without it such a fork is refused as `untrusted`."""


class ConsolePart(Answer):
    """Something that the process printed."""

    n: int
    stream: int = Field(description="1: output, 2: error")
    text: str


class Console(Answer):
    """What the process of a run printed."""

    run: str
    parts: list[ConsolePart]


class Deleted(Answer):
    run: str
    deleted: bool
    texts: int
    """Parts of bodies that went with it."""
    stays: list[str]
    """What is left of it, in words, with the reason."""


class Vacuumed(Answer):
    """What cleaning the store up gave."""

    texts: int
    """Parts of bodies that no run referred to."""
    before: int
    """Bytes of the database in the file system."""
    after: int


class Imported(Answer):
    """What an uploaded file brought: its last run, and how each of its runs is called here."""

    run: str
    runs: dict[str, str]
    log: str
    """What kind of log it is; empty: it is an export of Outtake."""
    recognised: str
    """What of the file showed that."""
    guessed: list[str]
    """What the log does not say and was taken for likely."""
