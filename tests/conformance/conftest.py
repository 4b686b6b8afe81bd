"""The suite is run once for each target, when its first test asks; each test looks at one promise of one target.

What the promises have recorded on the way serves the comparison with the golden logs, too.  All tests of a target are
run by one process (see `tests.conftest`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from outtake.testing import Kit, Outcome, Rig, golden
from outtake.testing.built_in import NoEnvironment, kits, placed
from outtake.testing.running import check_in

FOLDER = Path(__file__).resolve().parent.parent / "golden"
GOLDEN = "golden"
"""Stands for the comparison with the golden logs among the names of promises."""


class Runs:
    """The runs of the suite that the selected tests ask for."""

    def __init__(self, pool: ThreadPoolExecutor, wanted: dict[str, set[str]]) -> None:
        """`wanted` are the names of promises, and `GOLDEN`, by the name of the target."""
        self._pool = pool
        self._wanted = wanted
        self._changed = threading.Condition()
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._done: dict[str, Future[str]] = {}

    def _run(self, target: str) -> Future[str]:
        """The run of the suite on a target, which begins now if it has not.  Skips where there is no environment."""
        if target not in self._done:
            kit = next(kit for kit in kits if kit.name == target)
            try:
                self._done[target] = self._pool.submit(self._check, placed(kit), self._wanted[target])
            except NoEnvironment as error:
                pytest.skip(str(error))
            self._done[target].add_done_callback(self._wake)
        return self._done[target]

    def _check(self, kit: Kit, names: set[str]) -> str:
        """Runs what is wanted of a target; returns what is wrong with its golden logs."""

        def told(outcome: Outcome) -> None:
            with self._changed:
                self._outcomes[kit.name, outcome.promise] = outcome
                self._changed.notify_all()

        _ = kit.declared
        with Rig(kit) as rig:
            if names != {GOLDEN}:
                check_in(rig, names, told)
            return golden.complaint(kit, golden.logs(rig), FOLDER) if GOLDEN in names else ""

    def _wake(self, _: Future[str]) -> None:
        with self._changed:
            self._changed.notify_all()

    def outcome(self, target: str, promise: str) -> Outcome:
        """What came out, as soon as it is there."""
        done, key = self._run(target), (target, promise)
        with self._changed:
            self._changed.wait_for(lambda: key in self._outcomes or done.done())
        if key not in self._outcomes:
            done.result()  # raises what ended the run of the suite
        return self._outcomes[key]

    def complaint(self, target: str) -> str:
        """What is wrong with the golden logs of a target, when all that is wanted of it has run."""
        return self._run(target).result()


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    wanted: dict[str, set[str]] = {}
    for item in request.session.items:
        params = getattr(getattr(item, "callspec", None), "params", {})
        if "target" in params:
            promise = params.get("promise")
            wanted.setdefault(params["target"], set()).add(promise.name if promise else GOLDEN)
    with ThreadPoolExecutor(1) as pool:
        yield Runs(pool, wanted)
