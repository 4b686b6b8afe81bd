"""Reading an archive that anybody may have made: what it unpacks to is bounded before anything is unpacked."""

from __future__ import annotations

import contextlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from outtake.core.nesting import is_too_deep
from outtake_probe.records import Json

FREE = 64 << 20
"""Bytes that any archive may unpack to."""
RATIO = 100
"""How many times its own size a larger one may."""
ENTRIES = 2000
LINE = 64 << 20
"""Bytes of one line, or of a file that is read as a whole."""
DEEPEST = 500
"""Levels of lists and objects in one line."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_MAGIC = b"PK\x03\x04"


class BadArchive(ValueError):
    """An archive that is damaged, or is not read; the message names what is wrong."""


class Archive:
    """An open archive whose files are JSON, or JSON by lines."""

    def __init__(self, file: zipfile.ZipFile, size: int) -> None:
        self._file = file
        entries = file.infolist()
        if len(entries) > ENTRIES:
            raise BadArchive(f"it has {len(entries)} entries; at most {ENTRIES} are read")
        if len({entry.filename for entry in entries}) < len(entries):
            raise BadArchive("two of its entries have the same name")
        for entry in entries:
            if entry.flag_bits & _ENCRYPTED:
                raise BadArchive(
                    f"{entry.filename[:80]!r} is encrypted; unpack it and pack it again without a password"
                )
            if entry.compress_type not in _METHODS:
                raise BadArchive(f"{entry.filename[:80]!r} is packed by a method that is not read: store or deflate it")
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > max(FREE, RATIO * size):
            raise BadArchive(
                f"it has {size:,} bytes and unpacks to {unpacked:,}; more than {RATIO} times its size is not read"
            )

    def names(self) -> Sequence[str]:
        """The names of its files."""
        return self._file.namelist()

    def document(self, name: str) -> Json:
        """What a file says as a whole.  Raises `BadArchive`."""
        with self._open(name) as file:
            data = file.read(LINE + 1)
        if len(data) > LINE:
            raise BadArchive(f"{name} is larger than {LINE >> 20} MiB")
        return _parsed(data, name)

    def lines(self, name: str) -> Iterator[Json]:
        """What each line of a file says.  Raises `BadArchive`."""
        with self._open(name) as file:
            number = 0
            while line := file.readline(LINE + 1):
                number += 1
                if len(line) > LINE:
                    raise BadArchive(f"line {number} of {name} is longer than {LINE >> 20} MiB")
                yield _parsed(line, f"line {number} of {name}")

    @contextlib.contextmanager
    def _open(self, name: str) -> Iterator[zipfile.ZipExtFile]:
        try:
            file = self._file.open(name)
        except KeyError:
            raise BadArchive(f"it has no {name}") from None
        with file:
            yield file  # type: ignore[misc]


def is_archive(path: Path) -> bool:
    """Whether a file is meant to be an archive, whole or damaged."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive at `path`.  Whatever is wrong with it, also later, while it is read, is a `BadArchive`.

    Raises `FileNotFoundError`.
    """
    try:
        with zipfile.ZipFile(path) as file:
            yield Archive(file, path.stat().st_size)
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        raise BadArchive(str(error) or type(error).__name__) from error


def _parsed(data: bytes, what: str) -> Json:
    try:
        value = json.loads(data, parse_constant=_refused)
    except RecursionError:
        raise BadArchive(f"{what} is nested too deeply") from None
    except ValueError as error:
        raise BadArchive(f"{what} is no JSON: {error}") from error
    if is_too_deep(value, DEEPEST):
        raise BadArchive(f"{what} is nested more than {DEEPEST} levels deep")
    return value


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is none of its values")
