"""Questions that a program asks a person: as calls of a tool, and as holds that a person at the debugger answers."""

from __future__ import annotations

from outtake_probe.calls import Call
from outtake_probe.gate.decision import Answer
from outtake_probe.records import CallKind, Json
from outtake_probe.waits import Link


def input_call(component: str, prompt: str, link: Link | None = None) -> Call:
    """A question as a call of a tool that only reads: the answer is its recorded result, and a fork gives it again."""
    return Call("tool", component, {"prompt": prompt}, effects="read", link=link)


def question(component: str, prompt: Json, reason: str = "waits for input", kind: CallKind = "tool") -> dict[str, Json]:
    """What a hold shows while `component`, an invocation of that `kind`, waits for a person; they can answer it."""
    return {
        "when": "input",
        "reason": reason,
        "component": component,
        "call": kind,
        "prompt": prompt,
        "offers": ["mock_output"],
    }


def is_answered(given: Answer) -> bool:
    """Whether a hold that was a question ended with an answer: it is the value of `given`."""
    return given.verb == "serve" and not given.failed
