"""Who&When: annotated failures of agent teams (*Which Agent Causes Task Failures and When?*, ICML 2025).

A file has a question, the right answer, the conversation (`history`), and a label: the agent and the step at which the
run went wrong, and why.  There are two kinds: Magentic-One teams, where an entry's role is the speaker and what he does
(``Orchestrator (-> WebSurfer)``, ``Orchestrator (thought)``), and AG2 teams, where the speaker is the entry's name.

The conversation becomes the log of a run; the label is said about it, as a finding, and never part of it.  Consecutive
entries of one speaker with at most one message are one turn.  Nobody wrote down the times: each entry takes a second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from outtake.core.annotations import Note
from outtake.service.logs.log import BadLog, Format, Log, Writer
from outtake_probe.records import Json

NAME = "Who&When"
AUTHOR = "who&when"
TEAM, USER = "team", "user"
_SECONDS = 1.0
_ROLE = re.compile(r"(?P<who>.*?)\s*(?:\((?P<what>[^()]*)\))?\s*", re.DOTALL)
_PEOPLE = ("human", "user")
_FINAL = "FINAL ANSWER:"
_NOISE = "!#!#"
"""In lines that the program around the team wrote at its end."""
_SAYS_NOTHING = ("TERMINATE", "There is no code from the last")
_NOT_TOLD = frozenset({"history", "ground_truth", "mistake_agent", "mistake_step", "mistake_reason", "mistake_type"})
_NOT_KEPT = frozenset({"question", "system_prompt", "is_correct", "is_corrected"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the conversation."""

    number: int
    said: Mapping[str, Json]
    who: str
    to: str
    """Path of who is spoken to; empty: it is no message."""
    type: str
    """What it is, if it is no message, such as ``thought``."""

    @property
    def path(self) -> str:
        return USER if self.who == USER else f"{TEAM}/{self.who}"

    @property
    def text(self) -> str:
        content = self.said["content"]
        return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def sniff(data: Json) -> bool:
    """Whether it looks like one of these."""
    return isinstance(data, dict) and "history" in data and "question" in data and "mistake_step" in data


def read(data: Json, ended: float) -> Log:
    """The log of one file.  Raises `BadLog`."""
    question = data["question"]
    if not isinstance(question, str):
        raise BadLog("its question is no text")
    entries = _entries(data["history"])
    told = {**_rest(data), "log": NAME, "times": f"made up: {_SECONDS:g} s for each entry"}
    output = _answer(entries)
    tape = _Tape(Writer(ended - _SECONDS * len(entries)))
    tape.play(question, told, entries, output)
    return Log(
        kind=NAME,
        input=question,
        output=output,
        config=dict(_prompts(data.get("system_prompt"))),
        records=tape.writer.records,
        nodes=tape.writer.nodes(),
        notes=list(_notes(data, entries, tape.places)),
    )


FORMAT = Format(
    name=NAME,
    looks="a JSON object with question, history and mistake_step",
    sniff=sniff,
    read=read,
)


class _Tape:
    """Plays the conversation into records, and remembers where each entry went."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.places: dict[int, int] = {}
        """The record that an entry became."""
        self._team = 0
        """The invocation that all others are in."""
        self._unheard: dict[str, list[tuple[int, Mapping[str, Json]]]] = {}
        """Messages that a component has got since its last turn."""

    def play(self, question: str, told: Json, entries: Sequence[_Entry], output: Json) -> None:
        """Write all of it; `told` is what the file tells beside the conversation and its label."""
        writer = self.writer
        writer.started(question)
        writer.note("", "imported", told)
        self._team = writer.begin("flow", TEAM, {"input": question})
        self._unheard = {entry.path: [] for entry in entries if entry.who != USER}
        if not any(entry.who == USER for entry in entries):
            self._send(USER, TEAM, {"role": USER, "content": question}, ())
        for turn in _turns(entries):
            self._turn(turn)
        writer.end(self._team, output)
        writer.ended(output)

    def _turn(self, turn: Sequence[_Entry]) -> None:
        path = turn[0].path
        if path == USER:
            for entry in turn:
                self.writer.now += _SECONDS
                self.places[entry.number] = self._send(USER, entry.to or TEAM, entry.said, ())
            return
        heard = self._unheard[path]
        self._unheard[path] = []
        numbers = [seq for seq, _ in heard]
        given = {"messages": [said for _, said in heard]}
        invocation = self.writer.begin("agent", path, given, parent=self._team, heard=numbers)
        for entry in turn:
            self.writer.now += _SECONDS
            if entry.to:
                self.places[entry.number] = self._send(path, entry.to, entry.said, numbers, invocation)
            else:
                self.places[entry.number] = self.writer.note(path, entry.type, entry.said["content"], parent=invocation)
        spoken = [entry.said["content"] for entry in turn if entry.to]
        self.writer.end(invocation, spoken[-1] if spoken else None)

    def _send(
        self, path: str, to: str, said: Mapping[str, Json], heard: Sequence[int], invocation: int | None = None
    ) -> int:
        parent = self._team if invocation is None else invocation
        seq = self.writer.send(path, to, dict(said), parent=parent, heard=heard)
        for other in self._unheard if to == TEAM else [to]:
            if other != path:
                self._unheard.setdefault(other, []).append((seq, dict(said)))
        return seq


def _turns(entries: Iterable[_Entry]) -> Iterator[list[_Entry]]:
    turn: list[_Entry] = []
    for entry in entries:
        if turn and (entry.who != turn[0].who or (entry.to and any(other.to for other in turn))):
            yield turn
            turn = []
        turn.append(entry)
    if turn:
        yield turn


def _entries(history: Json) -> list[_Entry]:
    if not isinstance(history, list) or not history:
        raise BadLog("its history is no list of entries")
    return [_entry(number, said) for number, said in enumerate(history)]


def _entry(number: int, said: Json) -> _Entry:
    where = f"entry {number} of its history"
    if not isinstance(said, dict) or "content" not in said:
        raise BadLog(f"{where} has no content")
    speaker = said.get("name") or said.get("role")
    if not isinstance(speaker, str) or not speaker.strip():
        raise BadLog(f"{where} does not say who speaks: it has neither a name nor a role")
    if said.get("name"):
        return _Entry(number, said, _part(speaker), TEAM, "")
    match = _ROLE.fullmatch(speaker)
    who, what = (_part(match["who"]), match["what"]) if match is not None else (_part(speaker), None)
    if who.casefold() in _PEOPLE:
        return _Entry(number, said, USER, TEAM, "")
    if what is None:
        return _Entry(number, said, who, TEAM, "")
    if what.strip().startswith("->"):
        return _Entry(number, said, who, f"{TEAM}/{_part(what.strip()[2:])}", "")
    return _Entry(number, said, who, "", what.strip() or "note")


def _part(name: str) -> str:
    """A name as one part of a path."""
    return " ".join(name.replace("/", "-").split()) or "unnamed"


def _answer(entries: Sequence[_Entry]) -> str:
    """What the team came up with: its final answer, where the last entry says one, else the last message."""
    before, mark, after = entries[-1].text.rpartition(_FINAL)
    if mark:
        return "\n".join(line for line in after.splitlines() if _NOISE not in line).strip()
    spoken = [entry.text for entry in entries if entry.to and entry.who != USER]
    return next((text for text in reversed(spoken) if not text.startswith(_SAYS_NOTHING)), before or after)


def _rest(data: Mapping[str, Json]) -> dict[str, Json]:
    """What else the file says that is no judgement."""
    return {name: value for name, value in data.items() if name not in _NOT_TOLD | _NOT_KEPT}


def _prompts(prompts: Json) -> Iterator[tuple[str, Json]]:
    for name, prompt in prompts.items() if isinstance(prompts, dict) else ():
        yield f"{TEAM}/{_part(name)}.system_prompt", prompt


def _notes(data: Mapping[str, Json], entries: Sequence[_Entry], places: Mapping[int, int]) -> Iterator[Note]:
    """The right answer, that the run failed, and the labelled mistake."""
    truth = data.get("ground_truth")
    if truth is not None and str(truth).strip():
        yield Note(kind="expectation", text=str(truth), author=AUTHOR)
    passed = data.get("is_correct") is True
    yield Note(kind="verdict", text="as labelled", author=AUTHOR, data={"passed": passed})
    reason = str(data.get("mistake_reason") or "").strip()
    step, agent = _step(data["mistake_step"]), str(data.get("mistake_agent") or "").strip()
    if reason or agent:
        told: dict[str, Json] = {"agent": agent, "step": step, "type": data.get("mistake_type")}
        told["component"] = next((e.path for e in entries if agent and e.who.casefold() == agent.casefold()), None)
        known = {name: value for name, value in told.items() if value not in (None, "")}
        place = places.get(step) if step is not None else None
        yield Note(kind="finding", text=reason or f"the mistake of {agent}", seq=place, author=AUTHOR, data=known)


def _step(step: Json) -> int | None:
    try:
        return int(step)
    except (TypeError, ValueError, OverflowError):
        return None
