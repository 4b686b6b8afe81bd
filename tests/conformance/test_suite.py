"""The suite itself: it names what is broken, tells what is not offered, and refuses a kit that cannot be used."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from outtake.testing import BadKit, Broken, Kit, Rig, check, promises, run_promise
from outtake.testing.__main__ import main
from outtake.testing.kits import plain

BY_NAME = {promise.name: promise for promise in promises}
DEAF = plain.CHAT.replace("@outtake.model\n", "").replace("@outtake.tool\n", "")
"""A program whose calls no gate sees."""


def kit(**changes: Any) -> Kit:
    return dataclasses.replace(plain.KIT, **changes)


def test_a_target_that_does_not_what_it_declares_is_named_with_the_reason() -> None:
    with Rig(kit(programs={"chat": DEAF})) as rig:
        outcome = run_promise(rig, BY_NAME["hold-model"])
        assert (outcome.result, outcome.reason) == ("broken", "the program chat has no model")
        with pytest.raises(Broken, match="hold-model: the program chat has no model"):
            outcome.require()
        free = run_promise(rig, BY_NAME["fork-free"])
        assert free.result == "broken"
        assert "really called" in free.reason


LEAVES_TRACES = plain.REQUESTS.replace(
    "    return main(topic)\n",
    """
    import json
    from outtake_probe.attached import active
    if active() is not None:
        json.load = lambda file: None
        Left.hook = active
    return main(topic)

class Left:
    def hook(self):
        pass
""",
)
"""A program that does in the debugged process what an adapter could, and does not undo it."""


def test_what_is_left_behind_is_named() -> None:
    with Rig(kit(programs={"chat": plain.CHAT, "requests": LEAVES_TRACES})) as rig:
        outcome = run_promise(rig, BY_NAME["leave"])
    assert outcome.result == "broken"
    assert "json: load" in outcome.reason
    assert "program.Left" in outcome.reason


def test_what_is_not_declared_is_not_offered() -> None:
    report = check(kit(capabilities=["hold:model"]), ["hold-model", "hold-tool", "inject"])
    assert [(o.promise, o.result) for o in report.outcomes] == [
        ("hold-model", "kept"),
        ("hold-tool", "not offered"),
        ("inject", "not offered"),
    ]
    assert report.broken == []


def test_what_is_declared_without_a_program_is_broken() -> None:
    report = check(kit(capabilities=["hold:message"]), ["hold-message"])
    assert [o.reason for o in report.broken] == ["the target declares hold:message, but the kit has no program letters"]


def test_a_kit_without_the_first_program_or_its_adapter_is_refused() -> None:
    with pytest.raises(BadKit, match="has no program chat"):
        kit(programs={})
    with pytest.raises(BadKit, match="no_such_adapter"):
        check(kit(adapter="no_such_adapter"))
    with pytest.raises(BadKit, match="cannot be started"):
        check(kit(python="no/such/python"))


def test_the_command_prints_the_table_or_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    name = "outtake.testing.kits.plain:KIT"
    assert main([name, "--promise", "hold-tool"]) == 0
    assert "| A tool call is held before it goes out. | ✓ |" in capsys.readouterr().out
    assert main([name, "--promise", "hold-tool", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["target"], report["outcomes"][0]["result"]) == ("plain Python", "kept")


@pytest.mark.parametrize(
    "name", ["no.such.module:KIT", "outtake.testing.kits.plain:CHAT", "outtake.testing.kits.plain:NONE"]
)
def test_the_command_refuses_what_is_no_kit(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    assert name in capsys.readouterr().err
