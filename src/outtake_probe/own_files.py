"""The program's own files: those below its folder that belong to no installed package, as they were imported.

The run knows each by its path and a hash of its text, so that one can say later what changed since.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Sequence
from hashlib import blake2b

from outtake_probe import notebooks


def text_hash(data: bytes) -> str:
    """Hash of a file's text, 16 hex digits."""
    return blake2b(data, digest_size=8).hexdigest()


def program_text(path: str, data: bytes) -> bytes:
    """The program's text in a file: all of it, or the code in the cells of a notebook."""
    if not path.endswith(".ipynb"):
        return data
    try:
        return notebooks.text(data)
    except ValueError:
        return data


class OwnFiles:
    """The program's own files that this process has imported.

    They lie below one of `roots`.  `folder` is where the program was started: names of files are relative to it, with
    ``/``.
    """

    def __init__(self, folder: str, roots: Sequence[str]) -> None:
        self.folder = os.path.realpath(folder)
        self._roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)
        self._installed = tuple(
            os.path.join(os.path.realpath(path), "") for name, path in sysconfig.get_paths().items() if "lib" in name
        )
        self._own: dict[str, bool] = {}
        self._texts: dict[str, bytes] = {}
        self._modules: dict[str, str | None] = {}
        self.hashes: dict[str, str] = {}
        """By path relative to the folder."""
        self.on_import: Callable[[str, str], None] = lambda path, hash: None
        """Told, in any thread, of each file and its hash when it is imported."""

    def is_own(self, path: str) -> bool:
        """Whether a file, given with its whole path, is the program's own."""
        found = self._own.get(path)
        if found is None:
            real = os.path.realpath(path)
            below = real.startswith(self._roots) and not real.startswith(self._installed)
            found = self._own[path] = below and "site-packages" not in real and os.path.isfile(real)
        return found

    def name(self, path: str) -> str:
        """The path of a file relative to the program's folder."""
        try:
            return os.path.relpath(os.path.realpath(path), self.folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return path.replace(os.sep, "/")

    def path(self, name: str) -> str:
        """The whole path of a file that `name` gave."""
        return os.path.normpath(os.path.join(self.folder, name))

    def imported(self, path: str, text: bytes) -> None:
        """A file was imported, or run, with this text."""
        name = self.name(path)
        if not self.is_own(path) or self.hashes.get(name) == text_hash(text):
            return
        self._texts[os.path.realpath(path)] = text
        self.hashes[name] = text_hash(text)
        self.on_import(name, self.hashes[name])

    def given(self, path: str, text: bytes) -> None:
        """This is the program's own text, whether a file with this path is there or not; it is not told as imported."""
        self._own[path] = True
        self._texts[os.path.realpath(path)] = text

    def find_imported(self) -> None:
        """Take note of what was imported before: the modules that are there, as their files are now."""
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.endswith(".py") and self.is_own(os.path.abspath(path)):
                text = self._read(os.path.realpath(path))
                if text is not None:
                    self.imported(os.path.abspath(path), text)

    def text(self, path: str) -> bytes | None:
        """The text of a file as it was imported, or else as it is now; None where it is not there."""
        real = os.path.realpath(path)
        return self._texts[real] if real in self._texts else self._read(real)

    def module_file(self, module: str) -> str | None:
        """The program's own file that a module is imported from; None where it is not the program's own."""
        if module not in self._modules:
            self._modules[module] = self._find_module(module)
        return self._modules[module]

    def _find_module(self, module: str) -> str | None:
        top = module.partition(".")[0]
        for name in (module, top):
            loaded = getattr(sys.modules.get(name), "__file__", None)
            if isinstance(loaded, str) and (name == module or not self.is_own(loaded)):
                return loaded if self.is_own(loaded) else None
        if top in sys.stdlib_module_names:
            return None
        relative = os.path.join(*module.split("."))
        for root in dict.fromkeys([*self._roots, *filter(None, sys.path)]):
            for path in (os.path.join(root, relative, "__init__.py"), os.path.join(root, f"{relative}.py")):
                if self.is_own(path):
                    return path
        return None

    @staticmethod
    def _read(path: str) -> bytes | None:
        try:
            with open(path, "rb") as file:
                return program_text(path, file.read())
        except OSError:
            return None
