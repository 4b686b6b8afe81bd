"""Who&When: annotated failures of agent teams (*Which Agent Causes Task Failures and When?*, ICML 2025).

A file has a question, the right answer, the conversation (`history`), and a label: the agent and the step at which the
run went wrong, and why.  There are two kinds: Magentic-One teams, where an entry's role is the speaker and what he does
(``Orchestrator (-> WebSurfer)``, ``Orchestrator (thought)``), and AG2 teams, where the speaker is the entry's name.

The conversation becomes the log of a run; the label is said about it, as a finding, and never part of it.  Consecutive
entries of one speaker with at most one message are one turn.  Nobody wrote down the times, and none are made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from outtake.core.annotations import Note
from outtake.importers.conversation import SPEAKERS
from outtake.importers.log import TEAM, USER, BadLog, Call, Event, Importer, Log, LogMessage, Part, Remark
from outtake.importers.source import Source
from outtake.importers.values import part
from outtake_probe.records import Json

NAME = "Who&When"
AUTHOR = "who&when"
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


def recognise(source: Source) -> str:
    """Whether it looks like one of these."""
    root = source.root
    return "a question, its history and a label" if {"question", "history", "mistake_step"} <= root.keys() else ""


def read(source: Source) -> Sequence[Log]:
    """The one run of a file.  Raises `BadLog`."""
    return [log(source.root)]


def log(data: Mapping[str, Json]) -> Log:
    """The run of one document.  Raises `BadLog`."""
    question = data["question"]
    if not isinstance(question, str):
        raise BadLog("its question is no text")
    entries = _entries(data["history"])
    output = _answer(entries)
    tape = _Tape(question, entries)
    tape.team.output = output
    return Log(
        input=question,
        output=output,
        config=dict(_prompts(data.get("system_prompt"))),
        parts=[tape.team],
        told=_rest(data),
        remarks=list(_remarks(data, entries, tape.places)),
        guessed=_guessed(entries),
    )


def _guessed(entries: Sequence[_Entry]) -> list[str]:
    found = ["consecutive entries of one speaker are one turn, which heard all that was said to it since its last one"]
    if not any(entry.who == USER for entry in entries):
        found.append("the question is a message of the user to the team")
    return found


class _Tape:
    """Makes turns of the conversation, and remembers what each entry became."""

    def __init__(self, question: str, entries: Sequence[_Entry]) -> None:
        self.team = Call(kind="flow", component=TEAM, input={"input": question})
        """The invocation that all others are in."""
        self.places: dict[int, Part] = {}
        self._unheard: dict[str, list[LogMessage]] = {entry.path: [] for entry in entries if entry.who != USER}
        """Messages that a component has got since its last turn."""
        if len(self._unheard) > SPEAKERS:
            raise BadLog(f"more than {SPEAKERS} speak in it")
        if not any(entry.who == USER for entry in entries):
            self._send(USER, TEAM, {"role": USER, "content": question}, ())
        for turn in _turns(entries):
            self._turn(turn)

    def _turn(self, turn: Sequence[_Entry]) -> None:
        path = turn[0].path
        if path == USER:
            for entry in turn:
                self.places[entry.number] = self._send(USER, entry.to or TEAM, entry.said, ())
            return
        heard = self._unheard[path]
        self._unheard[path] = []
        call = Call(kind="agent", component=path, input={"messages": [said.message for said in heard]}, heard=heard)
        self.team.inside.append(call)
        for entry in turn:
            if entry.to:
                self.places[entry.number] = self._send(path, entry.to, entry.said, heard, call)
            else:
                event = Event(component=path, type=entry.type, body=entry.said["content"])
                call.inside.append(event)
                self.places[entry.number] = event
        spoken = [entry.said["content"] for entry in turn if entry.to]
        call.output = spoken[-1] if spoken else None

    def _send(
        self, path: str, to: str, said: Mapping[str, Json], heard: Sequence[LogMessage], call: Call | None = None
    ) -> LogMessage:
        made = LogMessage(component=path, recipient=to, message=dict(said), heard=heard)
        (call or self.team).inside.append(made)
        for other in self._unheard if to == TEAM else [to]:
            if other != path:
                self._unheard.setdefault(other, []).append(made)
        return made


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
        return _Entry(number, said, part(speaker), TEAM, "")
    match = _ROLE.fullmatch(speaker)
    who, what = (part(match["who"]), match["what"]) if match is not None else (part(speaker), None)
    if who.casefold() in _PEOPLE:
        return _Entry(number, said, USER, TEAM, "")
    if what is None:
        return _Entry(number, said, who, TEAM, "")
    if what.strip().startswith("->"):
        return _Entry(number, said, who, f"{TEAM}/{part(what.strip()[2:])}", "")
    return _Entry(number, said, who, "", what.strip() or "note")


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
        yield f"{TEAM}/{part(name)}.system_prompt", prompt


def _remarks(data: Mapping[str, Json], entries: Sequence[_Entry], places: Mapping[int, Part]) -> Iterator[Remark]:
    """The right answer, that the run failed, and the labelled mistake."""
    truth = data.get("ground_truth")
    if truth is not None and str(truth).strip():
        yield Remark(Note(kind="expectation", text=str(truth), author=AUTHOR))
    passed = data.get("is_correct") is True
    yield Remark(Note(kind="verdict", text="as labelled", author=AUTHOR, data={"passed": passed}))
    reason = str(data.get("mistake_reason") or "").strip()
    step, agent = _step(data["mistake_step"]), str(data.get("mistake_agent") or "").strip()
    if reason or agent:
        told: dict[str, Json] = {"agent": agent, "step": step, "type": data.get("mistake_type")}
        told["component"] = next((e.path for e in entries if agent and e.who.casefold() == agent.casefold()), None)
        known = {name: value for name, value in told.items() if value not in (None, "")}
        note = Note(kind="finding", text=reason or f"the mistake of {agent}", author=AUTHOR, data=known)
        yield Remark(note, places.get(step) if step is not None else None)


def _step(step: Json) -> int | None:
    try:
        return int(step)
    except (TypeError, ValueError, OverflowError):
        return None


IMPORTER = Importer(
    name=NAME,
    looks="a JSON object with question, history and mistake_step",
    recognise=recognise,
    read=read,
)
