"""Where programs and tests lie: a folder, a file, or ``sdist:NAME==VERSION``, which is downloaded and unpacked."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

SDIST = "sdist:"


class NotThere(Exception):
    """A place that there is not; the message says why."""


def place(named: str, cache: Path) -> Path:
    """The folder or file that is meant.  Raises `NotThere`."""
    if not named.startswith(SDIST):
        path = Path(named)
        if not path.exists():
            raise NotThere(f"there is no {named}; name a folder, a file, or {SDIST}NAME==VERSION")
        return path
    folder = cache / named.removeprefix(SDIST)
    if not folder.exists():
        _download(named.removeprefix(SDIST), folder)
    return folder


def _download(requirement: str, folder: Path) -> None:
    """Get the source distribution, and unpack it."""
    into = folder.with_name(f"{folder.name}.part")
    into.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    done = subprocess.run([*command, "-d", str(into), requirement], capture_output=True, text=True, check=False)
    archives = sorted(into.glob("*.tar.gz"))
    if done.returncode or not archives:
        raise NotThere(f"{requirement} has no source distribution that can be had:\n{done.stderr.strip()[-1000:]}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(into, filter="data")
    archives[0].unlink()
    into.rename(folder)
