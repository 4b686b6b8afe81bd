"""What the checks of one kit share: a service on a scratch store, and runs that were recorded once."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from outtake.service.errors import Conflict
from outtake.service.service import Service
from outtake.testing import stage
from outtake.testing.kit import SCRIPTS, TOPIC, WITH_INPUT, Kit, Scene
from outtake.testing.watched import Watched, environment
from outtake_probe.records import Json

PROGRAM = "program.py"
HANDLER = f"{PROGRAM}:handle"
"""The function of the scene `requests` whose calls are runs."""


class Rig:
    """One kit, ready for checks.  A context manager: at its end every process is gone, and so are the files."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self._scratch = tempfile.TemporaryDirectory(prefix="outtake-testing-", ignore_cleanup_errors=True)
        self._root = Path(self._scratch.name)
        self.service = Service(self._root / "store")
        self._recorded: dict[Scene, Watched] = {}
        self._folders = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.service.close()
        self._scratch.cleanup()

    def folder(self, scene: Scene) -> Path:
        """A fresh folder with the program of this scene."""
        self._folders += 1
        folder = self._root / f"{self._folders:03}-{scene}"
        folder.mkdir()
        files: Mapping[str, str] = {
            "stage.py": Path(stage.__file__).read_text("utf-8"),
            PROGRAM: self.kit.programs[scene],
            **self.kit.files,
        }
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        return folder

    def run(self, scene: Scene, folder: Path | None = None, **options: Any) -> Watched:
        """Start the program of this scene, by default in a fresh folder."""
        place = folder or self.folder(scene)
        given: dict[str, Json] = {"input": TOPIC, "has_input": True} if scene in WITH_INPUT else {}
        spec = PROGRAM if scene in SCRIPTS else f"{PROGRAM}:main"
        made = self.service.run(
            spec, python=self.kit.python, folder=str(place), env=environment(), name=scene, **given, **options
        )
        return Watched(self.service, place, made, 0)

    def stop_runs(self) -> None:
        """End what a check has left behind."""
        for run in self.service.runs():
            if run["live"]:
                with contextlib.suppress(Conflict):
                    self.service.control(run["run"], "stop")

    def recorded(self, scene: Scene) -> Watched:
        """A run of this scene that nobody watched and that has ended well; the checks that only fork share it."""
        if scene not in self._recorded:
            run = self.run(scene, headless=True)
            run.ended()
            run.freeze()
            self._recorded[scene] = run
        return self._recorded[scene]

    def requests(self) -> list[Watched]:
        """The runs of the single requests that the program of `requests`, once recorded, was asked."""
        process = self.recorded("requests")
        runs = [r for r in self.service.runs() if r["spec"] == HANDLER and r["parent"] is None]
        return [Watched(self.service, process.folder, run, 0) for run in runs]

    def leaves(self) -> list[str]:
        """The kinds of invocations of this target that really call something."""
        found = self.kit.declared.capabilities
        return [kind for kind in ("model", "tool") if f"hold:{kind}" in found]
