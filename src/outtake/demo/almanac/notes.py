"""The file surfer's tools: they list and read the text files of one folder, and nothing outside it."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

_FOLDER = Path(__file__).with_name("notes")


class Notes:
    """The files directly inside a folder, by name."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder

    def tools(self) -> list[Callable[..., str]]:
        """What a file surfer may call."""
        return [self.list_files, self.read_file]

    def list_files(self) -> str:
        """List the names of the files in the notes folder, one a line."""
        return "\n".join(self._names())

    def read_file(self, name: Annotated[str, "a name given by list_files"]) -> str:
        """Read a text file of the notes folder."""
        # A look-up among known names, never a path: a model cannot walk out of the folder.
        if name not in self._names():
            raise LookupError(f"there is no file {name!r}; the files are: {', '.join(self._names())}")
        return (self._folder / name).read_text(encoding="utf-8")

    def _names(self) -> list[str]:
        return sorted(path.name for path in self._folder.iterdir() if path.is_file())
