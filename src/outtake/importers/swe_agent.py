"""Trajectories of SWE-agent (``.traj``) and of mini-SWE-agent (``.traj.json``).

Each step of SWE-agent is a turn: a thought, the model's answer where the step has its prompt, and the action as a tool
call with its observation.  The log has no times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from outtake.importers import models
from outtake.importers.conversation import Conversation
from outtake.importers.log import Call, Importer, Log, Usage
from outtake.importers.messages import is_conversation
from outtake.importers.messages import log as conversation
from outtake.importers.payloads import prompt
from outtake.importers.source import Source
from outtake.importers.values import amount, decoded, fields, items, objects, part, text, whole
from outtake_probe.records import Json

AGENT, MINI = "agent", "mini-swe-agent"
_STEP = ("action", "observation")


def recognise(source: Source) -> str:
    """Whether a file is such a trajectory."""
    steps = objects(source.root.get("trajectory"))
    if steps and all(name in step for step in steps for name in _STEP):
        return f"a trajectory of {len(steps)} steps"
    if text(source.root.get("trajectory_format")).startswith(MINI) and is_conversation(source.root.get("messages")):
        return f"messages of {MINI}"
    return ""


def read(source: Source) -> Sequence[Log]:
    """One run."""
    root = source.root
    info = fields(root.get("info"))
    told = {key: value for key, value in root.items() if key in ("environment", "trajectory_format")}
    told["info"] = dict(info)
    if "trajectory" in root:
        return [_steps(root, info, told)]
    made = conversation(objects(root["messages"]), told=told)
    return [_submitted(made, info)]


def _submitted(log: Log, info: Mapping[str, Json]) -> Log:
    """The run with what was submitted as its output."""
    output = info.get("submission") or log.output
    team = log.parts[0]
    assert isinstance(team, Call)
    team.output = output
    return replace(log, output=output)


def _steps(root: Mapping[str, Json], info: Mapping[str, Json], told: Mapping[str, Json]) -> Log:
    history = objects(root.get("history"))
    asked = next((models.plain(one.get("content")) for one in history if one.get("role") == "user"), None)
    prompts = [models.plain(one.get("content")) for one in history if one.get("role") == "system"]
    talk = Conversation({"input": asked})
    if asked is not None:
        talk.user({"role": "user", "content": asked})
    with_prompt = 0
    model = _model_name(root)
    for step in objects(root["trajectory"]):
        turn = talk.agent(AGENT)
        query = items(step.get("query")) or items(step.get("messages"))
        if query:
            with_prompt += 1
            turn.inside.append(_model_call(step, query, turn.component, model))
        thought = text(step.get("thought")).strip()
        if thought:
            talk.note(AGENT, "thought", thought)
        action = text(step.get("action")).strip()
        name = part(action.split(maxsplit=1)[0]) if action else "none"
        tool = talk.tool(AGENT, name, {"action": action})
        tool.output, tool.is_over = step.get("observation"), True
        turn.output = step.get("response")
        talk.close(None)
    output = info.get("submission")
    guessed = ["the first word of an action is the name of its tool", "each step is a turn of one agent"]
    if with_prompt:
        guessed.append("the prompt of a model call is its step's query, and its answer the step's response")
    else:
        guessed.append("model calls are not in the log: it has no queries")
    path = talk.path(AGENT)
    return Log(
        input=asked,
        output=output,
        config={f"{path}.system_prompt": prompts[0]} if prompts else {},
        parts=[talk.ended(output)],
        told=dict(told),
        guessed=guessed,
    )


def _model_name(root: Mapping[str, Json]) -> str:
    """The model that the configuration of the replay names."""
    config = root.get("replay_config")
    held = fields(decoded(config))
    return text(fields(fields(held.get("agent")).get("model")).get("name"))


def _model_call(step: Mapping[str, Json], query: Sequence[Json], component: str, model: str) -> Call:
    calls = [
        models.tool_call(name, given, id) for id, name, given in models.calls_of({"tool_calls": step.get("tool_calls")})
    ]
    answer = models.message("assistant", step.get("response"), calls)
    return Call(
        kind="model",
        component=f"{component}/{part(model or 'model')}",
        type=models.COMPLETIONS,
        input=models.request(model, prompt(list(query))),
        output=models.completion(model, [answer]),
        usage=Usage(whole(step.get("tokens_sent")), whole(step.get("tokens_received")), amount(step.get("cost"))),
    )


IMPORTER = Importer(
    name="SWE-agent",
    looks="a JSON object with trajectory, a list of steps with action and observation",
    recognise=recognise,
    read=read,
)
