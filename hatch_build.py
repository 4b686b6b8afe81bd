"""The build hook of the package: the user interface is built before the files are packed.

Node is asked for as a package only where there is something to build and the machine has no Node: who installs an sdist
or a wheel needs neither Node nor the npm registry.
"""

import sys
from pathlib import Path
from typing import Any, NoReturn

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent / "scripts"))

import _ui


class UiHook(BuildHookInterface[Any]):
    """Builds what is to be packed, or says why it cannot."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build itself needs."""
        try:
            needed = _ui.is_needed() and not _ui.machine_has_node()
        except _ui.BuildError as error:
            self._abort(error)
        return [_ui.NODE_WHEEL] if needed else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            _ui.build()
        except _ui.BuildError as error:
            self._abort(error)
        if not _ui.STAMP.is_file():
            self.app.display_warning("without the user interface: the server will show a plain page")

    def _abort(self, error: _ui.BuildError) -> NoReturn:
        """End the build with what the error says, and no traceback."""
        self.app.abort(str(error))
        raise error
