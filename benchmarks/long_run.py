"""A long run of a team of agents, written straight into a store: what tests and benchmarks of long runs read.

    python -m benchmarks.long_run --store DIR [--records 100000] [--forks N] [--seed N]

The team is a Magentic-One one as AutoGen runs it: an orchestrator asks one of four members after the other, every
message goes to everyone, prompts grow with the conversation until the orchestrator plans anew and all of them forget.
The same seed writes the same records.  Each fork leaves another run of the tree at an instruction that it replaces.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.sayings import Sayings
from outtake.core.runs import Counts, Fork, Launch, Run
from outtake.store import Store
from outtake_probe.bodies import Bodies, Growing
from outtake_probe.records import (
    ConfigSet,
    Edited,
    InvocationEnded,
    InvocationStarted,
    Json,
    MessageDropped,
    MessageQueued,
    Noted,
    Record,
    RunEnded,
    RunStarted,
    SpanEnded,
    SpanStarted,
    StreamChunk,
    ValueRead,
    from_json,
    written,
)

RECORDS = 100_000
TASK = "How many at bats did the Yankee with the most walks in the 1977 regular season have that same season?"
NEEDLE = "the heron of Ostrava sleeps at noon"
"""Said by one page in the middle of a run, and repeated by the messages and prompts that hold that page."""
ANSWER = "The Yankee with the most walks was Roy White.\n\nFINAL ANSWER: 519"
ORCHESTRATOR, OUTPUT, TEAM = "team/orchestrator", "team/output", "team"
PLAN = 60
"""Rounds after which the orchestrator plans anew."""
LEAST = 400
"""Records of the shortest run."""
ROUND = 200
"""More records than a round writes."""
_BATCH = 2000
_START = 1_750_000_000.0


@dataclass(frozen=True)
class Member:
    """One of the team, with the tools that it calls."""

    name: str
    tools: Sequence[str] = ()
    model: bool = True

    @property
    def path(self) -> str:
        return f"{TEAM}/{self.name}"


MEMBERS = (
    Member("WebSurfer", ("search", "click", "find_on_page")),
    Member("Coder"),
    Member("Executor", ("run_code",), model=False),
    Member("FileSurfer", ("list_files", "open_file")),
)


@dataclass
class Log:
    """Numbers records and keeps them, with the nodes of their bodies, until they are written."""

    bodies: Bodies
    next: int = 0
    at: float = _START
    kept: list[dict[str, Json]] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    began: dict[int, float] = field(default_factory=dict)
    """When the invocations that go on began."""

    def write(self, cls: type[Record], *, body: Json = ..., took: float = 0.0005, **fields: Json) -> int:
        """Append a record `took` seconds after the last one; returns its number."""
        seq = self.next
        self.next += 1
        self.at += took
        if body is not ...:
            fields["body"] = self.bodies.put(body)
            if cls in (MessageQueued, InvocationStarted):
                fields["digest"] = fields["body"]
        named = {MessageQueued: "message", InvocationStarted: "invocation", SpanStarted: "span"}.get(cls)
        if named is not None:
            fields[named] = seq
        if cls is InvocationStarted:
            self.began[seq] = self.at
        elif cls is InvocationEnded:
            fields["seconds"] = round(self.at - self.began.pop(fields["invocation"]), 6)
        self.kept.append(written(cls, seq, round(self.at, 6), fields))
        if cls is InvocationEnded:
            self.counts.add(from_json(self.kept[-1]), 0)
        return seq

    def copy(self) -> Log:
        """The log of a fork that begins here."""
        served = Counts(reused=self.counts.executed + self.counts.reused)
        return Log(self.bodies, self.next, self.at + 60, counts=served, began=dict(self.began))


@dataclass(frozen=True)
class Order:
    """What the orchestrator is about to tell: to everyone, but one member is asked for an answer."""

    member: Member
    instruction: str
    cut: int


class Turn(NamedTuple):
    """An agent at work: its invocation, and the message that it answers."""

    invocation: int
    message: int


class Team:
    """A team at work: `ask` and `tell` make a round, `copy` is where a fork begins."""

    def __init__(self, log: Log, seed: int, needle: int | None) -> None:
        self.log = log
        self.says = Sayings(random.Random(seed))
        self.needle = needle
        """Number of the record after which the needle is said."""
        self.round = 0
        self.heard: dict[str, Growing] = {}
        """The conversation of each agent, as its model is told it."""
        self.sizes: dict[str, int] = {}
        self.flow = 0
        self.turn = Turn(0, 0)
        """The orchestrator's."""

    def copy(self, seed: int) -> Team:
        """This team in another run that shares all its records so far."""
        made = Team(self.log.copy(), seed, self.needle)
        made.round, made.turn, made.flow = self.round, self.turn, self.flow
        made.heard, made.sizes = dict(self.heard), dict(self.sizes)
        return made

    def start(self) -> None:
        """Begin the run: the user asks, the orchestrator makes a plan."""
        write = self.log.write
        write(RunStarted, body=TASK, python="3.12.3", seed=1977)
        made = write(InvocationStarted, component="get_team", call="flow", body={})
        write(
            InvocationEnded, component="get_team", call="flow", invocation=made, body={"made": "MagenticOneGroupChat"}
        )
        self.flow = write(InvocationStarted, component=TEAM, call="flow", body={"input": TASK})
        asked = {"messages": [_message("user", TASK)], "output_task_messages": True}
        message = self._queue("user", ORCHESTRATOR, "GroupChatStart", asked, Turn(self.flow, 0))
        self._take_turn("GroupChatStart", message, asked)
        self._plan()

    def ask(self) -> Order:
        """The orchestrator's model says who is next, and what that one is to do."""
        self.round += 1
        if self.round % PLAN == 0:
            self._plan()
        chance = self.says.chance
        member, instruction = chance.choice(MEMBERS), self.says.sentence()
        if chance.random() < 0.03:
            self.log.write(ValueRead, source="time.time", value=round(self.log.at, 3), parent=self.turn.invocation)
        if chance.random() < 0.005:
            model = f"{ORCHESTRATOR}/model"
            self.log.write(ConfigSet, component=model, body=round(chance.random(), 2), key="temperature", by="user")
        self._model(ORCHESTRATOR, self.turn.invocation, self.says.ledger(member.name, instruction))
        return Order(member, instruction, self.log.next)

    def tell(self, order: Order, instead: str | None = None) -> None:
        """The orchestrator tells everyone, the member answers.  `instead`: a fork's edit replaces what is told."""
        said = _response(ORCHESTRATOR, _message("MagenticOneOrchestrator", instead or order.instruction))
        parent = self.turn.invocation
        edited: dict[str, Json] = {}
        if instead is not None:
            was = self.log.bodies.put(_response(ORCHESTRATOR, _message("MagenticOneOrchestrator", order.instruction)))
            self.log.write(Edited, component=ORCHESTRATOR, parent=parent, body=said, op="replace_message", was=was)
            edited = {"edited": True}
        told = []
        for member in MEMBERS:
            told.append((member.path, self._queue(ORCHESTRATOR, member.path, "GroupChatAgentResponse", said, **edited)))
            edited = {}
        request = self._queue(ORCHESTRATOR, order.member.path, "GroupChatRequestPublish", {})
        self._end(ORCHESTRATOR, parent)
        self._deliver(told, said)
        self._hear([ORCHESTRATOR, *(m.path for m in MEMBERS)], said["response"]["chat_message"])
        self._answer(order.member, request)

    def finish(self, records: int) -> None:
        """End the run with so many records."""
        while self.log.next < records - 5:
            about: dict[str, Json] = {"component": ORCHESTRATOR, "parent": self.turn.invocation}
            self.log.write(Noted, type="log", body=self.says.sentence(), **about)
        if self.log.next < records - 3:
            self._model(ORCHESTRATOR, self.turn.invocation, ANSWER, plain=True)
        self._end(ORCHESTRATOR, self.turn.invocation)
        result = {"answer": ANSWER, "stop_reason": "Every member has reported.", "messages": self.round * 2 + 2}
        self._end(TEAM, self.flow, result, call="flow")
        self.log.write(RunEnded, body=result)

    # -- what happens in a round -------------------------------------------------------------------------------------

    def _plan(self) -> None:
        """Facts, a plan, and everyone forgets what was said before."""
        self._model(ORCHESTRATOR, self.turn.invocation, self.says.markdown())
        self._model(
            ORCHESTRATOR, self.turn.invocation, "\n".join(f"- {m.name}: {self.says.sentence()}" for m in MEMBERS)
        )
        resets = [(m.path, self._queue(ORCHESTRATOR, m.path, "GroupChatReset", {})) for m in MEMBERS]
        self._deliver(resets, {}, "GroupChatReset")
        self.heard.clear()
        self.sizes.clear()
        told = _message("MagenticOneOrchestrator", f"We are working to address:\n\n{TASK}\n\n{self.says.markdown()}")
        self._hear([ORCHESTRATOR, *(m.path for m in MEMBERS)], told)

    def _answer(self, member: Member, request: int) -> None:
        """A member is asked: it thinks, calls tools, and tells everyone what it found."""
        turn = Turn(self._start(member.path, {}, request, "GroupChatRequestPublish"), request)
        chance = self.says.chance
        inner: list[Json] = []
        for _ in range(chance.choice((0, 1, 1, 2, 3)) if member.tools else 0):
            inner += self._tool(member, turn, chance.choice(member.tools))
        text = chance.choice((self.says.paragraph, self.says.markdown, self.says.code, self.says.csv))()
        if member.model:
            self._model(member.path, turn.invocation, text)
        message = _message(member.name, text)
        if chance.random() < 0.02:
            picture = {"type": "Image", "data": self.says.picture()}
            message = {"type": "MultiModalMessage", "source": member.name, "content": [text, picture]}
        self._show(member, turn, message)
        others = [m.path for m in MEMBERS if m is not member]
        said = _response(member.path, message, inner)
        told = [(path, self._queue(member.path, path, "GroupChatAgentResponse", said, turn)) for path in others]
        back = self._queue(member.path, ORCHESTRATOR, "GroupChatAgentResponse", said, turn)
        self._end(member.path, turn.invocation)
        if chance.random() < 0.02:
            team = Turn(self.flow, 0)
            unwanted = self._queue("user", member.path, "TextMessage", self.says.sentence(), team, injected=True)
            self.log.write(MessageDropped, component="user", message=unwanted)
        self._deliver(told, said)
        self._hear([ORCHESTRATOR, *(m.path for m in MEMBERS)], message)
        self._take_turn("GroupChatAgentResponse", back, said)

    def _tool(self, member: Member, turn: Turn, tool: str) -> list[Json]:
        """The member's model asks for a tool, and the tool answers, as a rule; what it says of both."""
        chance, write = self.says.chance, self.log.write
        arguments = {"query": self.says.title(), "limit": chance.randint(1, 20)}
        call = {"id": f"call_{self.log.next}", "name": tool, "arguments": json.dumps(arguments)}
        thought = self.says.sentence()
        if member.model:
            self._model(member.path, turn.invocation, [call], thought)
        asked = {"type": "ToolCallRequestEvent", "source": member.name, "content": [call]}
        self._show(member, turn, asked)
        path = f"{member.path}/tools/{tool}"
        effects = "write" if tool == "run_code" else "read"
        started = write(
            InvocationStarted,
            component=path,
            call="tool",
            parent=turn.invocation,
            body=arguments,
            effects=effects,
        )
        span = self._span("request", path, started) if chance.random() < 0.3 else None
        failed = chance.random() < 0.03
        found: Json = self._error(tool) if failed else self._page()
        took = chance.uniform(0.05, 4.0)
        if span is not None:
            write(SpanEnded, span=span, seconds=took, failed=failed, body={"bytes": len(str(found))}, took=took)
        write(Noted, component=path, parent=turn.invocation, type="thought", body=thought)
        self._end(path, started, found, call="tool", parent=turn.invocation, took=took, failed=failed)
        content = found["message"] if failed else found
        done = {"content": content, "name": tool, "call_id": call["id"], "is_error": failed}
        result = {"type": "ToolCallExecutionEvent", "source": member.name, "content": [done]}
        self._show(member, turn, result)
        return [{"type": "ThoughtEvent", "source": member.name, "content": thought}, asked, result]

    def _page(self) -> str:
        chance = self.says.chance
        text = self.says.page(int(min(60_000, 300 * chance.paretovariate(0.9))))
        if self.needle is not None and self.log.next > self.needle:
            self.needle = None
            half = text.find("\n", len(text) // 2) + 1
            text = f"{text[:half]}{NEEDLE}\n{text[half:]}"
        return text

    def _error(self, tool: str) -> Json:
        source = f"raise TimeoutError({self.says.sentence()!r})"
        frames = [
            {"file": "tools.py", "line": 40 + n, "function": name, "source": source, "locals": {"tool": repr(tool)}}
            for n, name in enumerate((tool, "fetch"))
        ]
        told = f"{tool} took too long: {self.says.sentence()}"
        return {"$type": "exception", "class": "TimeoutError", "message": told, "args": [told], "frames": frames}

    def _model(self, path: str, parent: int, content: Json, thought: str = "", *, plain: bool = False) -> None:
        """A model call with the conversation so far; some answers come in pieces."""
        chance, component = self.says.chance, f"{path}/model"
        system = {"type": "SystemMessage", "content": f"You are {path}. Do what the last instruction says."}
        heard = self.heard.get(path) or Growing([system])
        prompt = {"model": "scripted-1", "messages": heard}
        started = self.log.write(
            InvocationStarted, component=component, call="model", parent=parent, type="Scripted", body=prompt
        )
        took = chance.uniform(0.2, 6.0)
        if isinstance(content, str) and not plain and chance.random() < 0.3:
            self._stream(component, started, content, took)
        tokens_in, tokens_out = self.sizes.get(path, 100) // 4 + 20, len(str(content)) // 4 + 1
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        told = {
            "content": content,
            "finish_reason": "stop",
            "usage": usage,
            **({"thought": thought} if thought else {}),
        }
        spent = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": tokens_in * 3e-7 + tokens_out * 1.2e-6}
        self._end(component, started, told, call="model", parent=parent, took=took, **spent)

    def _stream(self, component: str, invocation: int, text: str, took: float) -> None:
        pieces = self.says.pieces(text)
        size = len(pieces) // self.says.chance.randint(1, 4) + 1
        for at in range(0, len(pieces), size):
            part = pieces[at : at + size]
            about = {"index": at, "count": len(part)}
            self.log.write(StreamChunk, component=component, invocation=invocation, body=part, took=took / 8, **about)

    def _show(self, member: Member, turn: Turn, message: Json) -> None:
        """What a member does is told to the team's output."""
        body = {"message": message}
        queued = self._queue(member.path, OUTPUT, "GroupChatMessage", body, turn)
        self._deliver([(OUTPUT, queued)], body, "GroupChatMessage")

    def _span(self, name: str, path: str, parent: int) -> int:
        return self.log.write(SpanStarted, component=path, parent=parent, name=name, body={"method": "GET"})

    # -- messages ----------------------------------------------------------------------------------------------------

    def _queue(self, sender: str, to: str, type: str, body: Json, turn: Turn | None = None, **more: Json) -> int:
        inside, cause = turn or self.turn
        causes = [cause] if cause else []
        return self.log.write(
            MessageQueued, component=sender, recipient=to, type=type, body=body, parent=inside, caused_by=causes, **more
        )

    def _deliver(self, queued: Sequence[tuple[str, int]], body: Json, type: str = "GroupChatAgentResponse") -> None:
        """Messages that their recipients only take note of."""
        for path, message in queued:
            self._end(path, self._start(path, body, message, type))

    def _take_turn(self, type: str, message: int, body: Json) -> None:
        self.turn = Turn(self._start(ORCHESTRATOR, body, message, type), message)

    def _start(self, path: str, body: Json, message: int, type: str) -> int:
        """A message is delivered to an agent."""
        about: dict[str, Json] = {"message": message, "caused_by": [message], "parent": self.flow}
        return self.log.write(InvocationStarted, component=path, call="agent", type=type, body=body, **about)

    def _end(
        self, path: str, invocation: int, body: Json = None, *, call: str = "agent", took: float = 0.0005, **more: Json
    ) -> None:
        about: dict[str, Json] = {"call": call, "invocation": invocation}
        if call == "agent":
            about["parent"] = self.flow
        self.log.write(InvocationEnded, component=path, body=body, took=took, **{**about, **more})

    def _hear(self, paths: Sequence[str], message: Json) -> None:
        """Agents remember what was said."""
        said = {"type": "UserMessage", "source": message["source"], "content": message["content"]}
        for path in paths:
            before = self.heard.get(path) or Growing([{"type": "SystemMessage", "content": f"You are {path}."}])
            self.heard[path] = Growing([*before, said], before)
            self.sizes[path] = self.sizes.get(path, 100) + len(str(message["content"]))


def _message(source: str, content: str) -> Json:
    return {"type": "TextMessage", "source": source, "content": content}


def _response(path: str, message: Json, inner: Sequence[Json] = ()) -> Json:
    return {
        "response": {"chat_message": message, "inner_messages": list(inner) or None},
        "name": path.rpartition("/")[2],
    }


# -- runs ------------------------------------------------------------------------------------------------------------

LAUNCH = Launch(spec="team.py:get_team", folder=".", python="", input=TASK, has_input=True)
"""Nothing can be started: the log is made up."""


@dataclass
class Branch:
    """A run that is to be written: which other one it leaves, where, and how long it is."""

    parent: int
    """Its place among the branches; the first one has none."""
    leaves: int
    """It leaves its parent at the first instruction from this record on."""
    records: int
    team: Team | None = None
    """The team and what it is about to be told where it leaves, once its parent has come there."""
    order: Order | None = None


def write_runs(store: Store, records: int = RECORDS, *, forks: int = 0, seed: int = 1) -> list[Run]:
    """Write a run with so many records, and forks of it and of each other; returns them, the run first."""
    if records < LEAST:
        raise ValueError(f"a long run has {LEAST} records or more, not {records}")
    branches = _branches(records, forks, random.Random(seed))
    branches[0].team = Team(Log(Bodies()), seed, records // 2)
    runs: list[Run] = []
    for number, branch in enumerate(branches):
        children = [other for other in branches if other.parent == number]
        parent = runs[branch.parent] if number else None
        runs.append(_write_run(store, branch, parent, children, seed * 1000 + number))
    return runs


def _branches(records: int, forks: int, chance: random.Random) -> list[Branch]:
    found = [Branch(-1, 0, records)]
    for _ in range(forks):
        parent = chance.randrange(len(found)) if chance.random() < 0.3 else 0
        leaves = chance.randint(found[parent].leaves + 150, found[parent].records - ROUND)
        found.append(Branch(parent, leaves, leaves + chance.randint(2 * LEAST, 2 * LEAST + records // 10)))
    return found


def _write_run(store: Store, branch: Branch, parent: Run | None, children: Sequence[Branch], seed: int) -> Run:
    """Write one run; its children get a copy of the team where they leave."""
    team, order = branch.team, branch.order
    if team is None:
        raise RuntimeError("the parent did not come to where this one leaves it")
    began, fork, name = team.log.at, None, "long run"
    if parent is not None and order is not None:
        instead = team.says.sentence()
        edit = {"op": "replace_message", "seq": order.cut, "component": ORCHESTRATOR, "call": "message"}
        fork = Fork(parent=parent.id, cut=order.cut, edits=[{**edit, "value": instead}])
        name = f"left {parent.id} at {order.cut}"
        team.tell(order, instead)
    else:
        team.start()
    run = store.create(LAUNCH, fork, seed=seed, name=name, status="completed")
    waiting = sorted(children, key=lambda child: child.leaves)
    while waiting or team.log.next < branch.records - ROUND:
        order = team.ask()
        while waiting and waiting[0].leaves <= order.cut:
            child = waiting.pop(0)
            child.team, child.order = team.copy(seed * 7919 + child.leaves), order
        team.tell(order)
        _store(store, run, team.log, _BATCH)
    team.finish(branch.records)
    _store(store, run, team.log)
    ended = {"created": began, "ended": team.log.at, "output": {"answer": ANSWER}}
    store.change(run.id, **ended, counts=team.log.counts.json())
    return store.run(run.id)


def _store(store: Store, run: Run, log: Log, least: int = 0) -> None:
    """Store the records that are kept, where there are enough of them."""
    if len(log.kept) >= least:
        store.append(run.id, log.kept, log.bodies.take())
        log.kept.clear()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.long_run", description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path, required=True, help="folder of the store")
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--forks", type=int, default=0, help="runs that leave it, or each other")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.perf_counter()
    store = Store(given.store)
    runs = write_runs(store, given.records, forks=given.forks, seed=given.seed)
    seconds = time.perf_counter() - began
    size = sum(path.stat().st_size for path in given.store.glob("outtake.db*"))
    store.close()
    for run in runs:
        print(f"{run.id}  {run.records:,} records  {run.name}")
    print(f"{seconds:.1f} s, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
