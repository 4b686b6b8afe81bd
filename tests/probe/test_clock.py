"""Programs that put something else in the place of `time`'s functions meet no use of them by the probe."""

from __future__ import annotations

import threading
from unittest.mock import patch

import outtake
from tests.probe.inprocess import execute


@outtake.model
def ask(prompt: str) -> str:
    return prompt.upper()


def replaced() -> list[object]:
    """Answers of a model while nobody may read the clock or sleep, and how often somebody did."""
    with (
        patch("time.sleep") as sleep,
        patch("time.time", side_effect=StopIteration) as wall,
        patch("time.monotonic", side_effect=StopIteration) as monotonic,
    ):
        answers = [ask(f"prompt {number}") for number in range(50)]
        answers.append(in_another_thread())
        return [answers[-2:], sleep.call_count, wall.call_count, monotonic.call_count]


def in_another_thread() -> str:
    told: list[str] = []
    thread = threading.Thread(target=lambda: told.append(ask("done")))
    thread.start()
    thread.join()
    return told[0]


def test_a_clock_that_the_program_replaces_is_its_own() -> None:
    log = execute(replaced)
    assert log.status == "completed", log.output
    assert log.output == [["PROMPT 49", "DONE"], 0, 0, 0]
    fork = execute(replaced, parent=log)
    assert (fork.status, fork.output) == ("completed", log.output)
