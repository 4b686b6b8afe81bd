"""Promises about configuration: read, changed for the future of a live run, changed in a fork."""

from __future__ import annotations

from outtake.service.errors import BadBody
from outtake.testing.kit import Setting
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake.testing.words import Broken, expect, expect_equal


def _setting(rig: Rig) -> Setting:
    if rig.kit.setting is None:
        raise Broken(f"the kit {rig.kit.name} declares configure, but names no setting")
    return rig.kit.setting


def configure_live(rig: Rig) -> None:
    setting = _setting(rig)
    run = rig.run("setting", breakpoints=["model:*"])
    run.held()
    components = {found["path"]: found for found in run.service.describe(run.id)["components"]}
    expect(setting.component in components, f"{setting.component} is not described; these are: {sorted(components)}")
    described = components[setting.component]
    expect(setting.key in described["config"], f"the value of {setting.key} is not described")
    expect(setting.key in described["schema"].get("properties", {}), f"{setting.key} is described without a schema")
    _refuses_what_is_not_there(run, setting)
    run.service.configure(run.id, setting.component, setting.key, setting.value)
    run.go_to_end()
    _changed(run, setting, first=1)
    _kept(run, setting)
    expect_equal([r["key"] for r in run.log if r["kind"] == "config_set"], [setting.key], "settings in the record")
    run.expect_free_forks(0, len(run.log))


def _kept(run: Watched, setting: Setting) -> None:
    """What the program said of itself is there when it has ended, with the setting as it was then."""
    told = run.service.describe(run.id)
    expect_equal(told["source"], "kept", "who describes the program of a run that has ended")
    (described,) = (part for part in told["components"] if part["path"] == setting.component)
    expect_equal(described["config"][setting.key], setting.value, "the setting as it is described at the end")


def _refuses_what_is_not_there(run: Watched, setting: Setting) -> None:
    try:
        run.service.configure(run.id, setting.component, "no_such_setting", 1)
    except BadBody as error:
        expect(setting.key in str(error), f"an unknown setting is refused without the known ones: {error}")
    else:
        expect(False, "a setting that is not there was changed")


def _changed(run: Watched, setting: Setting, first: int) -> None:
    """From the model call `first` on, the setting is part of the question."""
    asked = [call.asked for call in run.calls if call.kind == "model"]
    expect(len(asked) > first, f"no model was asked after the change: {asked}")
    told = [setting.value in text for text in asked]
    expect_equal(told, [n >= first for n in range(len(told))], "questions with the new setting in them")


def configure_fork(rig: Rig) -> None:
    setting = _setting(rig)
    baseline = rig.recorded("setting")
    cut = baseline.end_of(baseline.starts("model")[0])["seq"] + 1
    edit = {"op": "set_config", "component": setting.component, "key": setting.key, "value": setting.value}
    fork = baseline.fork(edit, at=cut)
    info = fork.ended()
    expect_equal(info["reused"]["model"], 1, "model calls that the fork reused")
    _changed(fork, setting, first=0)
    fork.expect_free_forks()
