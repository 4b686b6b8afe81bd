"""What AutoGen's `Console` prints of a team's run, and what the agents of AG2 (AutoGen 0.2) print of a chat.

``---------- TextMessage (planner) ----------`` begins a message of a source, and its type says what it is; AG2 writes
``planner (to coder):`` and ends each message with a line of dashes.  Whatever else was printed is part of a message.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outtake.importers.conversation import Conversation
from outtake.importers.log import TEAM, Importer, Log
from outtake.importers.source import Source
from outtake.importers.values import decoded, part
from outtake_probe.records import Json

_HEAD = re.compile(
    r"-{10} (?:(?P<type>[A-Z]\w*(?:\[[\w.]+\])?) \((?P<source>[^()\n]{1,120})\)|(?P<who>[\w .-]{1,120})) -{10}"
)
_CHAT = re.compile(r"(?P<source>[^\n():]{1,80}) \(to (?P<to>[^\n():]{1,80})\):")
_DASHES = "-" * 80
_USAGE = re.compile(r"\[Prompt tokens: \d+, Completion tokens: \d+\]")
_TEXT = r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_CALL = re.compile(rf"FunctionCall\(id={_TEXT}, arguments={_TEXT}, name={_TEXT}\)")
_RESULT = re.compile(
    rf"FunctionExecutionResult\(content={_TEXT}, name={_TEXT}, call_id={_TEXT}(?:, is_error=(True|False|None))?\)"
)
_PEOPLE = ("user", "user_proxy", "User", "UserProxy")
_LONGEST = 1 << 20
"""Characters of a message in which tool calls are looked for."""


@dataclass(frozen=True, slots=True)
class _Said:
    type: str
    source: str
    to: str
    content: str


def recognise(source: Source) -> str:
    """Whether a text has such messages from its beginning on."""
    lines = source.text.split("\n", 2000)[:2000]
    heads = sum(_HEAD.fullmatch(line.strip()) is not None for line in lines)
    if heads > 1 or _is_typed(lines):
        return f"messages of AutoGen's console ({heads}{' and more' if len(lines) == 2000 else ''})"
    if any(_CHAT.fullmatch(line.strip()) for line in lines) and any(line.strip() == _DASHES for line in lines):
        return "messages of a chat as AG2 prints them"
    return ""


def _is_typed(lines: Sequence[str]) -> bool:
    """Whether one of the messages has a type, as newer consoles print it."""
    return any((head := _HEAD.fullmatch(line.strip())) is not None and head["type"] for line in lines)


def read(source: Source) -> Sequence[Log]:
    """One run."""
    said = list(_console(source.text))
    chat = not said
    if chat:
        said = list(_chat(source.text))
    asked = next((one.content for one in said if one.source in _PEOPLE), said[0].content if said else None)
    talk = Conversation({"input": asked})
    answer: Json = None
    summary: list[str] = []
    for number, one in enumerate(said):
        if one.type == "Summary":
            summary.append(one.content)
        elif one.source in _PEOPLE and (number == 0 or one.type == "UserInput" or not chat):
            talk.user({"role": "user", "content": one.content}, to=talk.path(one.to) if one.to else "")
        else:
            answer = _add(talk, one, answer)
    guessed = ["everybody heard all that was said" if not chat else "who is named hears a message, and nobody else"]
    guessed.append("messages of user and user_proxy are those of a person")
    if talk.unanswered:
        guessed.append(f"calls of tools without a result never came back ({talk.unanswered})")
    return [
        Log(
            input=asked,
            output=answer,
            parts=[talk.ended(answer)],
            told={"summary": "\n".join(summary)} if summary else {},
            guessed=guessed,
        )
    ]


def _add(talk: Conversation, one: _Said, answer: Json) -> Json:
    """Add what an agent printed; the answer of the team so far."""
    short = one.content[:_LONGEST]
    match one.type:
        case "ThoughtEvent":
            talk.note(one.source, "thought", one.content)
        case "ToolCallRequestEvent" if calls := _CALL.findall(short):
            for id, given, name in calls:
                talk.tool(one.source, _value(name), decoded(_value(given)), id=_value(id))
        case "ToolCallExecutionEvent" if results := _RESULT.findall(short):
            for content, name, id, failed in results:
                output = _value(content)
                talk.result(_value(id), _value(name), output, error=output if failed == "True" else None)
        case type if type.endswith("Event"):
            talk.note(one.source, type, one.content)
        case type:
            said = {"role": "assistant", "name": one.source, "content": one.content, **({"type": type} if type else {})}
            talk.say(one.source, said, one.content, to=talk.path(one.to) if one.to else "")
            return one.content
    return answer


def _value(literal: str) -> str:
    """The text that a literal of Python says; the literal itself where it is none."""
    try:
        found = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return literal
    return found if isinstance(found, str) else literal


def _console(text: str) -> Iterator[_Said]:
    """The messages of the console."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    for line in [*text.split("\n"), None]:
        found = _HEAD.fullmatch(line.strip()) if line is not None else None
        if head is not None and (found is not None or line is None):
            who = head["who"] or ""
            content = "\n".join(lines).strip("\n")
            yield _Said(head["type"] or ("Summary" if who == "Summary" else ""), head["source"] or who, "", content)
        if found is not None:
            head, lines = found, []
        elif line is not None and not _USAGE.fullmatch(line.strip()):
            lines.append(line)


def _chat(text: str) -> Iterator[_Said]:
    """The messages of a chat of AG2: each between a head and a line of dashes."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    for line in [*text.split("\n"), _DASHES]:
        if line.strip() == _DASHES:
            if head is not None:
                to = part(head["to"])
                yield _Said(
                    "", part(head["source"]), "" if to in ("chat_manager", TEAM) else to, "\n".join(lines).strip()
                )
            head, lines = None, []
        elif head is None:
            head = _CHAT.fullmatch(line.strip())
        else:
            lines.append(line)


IMPORTER = Importer(
    name="AutoGen's console",
    looks="text with lines such as ---------- TextMessage (planner) ----------",
    recognise=recognise,
    read=read,
)
