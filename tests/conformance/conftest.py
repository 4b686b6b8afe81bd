"""The suite is run once for each target, two targets at a time; each test looks at one promise of one target."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from outtake.testing import Kit, Outcome, Report, check
from outtake.testing.built_in import NoEnvironment, kits, placed


class Runs:
    """The runs of the suite that the selected tests ask for."""

    def __init__(self, pool: ThreadPoolExecutor, wanted: dict[str, set[str]]) -> None:
        self._changed = threading.Condition()
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._reports: dict[str, Future[Report]] = {}
        self.missing: dict[str, str] = {}
        for kit in kits:
            if kit.name in wanted:
                try:
                    self._reports[kit.name] = pool.submit(self._check, placed(kit), wanted[kit.name])
                except NoEnvironment as error:
                    self.missing[kit.name] = str(error)

    def _check(self, kit: Kit, names: set[str]) -> Report:
        def told(outcome: Outcome) -> None:
            with self._changed:
                self._outcomes[kit.name, outcome.promise] = outcome
                self._changed.notify_all()

        try:
            return check(kit, names, told)
        finally:
            with self._changed:
                self._changed.notify_all()

    def outcome(self, target: str, promise: str) -> Outcome:
        """What came out, as soon as it is there."""
        report, key = self._reports[target], (target, promise)
        with self._changed:
            self._changed.wait_for(lambda: key in self._outcomes or report.done())
        if key not in self._outcomes:
            report.result()  # raises what ended the run of the suite
        return self._outcomes[key]


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    wanted: dict[str, set[str]] = {}
    for item in request.session.items:
        params = getattr(getattr(item, "callspec", None), "params", {})
        if "target" in params and "promise" in params:
            wanted.setdefault(params["target"], set()).add(params["promise"].name)
    with ThreadPoolExecutor(2) as pool:
        yield Runs(pool, wanted)
