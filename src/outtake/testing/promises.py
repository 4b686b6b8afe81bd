"""The promises of Outtake to the user of a target: a closed list, each with the check that is its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from outtake.testing.checks import (
    describing,
    editing,
    forking,
    holding,
    inside,
    leaving,
    messages,
    recording,
    repeating,
    requests,
    settings,
    states,
    stepping,
    timing,
    waiting,
)
from outtake.testing.kit import Kit, Scene
from outtake.testing.rig import Rig
from outtake_probe.targets.base import Capability


@dataclass(frozen=True)
class Promise:
    """One sentence to the user.  A target offers it that declares what it `needs`, and has a program for its scene."""

    name: str
    group: str
    sentence: str
    check: Callable[[Rig], None]
    scene: Scene = "chat"
    needs: tuple[Capability, ...] = ()

    def __str__(self) -> str:
        return self.name

    def absence(self, kit: Kit) -> str | None:
        """Why the target does not offer it, or None where it does."""
        lacking = [name for name in self.needs if name not in kit.declared.capabilities]
        if lacking:
            return f"the target does not declare {', '.join(lacking)}"
        if self.name == "usage" and kit.tokens is None:
            return "what is called says nothing of tokens"
        if not self.needs and self.scene not in kit.programs:
            return f"the kit has no program {self.scene}"
        return None


HOLD, STEP, CHANGE, MESSAGES, FORK, RECORD = "Hold", "Step", "Change", "Messages", "Fork", "Record"
LEAVE = "Look, attach, leave"

promises: tuple[Promise, ...] = (
    Promise(
        "hold-message",
        HOLD,
        "A message is held before it is delivered.",
        holding.hold_message,
        "letters",
        ("hold:message",),
    ),
    Promise(
        "hold-agent", HOLD, "An agent's turn is held before it begins.", holding.hold_at("agent"), needs=("hold:agent",)
    ),
    Promise("hold-step", HOLD, "A step is held before it begins.", holding.hold_at("step"), needs=("hold:step",)),
    Promise("hold-task", HOLD, "A task is held before it begins.", holding.hold_at("task"), needs=("hold:task",)),
    Promise(
        "hold-model", HOLD, "A model call is held before it goes out.", holding.hold_at("model"), needs=("hold:model",)
    ),
    Promise(
        "hold-tool", HOLD, "A tool call is held before it goes out.", holding.hold_at("tool"), needs=("hold:tool",)
    ),
    Promise("hold-alone", HOLD, "What runs beside a held call goes on.", holding.others_go_on, "parallel"),
    Promise("pause", HOLD, "A pause takes hold at the very next gate.", holding.pause),
    Promise(
        "breakpoints",
        HOLD,
        "Breakpoints by kind, text and n-th hit; on and off; unknown fields are refused.",
        holding.breakpoints,
        needs=("hold:model",),
    ),
    Promise("waits-person", HOLD, "A wait for a person is held until they answer.", waiting.for_a_person, "asking"),
    Promise(
        "waits-event",
        HOLD,
        "What the program itself will answer later is waited for, and nobody is asked.",
        waiting.for_the_program,
        "awaiting",
    ),
    Promise(
        "time-outs",
        HOLD,
        "The framework's own time-outs stand still while something is held.",
        timing.standing_still,
        "limited",
    ),
    Promise("step-in", STEP, "Step in stops at everything that goes out.", stepping.step_in),
    Promise("step-over", STEP, "Step over stops at nothing inside.", stepping.step_over),
    Promise("step-out", STEP, "Step out stops at the result of what is around.", stepping.step_out),
    Promise("edit-input", CHANGE, "An input is edited: live, and in a fork.", editing.edit_input, needs=("edit",)),
    Promise("edit-output", CHANGE, "An output is edited where it comes back.", editing.edit_output, needs=("edit",)),
    Promise(
        "mock", CHANGE, "A call is not made, a mock answers: live, and in a fork.", editing.mock_output, needs=("mock",)
    ),
    Promise(
        "raise",
        CHANGE,
        "A call is not made, an error comes back: live, and in a fork.",
        editing.raise_error,
        needs=("mock",),
    ),
    Promise("drop-call", CHANGE, "A call is left out: live, and in a fork.", editing.drop_call, needs=("drop",)),
    Promise(
        "configure",
        CHANGE,
        "A component's settings are read, and changed for the future of a live run.",
        settings.configure_live,
        "setting",
        ("configure",),
    ),
    Promise(
        "configure-fork",
        CHANGE,
        "A setting is changed in a fork, from the cut on.",
        settings.configure_fork,
        "setting",
        ("configure",),
    ),
    Promise(
        "queue",
        MESSAGES,
        "Messages that wait are seen, and put in another order.",
        messages.queue,
        "letters",
        ("queue",),
    ),
    Promise(
        "edit-message",
        MESSAGES,
        "A message that waits is edited: live, and in a fork.",
        messages.edit_message,
        "letters",
        ("hold:message", "edit"),
    ),
    Promise(
        "drop-message",
        MESSAGES,
        "A message that waits is dropped: live, and in a fork.",
        messages.drop_message,
        "letters",
        ("hold:message", "drop"),
    ),
    Promise("inject", MESSAGES, "A new message is sent: live, and in a fork.", messages.inject, "letters", ("inject",)),
    Promise("fork-free", FORK, "A fork without an edit ends the same way and calls nothing.", forking.free_forks),
    Promise(
        "fork-edit",
        FORK,
        "A fork with one edit executes only what changed.",
        forking.only_what_changed,
        "parallel",
        ("edit",),
    ),
    Promise("fork-prefix", FORK, "With `prefix`, everything after the cut is executed.", forking.prefix),
    Promise(
        "divergence", FORK, "A changed program is stopped at the first difference, which is named.", forking.divergence
    ),
    Promise(
        "continue",
        FORK,
        "A killed process is continued; what is recorded is not called again.",
        forking.continue_after_kill,
    ),
    Promise(
        "repeat",
        FORK,
        "What changes the world happens again only when a person, or `--repeat`, says so.",
        repeating.repeat,
        needs=("hold:tool",),
    ),
    Promise(
        "irreversible",
        FORK,
        "What cannot be undone is refused where a fork would do it anew and nobody is there to ask.",
        repeating.irreversible,
        needs=("hold:tool", "mock"),
    ),
    Promise(
        "state",
        FORK,
        "A state outside the process is where the record left it, before a fork's first live call of it.",
        states.restore,
        "shared",
        ("state",),
    ),
    Promise(
        "agents-inside-tools",
        FORK,
        "An agent inside a tool remembers in a fork what it was asked before.",
        inside.remembered,
        "memory",
    ),
    Promise(
        "steps-read",
        FORK,
        "A step that reads what an edit changed in the state that steps share is executed, not served.",
        inside.read,
        "reading",
    ),
    Promise(
        "printed-output",
        FORK,
        "A fork without an edit prints what its parent printed.",
        inside.printed,
        "printing",
    ),
    Promise(
        "cancellation",
        FORK,
        "What the program took back is taken back in a fork.",
        timing.cancelled,
        "cancelling",
    ),
    Promise(
        "timers",
        FORK,
        "What the program does when some time has passed, it does at the same point of a fork.",
        timing.timed,
        "timing",
    ),
    Promise(
        "requests",
        RECORD,
        "Calls of a marked function are runs of their own, apart from each other; each can be forked alone.",
        requests.apart,
        "requests",
    ),
    Promise(
        "errors",
        RECORD,
        "Errors are held and recorded; a fork serves them before its cut, and tries again after it.",
        recording.errors,
        "failing",
    ),
    Promise("streams", RECORD, "Streams are recorded piece by piece, and served so.", recording.streams, "stream"),
    Promise(
        "threads-at-exit",
        RECORD,
        "A program whose threads are alive when it is done ends as it would plainly.",
        recording.threads_at_exit,
    ),
    Promise("usage", RECORD, "Tokens are counted.", recording.usage),
    Promise("secrets", RECORD, "Secrets stay in the program.", recording.secrets, "secret"),
    Promise("look", LEAVE, "To describe a target, nothing of it is executed.", describing.executes_nothing, "parallel"),
    Promise(
        "leave",
        LEAVE,
        "A script attaches in its middle; when the debugger leaves, all of the process is as it was.",
        leaving.leaves("leave"),
        "requests",
    ),
    Promise(
        "give-up",
        LEAVE,
        "A debugger that gives up because its server went away leaves all of the process as it was.",
        leaving.leaves("give up"),
        "requests",
    ),
)
"""All of them, in the order of the table."""
