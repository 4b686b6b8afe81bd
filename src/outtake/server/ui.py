"""The built user interface: one page for every address, and the files that it loads.

The build names the files in `assets` by a hash of what is in them, so a browser may keep them for ever.  The page is
written anew for each answer, because it carries the one nonce under which its styles count.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path

BUILT = Path(__file__).with_name("static")
"""Where the build of the package puts it."""
PAGE = "index.html"
NONCE = "__NONCE__"
"""What stands in the page where the nonce belongs."""
WORTH_PACKING = 1 << 10
"""Bytes from which a text is compressed."""
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Media types by ending; what a machine has in its tables may differ."""
PACKED = frozenset({".ico", ".png", ".woff2"})
"""Endings of what is compressed already."""
BROTLI = ".br"
"""What the build adds to the name of a text, for its compressed form."""


class Ui:
    """What the build of the user interface left in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def is_built(self) -> bool:
        return (self._folder / PAGE).is_file()

    def page(self, nonce: str) -> str:
        """The page, with the nonce of the answer that it is in."""
        return (self._folder / PAGE).read_text("utf-8").replace(NONCE, nonce)

    def file(self, name: str) -> Path | None:
        """A file of the build, except the page; `name` is looked up in the list of them and never opened as a path."""
        return self._files().get(name)

    def _files(self) -> dict[str, Path]:
        found = {path.relative_to(self._folder).as_posix(): path for path in self._folder.rglob("*") if path.is_file()}
        return {name: path for name, path in found.items() if name != PAGE and not _is_ours(path)}


def _is_ours(file: Path) -> bool:
    """Whether the build keeps it for itself."""
    return file.name.startswith(".") or file.suffix == BROTLI


def media_type(file: Path) -> str:
    return KINDS.get(file.suffix, "application/octet-stream")


def packed(file: Path, accepted: str) -> tuple[str, bytes] | None:
    """A file in the smallest form that is accepted, with the form's name; None where that gains nothing."""
    ready = file.with_name(file.name + BROTLI)
    if file.suffix in PACKED or file.stat().st_size < WORTH_PACKING:
        return None
    if "br" in accepted and ready.is_file():
        return "br", ready.read_bytes()
    return ("gzip", _gzipped(file)) if "gzip" in accepted else None


@lru_cache(maxsize=256)
def _gzipped(file: Path) -> bytes:
    """A file never changes under its name."""
    return gzip.compress(file.read_bytes(), mtime=0)
