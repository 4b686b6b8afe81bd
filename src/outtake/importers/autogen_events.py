"""AutoGen's event log: what ``autogen_core.events`` says, a JSON object a line, bare or behind a logger's prefix.

Model calls and tool calls are those of the agent that the event names; what is sent is a message, from the event of
its sending.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from outtake.importers import models
from outtake.importers.log import TEAM, BadLog, Call, Event, Importer, Log, LogMessage, Usage
from outtake.importers.payloads import prompt
from outtake.importers.source import Source
from outtake.importers.values import decoded, fields, items, moment, objects, parsed, part, text, whole
from outtake_probe.records import Json

_TYPES = (
    *("LLMCall", "LLMStreamStart", "LLMStreamEnd", "ToolCall", "Message", "MessageDropped"),
    *("MessageHandlerException", "AgentConstructionException"),
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?")
_UNIQUE = re.compile(r"_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_GROUP, _OUTPUT = "group_topic", "output_topic"
"""Topics of AgentChat's teams: one for all members, and one for who reads along."""
_TIMES = ("timestamp", "time", "asctime", "created")


@dataclass(frozen=True, slots=True)
class _Entry:
    event: Mapping[str, Json]
    at: float | None


def recognise(source: Source) -> str:
    """Whether the lines of a text are such events, or mostly so: other loggers may have written between them."""
    found = sum(1 for _ in _entries(source))
    return f"events of autogen_core ({found})" if found else ""


def _entries(source: Source) -> Iterator[_Entry]:
    """The events of a file."""
    for document in source.objects:
        held = _event(document)
        if held is not None:
            yield held
    if source.objects or '"type"' not in source.text:
        return
    for line in source.text.split("\n"):
        begin = line.find("{")
        if begin < 0 or '"type"' not in line:
            continue
        try:
            held = _event(fields(parsed(line[begin:])))
        except (ValueError, RecursionError):
            continue
        if held is not None:
            time = _TIME.search(line[:begin])
            yield _Entry(held.event, held.at if held.at is not None or time is None else _read(time[0]))


def _read(time: str) -> float | None:
    return moment(time.replace(",", "."))


def _event(document: Mapping[str, Json]) -> _Entry | None:
    """The event that a document is, or has as its message."""
    at = next((found for key in _TIMES if (found := moment(document.get(key))) is not None), None)
    for held in (document, fields(decoded(document.get("message"))), fields(decoded(document.get("event")))):
        kind = text(held.get("type"))
        if kind not in _TYPES:
            continue
        if "agent_id" in held or "payload" in held or "response" in held or "tool_name" in held:
            return _Entry(held, at)
    return None


def read(source: Source) -> Sequence[Log]:
    """One run."""
    team = Call(kind="flow", component=TEAM)
    streams: dict[str, deque[Call]] = {}
    answer: Json = None
    first: Json = None
    left_out = 0
    for entry in _entries(source):
        event, kind, path = entry.event, text(entry.event.get("type")), _agent(entry.event.get("agent_id"))
        match kind:
            case "LLMCall":
                team.inside.append(_model(event, path, entry.at))
            case "LLMStreamStart":
                call = _model(event, path, None)
                call.began, call.is_over = entry.at, False
                team.inside.append(call)
                streams.setdefault(path, deque()).append(call)
            case "LLMStreamEnd":
                if waiting := streams.get(path):
                    call = waiting.popleft()
                else:  # its beginning is not in the log
                    call = _model(event, path, None)
                    team.inside.append(call)
                _answered(call, event)
                call.ended, call.is_over = entry.at, True
            case "ToolCall":
                component = f"{path}/tools/{part(event.get('tool_name'))}"
                given, result = event.get("arguments"), event.get("result")
                team.inside.append(Call(kind="tool", component=component, input=given, output=result, ended=entry.at))
            case "Message" if _is_copy(event):
                left_out += 1
            case "Message":
                payload = decoded(event.get("payload"))
                to = _agent(event.get("receiver"))
                said = LogMessage(component=_agent(event.get("sender")), recipient=to, message=payload, at=entry.at)
                team.inside.append(said)
                content = _content(payload)
                first = content if first is None else first
                answer = content if content is not None else answer
            case _:
                body = {name: value for name, value in event.items() if name != "type"}
                holder = _agent(event.get("handling_agent", event.get("agent_id")))
                team.inside.append(Event(component=holder, type=part(kind), body=body, at=entry.at))
    if not team.inside:
        raise BadLog("none of its events says what happened")
    guessed = ["calls are of the agent that their event names, and inside of nothing: turns are not in the log"]
    guessed.append("the first text that was sent is the input, and the last one the output")
    if left_out:
        guessed.append(f"left out: that messages were delivered, and their copies for the output ({left_out})")
    team.input, team.output = {"input": first}, answer
    return [Log(input=first, output=answer, parts=[team], guessed=guessed)]


def _is_copy(event: Mapping[str, Json]) -> bool:
    """Whether an event says of a message that it was delivered, or sent to who reads along, too."""
    return text(event.get("delivery_stage")).endswith("DELIVER") or text(event.get("receiver")).startswith(_OUTPUT)


def _agent(id: Json) -> str:
    """The component of an agent or topic, from its id: a type, without what is new in each run; a team's own topic is
    the team.
    """
    name = _UNIQUE.sub("", text(id).partition("/")[0])
    return f"{TEAM}/{part(name)}" if name and name not in ("None", _GROUP) else TEAM


def _content(payload: Json) -> Json:
    """What a message of a chat says, whatever it is wrapped in; None: it is no such message."""
    held = fields(payload)
    for name in ("response", "message", "chat_message"):
        if isinstance(held.get(name), dict):
            return _content(held[name])
    if objects(held.get("messages")):
        return _content(objects(held["messages"])[-1])
    return held.get("content") if isinstance(held.get("content"), str) else None


def _model(event: Mapping[str, Json], path: str, at: float | None) -> Call:
    response = fields(event.get("response"))
    model = text(response.get("model")) or text(event.get("model"))
    call = Call(
        kind="model",
        component=f"{path}/{part(model or 'model')}",
        type=models.COMPLETIONS,
        input=models.request(model, prompt(event["messages"]), items(event.get("tools")))
        if "messages" in event
        else None,
        ended=at,
    )
    _answered(call, event)
    return call


def _answered(call: Call, event: Mapping[str, Json]) -> None:
    response = fields(event.get("response"))
    tokens = whole(event.get("prompt_tokens")), whole(event.get("completion_tokens"))
    call.usage = Usage(*tokens)
    if objects(response.get("choices")):
        call.output = dict(response)
    elif "response" in event:
        said = response.get("content", event.get("response"))
        wanted = [models.tool_call(one.get("name"), one.get("arguments"), one.get("id")) for one in objects(said)]
        answer = models.message("assistant", None if wanted else said, wanted)
        call.output = models.completion(text(response.get("model")), [answer], None, models.usage(*tokens))


IMPORTER = Importer(
    name="AutoGen's event log",
    looks="lines with JSON of the types LLMCall, ToolCall and Message",
    recognise=recognise,
    read=read,
)
