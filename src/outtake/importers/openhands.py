"""Events of OpenHands: actions and observations (as its trajectories have them), and those of its agent SDK.

An action of the agent that a model's tool call asked for is a tool call, whose observation is its result; the model's
response, where the event has it, is a model call.  What a person and the agent tell each other are messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outtake.importers import models
from outtake.importers.conversation import Conversation
from outtake.importers.log import Call, Importer, Log, Usage
from outtake.importers.payloads import usage
from outtake.importers.source import Source
from outtake.importers.values import amount, decoded, fields, items, moment, objects, part, text
from outtake_probe.records import Json

AGENT = "agent"
_QUIET = ("agent_state_changed", "change_agent_state", "system", "recall", "null", "condensation_request")
_SDK = ("ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent")
_Event = Mapping[str, Json]


def recognise(source: Source) -> str:
    """Whether all documents of a file are such events."""
    events = _events(source)
    if events and all(_is_event(event) for event in events) and any("source" in event for event in events):
        return f"actions and observations ({len(events)})"
    if any(event.get("kind") in _SDK for event in events) and all(text(event.get("kind")) for event in events):
        return f"events of the agent SDK ({len(events)})"
    return ""


def _events(source: Source) -> Sequence[_Event]:
    for name in ("history", "trajectory", "events"):
        if isinstance(source.root.get(name), list):
            return objects(source.root[name])
    return source.objects


def _is_event(event: _Event) -> bool:
    acts = isinstance(event.get("action"), str) and isinstance(event.get("args", {}), dict)
    return acts or (isinstance(event.get("observation"), str) and "content" in event)


def read(source: Source) -> Sequence[Log]:
    """One run."""
    session = _Session()
    for event in _events(source):
        if text(event.get("kind")):
            session.sdk(event)
        else:
            session.take(event)
    told = {key: value for key, value in source.root.items() if key in ("instance_id", "metrics", "test_result")}
    return [session.log(told)]


class _Session:
    """Takes events in order."""

    def __init__(self) -> None:
        self._talk = Conversation(None)
        self._asked: Json = None
        self._output: Json = None
        self._responses: set[str] = set()
        """Ids of the model's responses that were told: one may have asked for several actions."""
        self._actions: set[str] = set()
        self._tools: list[Json] = []
        self._prompt: Json = None
        self._left_out = 0
        self._error: str | None = None

    # -- trajectories ------------------------------------------------------------------------------------------------

    def take(self, event: _Event) -> None:
        """The next event of a trajectory."""
        at = moment(event.get("timestamp"))
        if isinstance(event.get("observation"), str):
            self._observed(event, at)
            return
        action, args = text(event.get("action")), fields(event.get("args"))
        if action == "system":
            self._prompt = args.get("content")
            self._tools = list(items(args.get("tools")))
        if action in _QUIET:
            self._left_out += 1
        elif action == "message":
            self._said(event, text(args.get("content")), at)
        elif event.get("source") == "user":
            self._talk.user({"role": "user", "content": text(event.get("message")) or action, "args": dict(args)}, at)
        else:
            self._acted(event, action, args, at)

    def _said(self, event: _Event, content: str, at: float | None) -> None:
        if event.get("source") == "user":
            self._asked = content if self._asked is None else self._asked
            self._talk.user({"role": "user", "content": content}, at)
        elif event.get("source") == "environment":
            self._talk.note(AGENT, "environment", content, at)
        else:
            self._answered(event, at)
            self._output = content
            self._talk.say(AGENT, {"role": "assistant", "content": content}, content, at)

    def _acted(self, event: _Event, action: str, args: _Event, at: float | None) -> None:
        self._answered(event, at)
        if thought := text(args.get("thought")):
            self._talk.note(AGENT, "thought", thought, at)
        if action == "think":
            return
        if action == "finish":
            self._output = args.get("final_thought") or args.get("outputs") or event.get("message")
            said = {"role": "assistant", "content": self._output}
            self._talk.say(AGENT, said, self._output, at)
            return
        asked = fields(event.get("tool_call_metadata"))
        given = {key: value for key, value in args.items() if key != "thought"}
        id = str(event.get("id"))
        self._actions.add(id)
        self._talk.tool(AGENT, text(asked.get("function_name")) or action, given, at, id)

    def _observed(self, event: _Event, at: float | None) -> None:
        id = str(event.get("cause"))
        content = event.get("content")
        if id in self._actions:
            failed = event.get("observation") == "error"
            self._talk.result(id, "", content, at, (text(content) or "error") if failed else None)
        elif event.get("observation") == "error":
            self._talk.note(AGENT, "error", content, at)
        else:
            self._left_out += 1

    def _answered(self, event: _Event, at: float | None) -> None:
        """The model call that an action came from."""
        response = fields(fields(event.get("tool_call_metadata")).get("model_response"))
        id = text(response.get("id"))
        if not response or (id and id in self._responses):
            return
        self._responses.add(id)
        turn = self._talk.agent(AGENT, at)
        tokens = usage(response.get("usage"))
        model = text(response.get("model"))
        turn.inside.append(
            Call(
                kind="model",
                component=f"{turn.component}/{part(model or 'model')}",
                type=models.COMPLETIONS,
                input={"model": model, **({"tools": self._tools} if self._tools else {})},
                output=dict(response),
                ended=at,
                usage=Usage(*tokens, amount(fields(event.get("llm_metrics")).get("cost"))),
            )
        )

    # -- the agent SDK -----------------------------------------------------------------------------------------------

    def sdk(self, event: _Event) -> None:
        """The next event of the agent SDK."""
        at = moment(event.get("timestamp"))
        match event.get("kind"):
            case "MessageEvent":
                message = fields(event.get("llm_message"))
                content = models.plain(message.get("content"))
                self._said(event, content if isinstance(content, str) else "", at)
            case "ActionEvent":
                self._sdk_action(event, at)
            case "ObservationEvent":
                observed = fields(event.get("observation"))
                output = models.plain(observed.get("content", observed.get("output", event.get("observation"))))
                error = (text(output) or "error") if observed.get("is_error") is True else None
                self._left_out += not self._talk.result(text(event.get("tool_call_id")), "", output, at, error)
            case "AgentErrorEvent" | "UserRejectObservation":
                said = text(event.get("error")) or text(event.get("rejection_reason")) or "error"
                if not self._talk.result(text(event.get("tool_call_id")), "", said, at, said):
                    self._talk.note(AGENT, "error", said, at)
            case "ConversationErrorEvent":
                self._error = text(event.get("detail")) or text(event.get("code")) or "error"
            case "SystemPromptEvent":
                self._prompt = models.plain(fields(event.get("system_prompt")).get("text"))
                self._tools = list(items(event.get("tools")))
            case _:
                self._left_out += 1

    def _sdk_action(self, event: _Event, at: float | None) -> None:
        for name in ("reasoning_content", "thought"):
            if said := models.plain(event.get(name)):
                self._talk.note(AGENT, "thought", said, at)
        call = fields(event.get("tool_call"))
        given = event.get("action")
        tool = text(event.get("tool_name")) or text(call.get("name")) or "tool"
        if given is None:
            given = decoded(call.get("arguments"))
        if tool == "finish":
            self._output = fields(given).get("message", given)
            self._talk.say(AGENT, {"role": "assistant", "content": self._output}, self._output, at)
        else:
            self._talk.tool(AGENT, tool, given, at, text(event.get("tool_call_id")))

    def log(self, told: dict[str, Json]) -> Log:
        """The run, once all events were taken."""
        self._talk.team.input = {"input": self._asked}
        guessed = ["all that the agent does between two messages is one turn"]
        if self._responses:
            guessed.append("prompts of model calls are not in the log: only their answers are")
        if self._talk.unanswered:
            guessed.append(f"actions without an observation never came back ({self._talk.unanswered})")
        if self._left_out:
            guessed.append(f"left out: events about states and memories ({self._left_out})")
        config = {f"{self._talk.path(AGENT)}.system_prompt": self._prompt} if self._prompt is not None else {}
        return Log(
            input=self._asked,
            output=self._output,
            error=self._error,
            config=config,
            parts=[self._talk.ended(self._output)],
            told={**told, **({"tools": self._tools} if self._tools else {})},
            guessed=guessed,
        )


IMPORTER = Importer(
    name="OpenHands",
    looks="a list of events with action and args, or observation and content; or with a kind such as ActionEvent",
    recognise=recognise,
    read=read,
)
