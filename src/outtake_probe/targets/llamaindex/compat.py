"""What the releases of the workflows package differ in, as far as the results of steps go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflows.runtime.types import results, ticks

if TYPE_CHECKING:
    from outtake_probe.targets.llamaindex.steps import Sent

_StepId: Any = getattr(ticks, "StepId", None)
_Decision: Any = getattr(results, "RetryDecision", None)
_SentEvent: Any = getattr(results, "SentEvent", None)
_EmissionKey: Any = getattr(results, "EmissionKey", None)
_DECIDES = "retry_decision" in results.StepWorkerFailed.model_fields


def retry_decision(delay: float | None) -> Any:
    """The verdict on a failure, where this release lets the result say it."""
    return _Decision(delay=delay) if _DECIDES and _Decision is not None else None


def step_id(step: str | None) -> Any:
    """How this release names a step in a tick."""
    if step is None or "step_id" not in ticks.TickAddEvent.model_fields:
        return step
    return _StepId.from_str(step)


def sent_event(sent: Sent) -> Any:
    """What the result of a step says of an event that it sent, where this release wants to know."""
    if _SentEvent is None or sent.index is None or sent.dropped:
        return None
    return _SentEvent(index=sent.index, event=sent.event, step_id=step_id(sent.step), recovery_counts=sent.recovery)


def add_event(sent: Sent, invocation: str | None) -> Any:
    """The tick that sends an event again."""
    known = ticks.TickAddEvent.model_fields
    fields: dict[str, Any] = {"event": sent.event}
    fields["step_id" if "step_id" in known else "step_name"] = step_id(sent.step)
    if "recovery_counts" in known:
        fields["recovery_counts"] = sent.recovery
    if "emission" in known and _EmissionKey is not None and sent.index is not None and invocation is not None:
        fields["emission"] = _EmissionKey(invocation_id=invocation, index=sent.index)
    return ticks.TickAddEvent(**fields)
