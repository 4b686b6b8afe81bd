"""The debugger's prompt, in the manner of pdb: a person steps through a live run and changes what is held.

`converse` follows the run until it rests, then takes commands until one lets it go on.  A run that has ended can still
be looked at and forked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rich.text import Text

from outtake.cli import differences, outcome, parsing, render_hold
from outtake.cli.context import Document, Front
from outtake.cli.keyboard import keyboard
from outtake.cli.problems import Problem
from outtake.cli.transcript import Transcript, bodies
from outtake.cli.trusting import trusting
from outtake.cli.watch import RunReader, watching
from outtake.core import words

if TYPE_CHECKING:
    from outtake.service import Service

HISTORY = "history"
Ended = Literal["ended", "quit"]


class Then(Enum):
    """What follows a command: the next one, or the run goes on, or the conversation is over."""

    STAY = auto()
    GO = auto()
    QUIT = auto()


class Prompt:
    """One conversation about one run at a time; `fork` turns it to another."""

    def __init__(self, front: Front, service: Service, watch: RunReader) -> None:
        self.front = front
        self.service = service
        self.watch = watch
        self._answered: set[int] = set()
        self._known: set[int] = set()
        self._keys = keyboard(front, front.folder / HISTORY, self._choices)
        self._last = ""

    @property
    def run(self) -> str:
        return self.watch.run

    def converse(self, *, until_quit: bool = False) -> Ended:
        """Follow the run and take commands until it has ended, or the user has enough."""
        while True:
            self._follow()
            if self.watch.ended:
                if not until_quit:
                    return "ended"
                outcome.print_outcome(self.front.out, self.service.info(self.run))
                self.front.out.print("it has ended: show, diff and fork work; quit leaves", style="dim")
            if self._take_commands() is Then.QUIT:
                return "quit"

    def _follow(self) -> None:
        """Let things happen until something new is held; Ctrl-C holds the program at its next step."""
        try:
            self.watch.until_rest(answered=self._answered, known=self._known)
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                self._pause()
        self._show_holds(fresh_only=True)

    def _pause(self) -> None:
        """Hold the program at its next step, and show what happens until then: a long call may take its time."""
        self.say("pausing: it holds at its next step; Ctrl-C again opens the prompt before that")
        with suppress(*_refusals()):  # it may have ended just now
            self.service.control(self.run, "pause")
        self.watch.until_rest(answered=self._answered, known=self._known)

    def _take_commands(self) -> Then:
        over_before = self.watch.ended
        while True:
            try:
                line = self._keys.line(f"({self.run}) ")
            except KeyboardInterrupt:
                continue
            if line is None:
                return Then.QUIT
            self._show_holds(fresh_only=True)
            then = self._obey(line.strip() or self._last)
            if then is not Then.STAY:
                return then
            if self.watch.ended and not over_before:
                return Then.GO

    def _obey(self, line: str) -> Then:
        """Do what a line says; an empty one repeats a step."""
        name, _, rest = line.partition(" ")
        if not name:
            return Then.STAY
        found = BY_NAME.get(name)
        if found is None:
            self.say(f"unknown command {name!r}; `help` lists them")
            return Then.STAY
        self._last = line if found.repeats else ""
        try:
            return found.act(self, rest.strip())
        except _refusals() as error:
            self.say(f"error: {error}")
            schema = getattr(error, "schema", None)
            if schema is not None:
                self.say(f"it takes: {json.dumps(schema, ensure_ascii=False, indent=2)}")
            return Then.STAY

    def say(self, text: str) -> None:
        self.front.out.print(Text(words.clean(text)))

    # -- what is held ------------------------------------------------------------------------------------------------

    def _holds(self) -> list[Document]:
        """What is held, with its content, the one that commands are about first."""
        self.watch.catch_up()
        if self.watch.ended:
            return []
        return [hold for hold in self.service.pending(self.run)["held"] if hold["hold"] not in self._answered]

    def _show_holds(self, *, fresh_only: bool = False) -> None:
        for hold in self._holds():
            if not fresh_only or hold["hold"] not in self._known:
                render_hold.print_hold(self.front.out, hold)
            self._known.add(hold["hold"])

    def _hold(self, number: int | None = None) -> Document:
        holds = self._holds()
        for hold in holds:
            if number is None or hold["hold"] == number:
                return hold
        known = ", ".join(f"hold:{hold['hold']}" for hold in holds) or "nothing"
        raise Problem(f"there is no hold {number}; held: {known}" if number is not None else "nothing is held now")

    def _answer(self, hold: Document, answer: Document) -> Then:
        self.service.release(self.run, hold=hold["hold"], answer=answer)
        self._answered.add(hold["hold"])
        return Then.GO

    def _pointed(self, rest: str) -> tuple[tuple[str, int] | None, str]:
        """What a command is about, if it says: ``hold:3`` or a message's number, and the rest of the line."""
        first, _, after = rest.partition(" ")
        with suppress(Problem):
            return parsing.place(first), after.strip()
        return None, rest

    # -- going on ----------------------------------------------------------------------------------------------------

    def do_step(self, rest: str) -> Then:
        return self._go("step", rest)

    def do_next(self, rest: str) -> Then:
        return self._go("next", rest)

    def do_out(self, rest: str) -> Then:
        return self._go("out", rest)

    def _go(self, verb: str, rest: str) -> Then:
        place, _ = self._pointed(rest)
        holds = self._holds()
        hold = self._hold(place[1] if place else None)["hold"] if holds or place else None
        self.service.control(self.run, verb, hold=hold)
        self._answered |= {hold} if hold is not None else set()
        return Then.GO

    def do_continue(self, _rest: str) -> Then:
        holds = {hold["hold"] for hold in self._holds()}
        self.service.control(self.run, "continue")
        self._answered |= holds
        return Then.GO

    def do_until(self, rest: str) -> Then:
        place, _ = self._pointed(rest)
        if place is None:
            raise Problem("until MESSAGE: a number of a queued message, see `list`")
        holds = {hold["hold"] for hold in self._holds()}
        self.service.run_to(self.run, place[1])
        self._answered |= holds
        return Then.GO

    def do_pause(self, _rest: str) -> Then:
        self.service.control(self.run, "pause")
        return Then.GO if not self._holds() else Then.STAY

    def do_stop(self, _rest: str) -> Then:
        self.service.control(self.run, "stop")
        return Then.GO

    def do_quit(self, _rest: str) -> Then:
        return Then.QUIT

    # -- looking -----------------------------------------------------------------------------------------------------

    def do_list(self, _rest: str) -> Then:
        render_hold.print_pending(self.front.out, self.service.pending(self.run))
        return Then.STAY

    def do_print(self, rest: str) -> Then:
        """A held thing, a queued message or a record, in full."""
        place, _ = self._pointed(rest)
        if place is None or place[0] == "hold":
            value = self._hold(place[1] if place else None).get("value")
        else:
            value = _content(self._record(place[1]))
        self.say(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))
        return Then.STAY

    def do_where(self, rest: str) -> Then:
        place, _ = self._pointed(rest)
        hold = self._hold(place[1] if place else None)
        chain = []
        parent = hold.get("parent") if hold["when"] != "after" else hold.get("invocation")
        while parent is not None:
            record = self._record(parent)
            asked = words.arguments(record["input"])
            chain.append(f"{record['seq']:>4} {record['call']} {record['component']}  {asked}")
            parent = record["parent"]
        for line in reversed(chain):
            self.say(line)
        render_hold.print_hold(self.front.out, hold)
        return Then.STAY

    def do_show(self, rest: str) -> Then:
        transcript = Transcript(self.front.out, self.run, bodies(self.service))
        after = int(rest) - 1 if rest.isdecimal() else -1
        transcript.remember(self.service.show(self.run, before=after + 1, kind="invocation_started"))
        transcript.records(self.service.show(self.run, after=after))
        transcript.settle()
        return Then.STAY

    def do_diff(self, rest: str) -> Then:
        other = rest or self.service.info(self.run)["parent"]
        if not other:
            raise Problem("diff RUN: the run to compare with")
        differences.print_diff(self.front.out, self.service.diff(other, self.run), bodies(self.service))
        return Then.STAY

    def do_describe(self, _rest: str) -> Then:
        self.say(json.dumps(self.service.describe(self.run), ensure_ascii=False, indent=2))
        return Then.STAY

    def _record(self, seq: int) -> Document:
        found = next(iter(self.service.show(self.run, after=seq - 1, before=seq + 1, bodies=True)), None)
        if found is None:
            raise Problem(f"{self.run} has no record {seq} yet")
        return found

    # -- changing ----------------------------------------------------------------------------------------------------

    def do_edit(self, rest: str) -> Then:
        """Another input, message or output."""
        place, text = self._pointed(rest)
        if not text:
            raise Problem("edit [MESSAGE|hold:N] VALUE: VALUE is JSON or a text, or @FILE")
        if place is not None and place[0] == "message":
            self.service.edit(self.run, place[1], parsing.value(text))
            return Then.STAY
        hold = self._hold(place[1] if place else None)
        return self._answer(hold, changed(hold, parsing.value(text)))

    def do_mock(self, rest: str) -> Then:
        place, text = self._pointed(rest)
        if not text:
            raise Problem("mock [hold:N] VALUE: the output to use instead of running it")
        return self._answer(self._hold(place[1] if place else None), {"verb": "serve", "value": parsing.value(text)})

    def do_raise(self, rest: str) -> Then:
        place, text = self._pointed(rest)
        if not text:
            raise Problem("raise [hold:N] TEXT: the error to raise instead of running it")
        return self._answer(self._hold(place[1] if place else None), raised(text))

    def do_recorded(self, rest: str) -> Then:
        place, _ = self._pointed(rest)
        return self._answer(self._hold(place[1] if place else None), {"verb": "record"})

    def do_skip(self, rest: str) -> Then:
        place, _ = self._pointed(rest)
        return self._answer(self._hold(place[1] if place else None), {"verb": "skip"})

    def do_drop(self, rest: str) -> Then:
        place, _ = self._pointed(rest)
        if place is not None and place[0] == "message":
            self.service.drop(self.run, place[1])
            return Then.STAY
        return self._answer(self._hold(place[1] if place else None), {"verb": "drop"})

    def do_move(self, rest: str) -> Then:
        numbers = rest.split()
        if not numbers or not all(number.isdecimal() for number in numbers[:2]):
            raise Problem("move MESSAGE [BEFORE]: numbers of queued messages; without BEFORE it becomes the last")
        self.service.move(self.run, int(numbers[0]), before=int(numbers[1]) if len(numbers) > 1 else None)
        return Then.STAY

    def do_send(self, rest: str) -> Then:
        component, _, text = rest.partition(" ")
        if not text:
            raise Problem("send COMPONENT VALUE: a new message, as JSON or a text")
        told = self.service.send(self.run, component, parsing.value(text.strip()))
        self.say(f"queued as message {told['seq']}")
        return Then.STAY

    def do_set(self, rest: str) -> Then:
        for name, value in parsing.settings([rest]).items():
            component, _, key = name.rpartition(".")
            self.service.configure(self.run, component, key, value)
        return Then.STAY

    def do_break(self, rest: str) -> Then:
        told = self.service.add_breakpoint(self.run, rest) if rest else self.service.breakpoints(self.run)
        render_hold.print_breakpoints(self.front.out, told["breakpoints"])
        return Then.STAY

    def _change_breakpoint(self, rest: str, **change: bool) -> Then:
        if not rest.isdecimal():
            raise Problem("which breakpoint?  say its number; `break` lists them")
        told = self.service.change_breakpoint(self.run, int(rest), **change)
        render_hold.print_breakpoints(self.front.out, told["breakpoints"])
        return Then.STAY

    def do_clear(self, rest: str) -> Then:
        if rest:
            return self._change_breakpoint(rest, remove=True)
        for point in self.service.breakpoints(self.run)["breakpoints"]:
            self.service.change_breakpoint(self.run, point["id"], remove=True)
        return Then.STAY

    def do_disable(self, rest: str) -> Then:
        return self._change_breakpoint(rest, enabled=False)

    def do_enable(self, rest: str) -> Then:
        return self._change_breakpoint(rest, enabled=True)

    def do_fork(self, rest: str) -> Then:
        """Another run from a record of this one; the prompt turns to it, paused."""
        at, edits = _fork_words(rest)
        if self.watch.state["live"]:
            self.service.control(self.run, "stop")
        start = partial(self.service.fork, self.run, at=at, edits=edits, pause=True)
        made = trusting(self.front, False, lambda trusted: start(trust=trusted))
        self.say(f"{made['run']} is a fork of {self.run} at {made['cut']}")
        self.watch = watching(self.front, self.service, made["run"], shown=True)
        self._answered, self._known = set(), set()
        return Then.GO

    def do_help(self, rest: str) -> Then:
        found = BY_NAME.get(rest)
        for entry in [found] if found is not None else COMMANDS:
            aliases = f" ({', '.join(entry.aliases)})" if entry.aliases else ""
            self.say(f"{entry.usage + aliases:36} {entry.help}")
        return Then.STAY

    def _choices(self, before: Sequence[str]) -> Iterable[str]:
        """What may be typed next, for completion."""
        if not before:
            return [entry.name for entry in COMMANDS]
        if before[0] == "help":
            return [entry.name for entry in COMMANDS]
        if before[0] in ("break", "b"):
            return [f"{field}:" for field in ("agent", "tool", "model", "message", "component")] + ["error", 'text~"']
        if self.watch.ended:
            return []
        pending = self.service.pending(self.run)
        places = [f"hold:{hold['hold']}" for hold in pending["held"]] + [str(item["seq"]) for item in pending["queued"]]
        return sorted(self.watch.components) if before[0] in ("send", "set") else places


def changed(hold: Document, value: Any) -> Document:
    """The answer that gives a held thing another content: its input before it runs, its result after."""
    if hold["when"] in ("after", "input"):
        return {"verb": "serve", "value": value}
    return {"verb": "proceed", "value": value, "edited": True}


def raised(text: str) -> Document:
    """The answer that makes a held call fail."""
    error = {"$type": "exception", "class": "builtins:RuntimeError", "message": text, "args": [text], "state": {}}
    return {"verb": "serve", "value": error, "failed": True}


def _content(record: Document) -> Any:
    return next((record[name] for name in ("input", "output", "error", "body") if name in record), record)


def _fork_words(rest: str) -> tuple[int, list[Document]]:
    first, _, text = rest.partition(" ")
    if not first.isdecimal():
        raise Problem("fork SEQ [EDIT]: the record to fork at, and a change as JSON")
    return int(first), [parsing.edit(text)] if text.strip() else []


def _refusals() -> tuple[type[Exception], ...]:
    from outtake.service import ServiceError  # noqa: PLC0415  as in `Front.service`

    return (Problem, ServiceError)


@dataclass(frozen=True, slots=True)
class Entry:
    """One command of the prompt."""

    name: str
    aliases: tuple[str, ...]
    usage: str
    help: str
    act: Callable[[Prompt, str], Then]
    repeats: bool = False
    """An empty line does it again."""


COMMANDS = (
    Entry("step", ("s",), "step [hold:N]", "go on to the next gate, also inside what is held", Prompt.do_step, True),
    Entry("next", ("n",), "next [hold:N]", "let it run as a whole, hold at what comes then", Prompt.do_next, True),
    Entry("out", ("r", "return"), "out", "go on until what encloses it has come back", Prompt.do_out, True),
    Entry("continue", ("c", "cont"), "continue", "go on to the next breakpoint, or the end", Prompt.do_continue),
    Entry("until", ("u", "unt"), "until MESSAGE", "go on until that message is delivered", Prompt.do_until),
    Entry("pause", (), "pause", "hold at the next gate", Prompt.do_pause),
    Entry("list", ("l", "pending"), "list", "what is held, and what is queued", Prompt.do_list),
    Entry("print", ("p", "pp"), "print [hold:N|SEQ]", "what is held, a message or a record, in full", Prompt.do_print),
    Entry("where", ("w", "bt"), "where", "the invocations that what is held lies in", Prompt.do_where),
    Entry("show", (), "show [SEQ]", "the transcript, from a record on", Prompt.do_show),
    Entry("describe", (), "describe", "the target: components, settings, what they accept", Prompt.do_describe),
    Entry("edit", ("e",), "edit [MESSAGE|hold:N] VALUE", "another input, message or result", Prompt.do_edit),
    Entry("mock", ("m",), "mock [hold:N] VALUE", "do not run it; this is its output", Prompt.do_mock),
    Entry("raise", (), "raise [hold:N] TEXT", "do not run it; this is its error", Prompt.do_raise),
    Entry("recorded", (), "recorded [hold:N]", "do not run it again; serve its recorded result", Prompt.do_recorded),
    Entry("skip", (), "skip [hold:N]", "leave the state as it is that would be restored", Prompt.do_skip),
    Entry("drop", ("d",), "drop [MESSAGE|hold:N]", "take a message out, or leave a call out", Prompt.do_drop),
    Entry("move", (), "move MESSAGE [BEFORE]", "another place in the queue", Prompt.do_move),
    Entry("send", (), "send COMPONENT VALUE", "a new message", Prompt.do_send),
    Entry("set", (), "set COMPONENT.KEY=VALUE", "change a setting", Prompt.do_set),
    Entry("break", ("b",), "break [COND]", "hold where a condition is true; alone: list", Prompt.do_break),
    Entry("clear", ("cl",), "clear [N]", "remove a breakpoint, or all", Prompt.do_clear),
    Entry("disable", (), "disable N", "switch a breakpoint off", Prompt.do_disable),
    Entry("enable", (), "enable N", "switch it on again", Prompt.do_enable),
    Entry("fork", ("f",), "fork SEQ [EDIT]", "leave this run; go on from a record in a new one", Prompt.do_fork),
    Entry("diff", (), "diff [RUN]", "how this run differs from another, or its parent", Prompt.do_diff),
    Entry("stop", (), "stop", "end the program", Prompt.do_stop),
    Entry("quit", ("q", "exit"), "quit", "leave; a run that was started here ends", Prompt.do_quit),
    Entry("help", ("h", "?"), "help [COMMAND]", "this list", Prompt.do_help),
)
BY_NAME = {name: entry for entry in COMMANDS for name in (entry.name, *entry.aliases)}
