"""Transcripts of Claude Code: the lines of a session as it keeps them, or as ``--output-format stream-json`` prints.

A person's prompt begins a turn of the agent.  Lines with one message id are one answer of the model, whose prompt is
the conversation up to there; tool calls last from the line that wants them to the line that has their result.  What a
subagent did is inside the tool call that started it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from outtake.importers import models
from outtake.importers.anthropic import TOKENS_IN, TYPE
from outtake.importers.log import USER, Call, Event, Importer, Log, LogMessage, Part, Prompt, Usage
from outtake.importers.source import Source
from outtake.importers.values import amount, fields, moment, objects, part, text, whole
from outtake_probe.records import Json

PROGRAM, AGENT, SUBAGENT = "claude-code", "agent", "subagent"
_SPEAKERS = ("user", "assistant")
_Line = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether a file has lines of such a session."""
    if not source.objects or not all(isinstance(line.get("type"), str) for line in source.objects):
        return ""
    said = sum(_is_said(line) for line in source.objects)
    return f"a session with {said} messages" if said else ""


def _is_said(line: _Line) -> bool:
    if line.get("type") not in _SPEAKERS or not isinstance(line.get("message"), dict):
        return False
    return bool(text(line.get("sessionId")) or text(line.get("session_id")))


def read(source: Source) -> Sequence[Log]:
    """The run of the session."""
    session = _Session()
    for line in source.objects:
        session.take(line)
    return [session.log()]


@dataclass(slots=True, eq=False)
class _Thread:
    """The conversation of one agent: the main one, or a subagent."""

    component: str
    holder: list[Part]
    """What its turns are put into."""
    said: list[Json] = field(default_factory=list)
    turn: Call | None = None
    answer: Call | None = None
    id: str = ""
    """The id of the answer that goes on."""


class _Session:
    """Takes the lines of a session in order."""

    def __init__(self) -> None:
        self.program = Call(kind="flow", component=PROGRAM)
        self._main = _Thread(f"{PROGRAM}/{AGENT}", self.program.inside)
        self._threads: dict[str, _Thread] = {}
        self._tools: dict[str, Call] = {}
        """Tool calls by their ids."""
        self._prompted: dict[str, Call] = {}
        """Tool calls by the prompt that they were given."""
        self._asked: Json = None
        self._output: Json = None
        self._title = ""
        self._told: dict[str, Json] = {}
        self._left_out = 0
        self._result: Json = None

    def take(self, line: _Line) -> None:
        """The next line."""
        at = moment(line.get("timestamp"))
        kind = line.get("type")
        if _is_said(line) or (kind in _SPEAKERS and isinstance(line.get("message"), dict)):
            thread = self._thread(line)
            if kind == "assistant":
                self._answered(thread, fields(line["message"]), at)
            else:
                self._user(thread, line, fields(line["message"]), at)
        elif kind == "summary":
            self._title = text(line.get("summary"))
        elif kind == "result":
            self._result = line.get("result", line.get("error"))
            self._told["result"] = dict(line)
        elif kind == "system" and line.get("subtype") == "init":
            self._told["init"] = dict(line)
        elif kind == "system":
            if line.get("subtype") == "compact_boundary":
                self._main.said = []
            body = line.get("content", line.get("compactMetadata"))
            self._main.holder.append(
                Event(component=PROGRAM, type=part(line.get("subtype") or "system"), body=body, at=at)
            )
        else:
            self._left_out += 1
        for name in ("sessionId", "cwd", "version", "gitBranch"):
            if isinstance(line.get(name), str):
                self._told.setdefault(name, line[name])

    def _thread(self, line: _Line) -> _Thread:
        """Whose line it is."""
        starter = text(line.get("parent_tool_use_id"))
        if not starter and line.get("isSidechain") is not True:
            return self._main
        key = starter or text(line.get("agentId")) or "sidechain"
        message = fields(line["message"])
        prompt = models.plain(message.get("content"))
        begins = not starter and line.get("parentUuid") is None
        known = self._threads.get(key)
        if known is None or (begins and not text(line.get("agentId"))):
            tool = self._tools.get(starter) if starter else self._started(prompt)
            name = part(fields(tool.input).get("subagent_type") or SUBAGENT) if tool is not None else SUBAGENT
            holder = tool if tool is not None else self.program
            known = self._threads[key] = _Thread(f"{PROGRAM}/{name}", holder.inside)
        return known

    def _started(self, prompt: Json) -> Call | None:
        """The tool call that a subagent's prompt came from."""
        return self._prompted.get(prompt) if isinstance(prompt, str) else None

    def _user(self, thread: _Thread, line: _Line, message: _Line, at: float | None) -> None:
        thread.answer = None
        thread.said.append({"role": "user", "content": message.get("content")})
        results = models.results_of({"role": "user", "content": message.get("content")})
        blocks = [block for block in objects(message.get("content")) if block.get("type") == "tool_result"]
        for (id, _, output), block in zip(results, blocks, strict=True):
            tool = self._tools.get(id)
            if tool is not None:
                failed = block.get("is_error") is True
                tool.output, tool.ended, tool.is_over = output, at, True
                tool.error = (text(output) or "error") if failed else None
        if results:
            return
        content = models.plain(message.get("content"))
        if line.get("isMeta") is True or line.get("isCompactSummary") is True:
            thread.holder.append(Event(component=thread.component, type="context", body=content, at=at))
            return
        if thread.turn is not None and thread.turn.ended is None:
            thread.turn.ended = at if thread is not self._main else None
        if thread is self._main:
            said = LogMessage(
                component=USER, recipient=thread.component, message={"role": "user", "content": content}, at=at
            )
            thread.holder.append(said)
            self._asked = content if self._asked is None else self._asked
            self._turn(thread, {"messages": [said.message]}, at, [said])
        else:
            self._turn(thread, {"messages": [{"role": "user", "content": content}]}, at, [])

    def _turn(self, thread: _Thread, input: Json, at: float | None, heard: Sequence[LogMessage]) -> Call:
        thread.turn = Call(kind="agent", component=thread.component, input=input, began=at, heard=heard)
        thread.holder.append(thread.turn)
        return thread.turn

    def _answered(self, thread: _Thread, message: _Line, at: float | None) -> None:
        turn = thread.turn if thread.turn is not None else self._turn(thread, None, at, [])
        blocks = list(objects(message.get("content"))) or [{"type": "text", "text": text(message.get("content"))}]
        id = text(message.get("id"))
        if thread.answer is None or not id or id != thread.id:
            rest = {"model": message.get("model")}
            thread.answer = Call(
                kind="model",
                component=f"{thread.component}/{part(message.get('model') or 'model')}",
                type=TYPE,
                input=Prompt(thread.said, len(thread.said), rest),
                output={**message, "content": []},
            )
            thread.id = id
            turn.inside.append(thread.answer)
            thread.said.append({"role": "assistant", "content": thread.answer.output["content"]})
        answer = thread.answer
        usage = fields(message.get("usage"))
        content = answer.output["content"]
        content += map(dict, blocks)
        answer.output = {**message, "content": content}
        answer.usage = Usage(sum(whole(usage.get(name)) for name in TOKENS_IN), whole(usage.get("output_tokens")))
        answer.ended = at
        turn.ended = at
        for block in blocks:
            self._block(thread, turn, block, at)

    def _block(self, thread: _Thread, turn: Call, block: _Line, at: float | None) -> None:
        match block.get("type"):
            case "thinking" if text(block.get("thinking")):
                turn.inside.append(Event(component=thread.component, type="thought", body=block["thinking"], at=at))
            case "text" if text(block.get("text")):
                turn.output = block["text"]
                if thread is self._main:
                    self._output = block["text"]
            case "tool_use":
                tool = Call(
                    kind="tool",
                    component=f"{thread.component}/tools/{part(block.get('name'))}",
                    input=block.get("input"),
                    began=at,
                    is_over=False,
                )
                turn.inside.append(tool)
                self._tools[text(block.get("id"))] = tool
                if prompt := text(fields(block.get("input")).get("prompt")):
                    self._prompted[prompt] = tool

    def log(self) -> Log:
        """The run, once all lines were taken."""
        self.program.input = {"input": self._asked}
        self.program.output = output = self._result if self._result is not None else self._output
        guessed = [
            "the prompt of a model call is the conversation up to there; its system prompt and tools are not told"
        ]
        pending = sum(not tool.is_over for tool in self._tools.values())
        if pending:
            guessed.append(f"calls of tools without a result never came back ({pending})")
        if self._left_out:
            guessed.append(f"left out: lines of bookkeeping ({self._left_out})")
        failed = fields(self._told.get("result")).get("is_error") is True
        cost = amount(fields(self._told.get("result")).get("total_cost_usd"))
        told = {**self._told, **({"cost": cost} if cost else {})}
        return Log(
            name=self._title,
            input=self._asked,
            output=output,
            error=(text(output) or "error") if failed else None,
            parts=[self.program],
            told=told,
            guessed=guessed,
        )


IMPORTER = Importer(
    name="Claude Code",
    looks="lines with type, message and sessionId",
    recognise=recognise,
    read=read,
)
