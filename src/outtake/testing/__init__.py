"""The conformance suite for targets: what is promised to the user of a target, and the programs that show it.

A third party holds a target of its own to the promises with a `Kit` (see `outtake.testing.kit`):

    from outtake.testing import Kit, Rig, promises, run_promise

    @pytest.fixture(scope="module")
    def rig():
        with Rig(KIT) as rig:
            yield rig

    @pytest.mark.parametrize("promise", promises, ids=str)
    def test_promise(rig, promise):
        run_promise(rig, promise).require()

or on the command line: ``python -m outtake.testing mypackage.kit:KIT``.
"""

from outtake.testing.kit import BadKit, Kit, Setting
from outtake.testing.promises import Promise, promises
from outtake.testing.rig import Rig
from outtake.testing.running import Outcome, Report, check, run_promise
from outtake.testing.words import Broken

__all__ = [
    "BadKit",
    "Broken",
    "Kit",
    "Outcome",
    "Promise",
    "Report",
    "Rig",
    "Setting",
    "check",
    "promises",
    "run_promise",
]
