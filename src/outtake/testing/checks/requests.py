"""Promises about processes that go on: what they do for each request is a run of its own."""

from __future__ import annotations

from outtake.testing import stage
from outtake.testing.rig import Rig
from outtake.testing.words import expect, spread


def apart(rig: Rig) -> None:
    process = rig.recorded("requests")
    runs = rig.requests()
    asked = sorted(str(run.starts("flow")[0]["input"]["input"]["topic"]) for run in runs)
    expect(asked == sorted(stage.REQUESTS), f"the requests are {sorted(stage.REQUESTS)}, their runs {asked}")
    made = 0
    for run in runs:
        run.ended()
        topic = run.starts("flow")[0]["input"]["input"]["topic"]
        said = [start for start in run.starts("model") if stage.opening(topic) in str(start["input"])]
        others = [other for other in stage.REQUESTS if other != topic and stage.opening(other) in str(run.log)]
        expect(bool(said), f"the run of {topic} has no model call about it")
        expect(not others, f"in the run of {topic} there is something about {others}")
        made += len(run.starts("model", "tool"))
    expect(made == len(process.calls), f"{len(process.calls)} calls were made, and {made} are in the runs of requests")
    for run in runs:
        run.expect_free_forks(*spread(len(run.log), rig.kit.cuts))
