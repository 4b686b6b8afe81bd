"""A plain list of messages with a role, content and perhaps a name: as JSON, by lines, or under ``messages``.

Everybody who is named is an agent; an answer without a name is the assistant's, and what ``user`` says is a person's.
Tool calls are inside the turn of who made them, and the messages with their results are what they gave back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake.importers import models
from outtake.importers.conversation import Conversation
from outtake.importers.log import USER, Importer, Log
from outtake.importers.source import Source
from outtake.importers.values import moment, text
from outtake_probe.records import Json

ASSISTANT = "assistant"
_ROLES = ("system", "developer", "user", "human", "assistant", "ai", "model", "tool", "function")
_PEOPLE = ("user", "human")
_PROMPTS = ("system", "developer")
_ANSWERS = ("assistant", "ai", "model")
_TIMES = ("timestamp", "created_at", "createdAt", "time", "date")
_Message = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether a file has such messages, and nothing else."""
    if is_conversation(source.objects):
        return "a list of messages with role and content"
    if source.objects and all(is_conversation(one.get("messages")) for one in source.objects):
        return "messages with role and content under `messages`"
    return ""


def is_conversation(value: Json) -> bool:
    """Whether a value is a list of messages."""
    return isinstance(value, Sequence) and bool(value) and all(map(_is_message, value))


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or not ("content" in value or "tool_calls" in value):
        return False
    return value.get("role") in _ROLES or (isinstance(value.get("role"), str) and bool(text(value.get("name"))))


def read(source: Source) -> Sequence[Log]:
    """One run for each conversation."""
    if is_conversation(source.objects):
        return [log(source.objects)]
    several = len(source.objects) > 1
    return [
        log(one["messages"], name=text(one.get("id")) or (str(number) if several else ""), told=_rest(one))
        for number, one in enumerate(source.objects, 1)
    ]


def _rest(document: _Message) -> dict[str, Json]:
    return {name: value for name, value in document.items() if name != "messages"}


def log(messages: Sequence[_Message], *, name: str = "", told: _Message | None = None) -> Log:
    """The run of one conversation."""
    asked = next((said["content"] for said in messages if _is_person(said) and "content" in said), None)
    talk = Conversation({"input": models.plain(asked)})
    prompts: list[Json] = []
    lost = 0
    answer: Json = None
    for said in messages:
        at = next((found for key in _TIMES if (found := moment(said.get(key))) is not None), None)
        results = models.results_of(said)
        if results:
            lost += sum(not talk.result(id, tool, output, at) for id, tool, output in results)
        elif said.get("role") in _PROMPTS:
            prompts.append(models.plain(said.get("content")))
        elif _is_person(said):
            talk.user(dict(said), at)
        else:
            speaker = text(said.get("name")) or _role(said)
            content = models.plain(said.get("content"))
            calls = models.calls_of(said)
            if calls and content and isinstance(content, str):
                talk.note(speaker, "message", content, at)
            for id, tool, given in calls:
                talk.tool(speaker, tool, given, at, id)
            if not calls:
                answer = content
                talk.say(speaker, dict(said), content, at)
    guessed = list(_guessed(messages, prompts, lost, talk.unanswered))
    agents = {part.component for part in talk.team.inside if part.component != USER}
    config = {f"{path}.system_prompt": prompts[0] for path in agents} if len(set(map(str, prompts))) == 1 else {}
    return Log(
        name=name,
        input=models.plain(asked),
        output=answer,
        config=config,
        parts=[talk.ended(answer)],
        told={**(told or {}), **({"system": prompts} if prompts else {})},
        guessed=guessed,
    )


def _role(said: _Message) -> str:
    return ASSISTANT if said.get("role") in _ANSWERS else text(said.get("role"))


def _is_person(said: _Message) -> bool:
    return said.get("role") in _PEOPLE and text(said.get("name")).casefold() in ("", *_PEOPLE)


def _guessed(messages: Sequence[_Message], prompts: Sequence[Json], lost: int, unanswered: int) -> list[str]:
    found = ["everybody heard all that was said, and each answer without a tool call ends its speaker's turn"]
    if not all(text(said.get("name")) for said in messages if said.get("role") in _ANSWERS):
        found.append("answers without a name are of one agent, called assistant")
    if any(said.get("role") in _PEOPLE and not _is_person(said) for said in messages):
        found.append("messages of the role user that have a name are those of agents")
    if len(set(map(str, prompts))) == 1:
        found.append("the system prompt is that of every agent")
    if lost:
        found.append(f"left out: results of tools that nobody had called ({lost})")
    if unanswered:
        found.append(f"calls of tools without a result never came back ({unanswered})")
    return found


IMPORTER = Importer(
    name="chat messages",
    looks="a list of messages with role and content, as JSON or one a line",
    recognise=recognise,
    read=read,
)
