"""Steps that the record answers for as a whole: what they read decides, what they changed is done again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outtake_probe.attached import active
from outtake_probe.calls import Call, Message
from outtake_probe.codec import Opaque
from outtake_probe.edits import Edit
from outtake_probe.gate.invoke import call, send
from outtake_probe.records import InvocationEnded, InvocationStarted, Json, MessageQueued, RunEnded
from tests.probe.inprocess import Log, execute

START = "start"


@dataclass
class State:
    """What the steps of a program share, watched by key."""

    values: dict[str, str] = field(default_factory=dict)
    lock: object = None
    touches_lock: bool = False


@dataclass
class Watching:
    """`Whole` for a step of a program with a `State`."""

    state: State
    read: dict[str, str | None] = field(default_factory=dict)
    set: dict[str, str] = field(default_factory=dict)
    locked: bool = False
    redone: list[int] = field(default_factory=list)

    def begin(self) -> None:
        self.read.clear()
        self.set.clear()

    def changes(self) -> Json:
        if self.locked:
            raise Opaque("a lock")
        return {"read": self.read, "set": self.set}

    def same(self, changes: Json) -> bool:
        return all(self.state.values.get(name) == value for name, value in changes["read"].items())

    def redo(self, changes: Json, sent: Sequence[int]) -> None:
        self.state.values.update(changes["set"])
        self.redone.extend(sent)


@dataclass(frozen=True)
class Step:
    """One step: which keys it reads, which it sets, whether it holds a lock, calls a model, sends a message."""

    name: str
    reads: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    locks: bool = False


@dataclass
class Program:
    """Steps, each with the previous one's output as its input; what was really executed."""

    steps: Sequence[Step]
    executed: list[int] = field(default_factory=list)
    models: int = 0

    def __call__(self) -> str:
        state, text = State(), START
        for number, step in enumerate(self.steps):
            text = self._step(number, step, state, text)
        return text + "".join(f"{k}{v}" for k, v in sorted(state.values.items()))

    def _step(self, number: int, step: Step, state: State, text: str) -> str:
        session = active()
        assert session is not None
        watching = Watching(state)
        what = Call("step", step.name, text, whole=watching)

        def run(_: object) -> str:
            self.executed.append(number)
            watching.locked = step.locks
            seen = [state.values.get(key) for key in step.reads]
            watching.read.update(zip(step.reads, seen, strict=True))
            answer = call(session, Call("model", "model", [text, seen]), lambda _: self._model(text, seen))
            for key in step.sets:
                state.values[key] = watching.set[key] = _hash(answer, key)
            return _hash(answer, step.name)

        result = call(session, what, run)
        assert what.number >= 0
        return result

    def _model(self, text: str, seen: Sequence[str | None]) -> str:
        self.models += 1
        return _hash(text, *map(str, seen))


def _hash(*parts: str) -> str:
    return hashlib.blake2b("|".join(parts).encode(), digest_size=6).hexdigest()


def _starts(log: Log) -> list[InvocationStarted]:
    return [r for r in log.records if isinstance(r, InvocationStarted) and r.call == "step"]


def _how(log: Log) -> list[str]:
    return [r.how for r in log.records if isinstance(r, InvocationEnded) and r.call == "step"]


_KEYS = ("a", "b", "c")
_keys = st.lists(st.sampled_from(_KEYS), unique=True, max_size=2).map(tuple)
_steps = st.lists(
    st.builds(Step, st.sampled_from(("draw", "rank", "sum")), _keys, _keys, st.booleans()), min_size=1, max_size=7
)


@settings(max_examples=60, deadline=None)
@given(_steps)
def test_an_unedited_fork_anywhere_calls_nothing(steps: list[Step]) -> None:
    parent = execute(Program(steps))
    for cut in range(len(parent.records) + 1):
        program = Program(steps)
        fork = execute(program, parent=parent, cut=cut)
        assert (fork.status, fork.output) == ("completed", parent.output)
        assert program.models == 0
        assert program.executed == [n for n, step in enumerate(steps) if step.locks]


def _affected(steps: Sequence[Step], changed: int) -> list[int]:
    """Steps after `changed` whose input, or a value that they read, follows from its output or from what it set."""
    tainted: set[str] = set()
    output_tainted = True
    found = []
    for number in range(changed + 1, len(steps)):
        step = steps[number]
        output_tainted = output_tainted or not tainted.isdisjoint(step.reads)
        if output_tainted:
            found.append(number)
            tainted.update(step.sets)
        else:
            tainted.difference_update(step.sets)
    return found


@settings(max_examples=60, deadline=None)
@given(_steps, st.data())
def test_an_edit_executes_what_follows_from_it(steps: list[Step], data: st.DataObject) -> None:
    parent = execute(Program(steps))
    starts = _starts(parent)
    changed = data.draw(st.integers(0, len(starts) - 1))
    program = Program(steps)
    edit = Edit(op="mock_output", seq=starts[changed].seq, component=starts[changed].component, value="mocked")
    fork = execute(program, parent=parent, cut=starts[changed].seq, edits=[edit])
    affected = set(_affected(steps, changed))
    reexecuted = {n for n, step in enumerate(steps) if step.locks and n != changed}
    assert program.models == len(affected)
    assert set(program.executed) == affected | reexecuted
    assert _how(fork)[changed] == "mocked"


def test_what_was_read_beside_the_input_decides() -> None:
    steps = [Step("draw", sets=("a",)), Step("rank", sets=("b",)), Step("sum", reads=("a",)), Step("show")]
    parent = execute(Program(steps))
    first = _starts(parent)[0].seq
    program = Program(steps)
    execute(program, parent=parent, cut=first, edits=[Edit(op="execute", seq=first)])
    assert program.executed == [0]
    assert program.models == 0


def test_a_pattern_over_the_input_says_which_one_is_mocked() -> None:
    steps = [Step("draw"), Step("draw"), Step("draw")]
    plain = execute(Program(steps))
    second = plain.body(_starts(plain)[1].body)
    program = Program(steps)
    mocks = [
        Edit(op="mock_output", component="draw", where=second, value="here"),
        Edit(op="mock_output", component="draw", where={"$regex": "^never$"}, value="there"),
    ]
    fork = execute(program, parent=plain, cut=0, edits=mocks)
    assert _how(fork) == ["reused", "mocked", "executed"]
    assert program.executed == [2]
    last = fork.records[-1]
    assert isinstance(last, RunEnded)
    assert last.unused == (1,)


def test_the_nth_of_those_that_match_is_mocked() -> None:
    steps = [Step("draw")] * 4
    parent = execute(Program(steps))
    program = Program(steps)
    edit = Edit(op="mock_output", component="draw", where={"$regex": "."}, occurrence=3, value="mocked")
    execute(program, parent=parent, cut=0, edits=[edit])
    assert program.executed == [3]


def test_something_inside_that_is_to_be_live_makes_its_step_run() -> None:
    steps = [Step("draw"), Step("rank")]
    parent = execute(Program(steps))
    program = Program(steps)
    execute(program, parent=parent, cut=0, live=("draw/model", "model"))
    assert program.executed == [0, 1]
    assert program.models == 2


def test_messages_that_a_served_step_sent_are_sent_again_under_their_new_numbers() -> None:
    watched: list[Watching] = []

    def program() -> str:
        session = active()
        assert session is not None
        for name in ("first", "second"):
            watching = Watching(State())
            watched.append(watching)

            def run(_: object, name: str = name) -> str:
                return str(send(session, Message(name, "all", "text", f"hello from {name}")).id)

            call(session, Call("step", name, "go", whole=watching, encode=lambda _: "done", decode=str), run)
        return "end"

    parent = execute(program)
    watched.clear()
    fork = execute(program, parent=parent, cut=1, edits=[Edit(op="replace_input", seq=1, value="on")])
    numbers = [r.seq for r in fork.records if isinstance(r, MessageQueued)]
    assert [w.redone for w in watched] == [[number] for number in numbers]


@pytest.mark.parametrize("effects", ["write", "irreversible"])
def test_a_step_that_is_declared_to_write_is_executed(effects: str) -> None:
    steps = [Step("draw"), Step("rank")]
    parent = execute(Program(steps))
    program = Program(steps)

    def run() -> str:
        session = active()
        assert session is not None
        session.settings.effects["draw"] = effects  # type: ignore[assignment]
        return program()

    execute(run, parent=parent, cut=1)
    assert program.executed == [0]
    assert program.models == 0
