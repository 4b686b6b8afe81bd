"""Running the suite: one promise, or all of them, and the report of what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from outtake.testing.kit import Kit
from outtake.testing.promises import Promise, promises
from outtake.testing.rig import Rig
from outtake.testing.words import Broken
from outtake_probe.records import Json

Result = Literal["kept", "broken", "not offered"]


@dataclass(frozen=True)
class Outcome:
    """What came out of one promise."""

    promise: str
    result: Result
    reason: str = ""
    seconds: float = 0.0

    def require(self) -> None:
        """Raises `Broken` if the promise is."""
        if self.result == "broken":
            raise Broken(f"{self.promise}: {self.reason}")


@dataclass(frozen=True)
class Report:
    """What came out of all promises of one target."""

    target: str
    python: str
    versions: dict[str, str]
    outcomes: tuple[Outcome, ...]

    @property
    def broken(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.result == "broken"]

    def to_json(self) -> Json:
        """What is worth keeping: no times, and of each reason the first line."""
        outcomes = [{"promise": o.promise, "result": o.result, "reason": _line(o.reason)} for o in self.outcomes]
        return {"target": self.target, "python": self.python, "versions": self.versions, "outcomes": outcomes}


def _line(reason: str) -> str:
    line = reason.partition("\n")[0]
    return line if len(line) <= 200 else f"{line[:197]}..."


def run_promise(rig: Rig, promise: Promise) -> Outcome:
    """Hold the target to one promise."""
    reason = promise.absence(rig.kit)
    if reason is not None:
        return Outcome(promise.name, "not offered", reason)
    if promise.scene not in rig.kit.programs:
        needs = ", ".join(promise.needs)
        return Outcome(
            promise.name, "broken", f"the target declares {needs}, but the kit has no program {promise.scene}"
        )
    began = time.monotonic()
    result, reason = _result(rig, promise)
    return Outcome(promise.name, result, reason, round(time.monotonic() - began, 2))


def _result(rig: Rig, promise: Promise) -> tuple[Result, str]:
    try:
        promise.check(rig)
    except Broken as error:
        return "broken", str(error)
    except Exception as error:  # noqa: BLE001  the service with a stranger's adapter below is what is on trial
        return "broken", f"{type(error).__name__}: {error}"
    finally:
        rig.stop_runs()
    return "kept", ""


def check(kit: Kit, names: Collection[str] = (), told: Callable[[Outcome], None] = lambda _: None) -> Report:
    """Hold a target to all promises, or to those of these names.  Raises `BadKit`."""
    _ = kit.declared
    with Rig(kit) as rig:
        return check_in(rig, names, told)


def check_in(rig: Rig, names: Collection[str] = (), told: Callable[[Outcome], None] = lambda _: None) -> Report:
    """`check`, in a rig that goes on to be used: what it has recorded is there."""
    declared = rig.kit.declared
    outcomes = []
    for promise in promises:
        if not names or promise.name in names:
            outcomes.append(run_promise(rig, promise))
            told(outcomes[-1])
    return Report(rig.kit.name, declared.python, dict(declared.versions), tuple(outcomes))
