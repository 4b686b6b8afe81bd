"""Opening a database file that cannot be written: on a medium that is read-only, or of somebody else."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

_PATIENCE = 10.0


class ReadOnlyFile:
    """Gives connections to a database that is not changed.  Raises `sqlite3.Error`, `OSError`.

    SQLite needs a file beside one in WAL mode.  Where it cannot make that, what is whole is read as it is; what still
    has a part in its WAL is copied to where it can be put together.
    """

    def __init__(self, path: Path) -> None:
        self._copy: TemporaryDirectory[str] | None = None
        self._uri = _uri(path, "mode=ro")
        if self._works():
            return
        wal = path.with_name(f"{path.name}-wal")
        if not wal.exists() or wal.stat().st_size == 0:
            self._uri = _uri(path, "mode=ro&immutable=1")
        else:
            self._copy = TemporaryDirectory(prefix="outtake-")
            for file in (path, wal):
                shutil.copyfile(file, Path(self._copy.name, file.name))
            self._uri = _uri(Path(self._copy.name, path.name), "mode=rw")
        self.connect().execute("SELECT count(*) FROM sqlite_master").connection.close()

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._uri, uri=True, timeout=_PATIENCE, check_same_thread=False)

    def close(self) -> None:
        if self._copy is not None:
            self._copy.cleanup()

    def _works(self) -> bool:
        try:
            with contextlib.closing(self.connect()) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:
            return False
        return True


def _uri(path: Path, how: str) -> str:
    return f"file:{quote(str(path))}?{how}"
