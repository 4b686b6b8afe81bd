"""Jupyter notebooks as text: their code cells, and the one Python file that these would be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from outtake_probe.syntax import parse

_LINE_MAGIC = re.compile(r"^(\s*)(?:[A-Za-z_][\w.,\s]*=\s*)?(?:%|!|\?).*$|^(\s*)[\w.]+\?{1,2}\s*$")
_CELL_MAGIC = re.compile(r"^\s*%%")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among them from 1, and the line of the notebook's text where it begins, from 1.

    Cells without any text are none: IPython gives them no number.
    """

    number: int
    source: str
    line: int

    @property
    def magic(self) -> str:
        """Its first line that only IPython understands, or an empty text."""
        if _is_python(self.source):
            return ""
        lines = self.source.splitlines()
        if _CELL_MAGIC.match(lines[0]):
            return lines[0].strip()
        return next((line.strip() for line in lines if _LINE_MAGIC.match(line)), "")


def cells(data: bytes) -> list[Cell]:
    """The code cells of a notebook file.  Raises `ValueError` where it is none of format 4."""
    document = json.loads(data)
    found = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(found, list):
        raise ValueError("it is no notebook of format 4 (`jupyter nbconvert --to notebook` converts older ones)")
    made: list[Cell] = []
    line = 1
    for item in found:
        if not isinstance(item, dict) or item.get("cell_type") != "code":
            continue
        source = item.get("source", "")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        if not text.strip():
            continue
        line += 1  # that of the heading
        made.append(Cell(len(made) + 1, text, line))
        line += text.count("\n") + 1
    return made


class CellFile:
    """Code cells as one Python file, in which what only IPython understands does nothing.

    It grows, and changes, with what is executed.
    """

    def __init__(self, cells: Iterable[Cell] = ()) -> None:
        self._pieces: list[str] = []
        for cell in cells:
            self.put(len(self._pieces), cell.number, cell.source)

    def put(self, index: int, number: int, source: str) -> bool:
        """Set the cell at `index`, or add it at the end; whether that changes the text."""
        piece = f"# In [{number}]\n{_plain(source)}\n"
        if index < len(self._pieces):
            changes, self._pieces[index] = self._pieces[index] != piece, piece
            return changes
        self._pieces.append(piece)
        return True

    def line(self, index: int) -> int:
        """The line where the cell at `index` begins, from 1."""
        return sum(piece.count("\n") for piece in self._pieces[:index]) + 2

    @property
    def text(self) -> bytes:
        return "".join(self._pieces).encode("utf-8", "replace")

    def __len__(self) -> int:
        return len(self._pieces)


def text(data: bytes) -> bytes:
    """The code cells of a notebook file as one Python file, see `CellFile`.  Raises `ValueError` as `cells`."""
    return CellFile(cells(data)).text


def _plain(source: str) -> str:
    if _is_python(source):
        return source
    lines = source.split("\n")
    plain = "\n".join(_nothing(line) for line in lines)
    if _CELL_MAGIC.match(lines[0]) or not _is_python(plain):
        return "\n".join(f"# {line}" for line in lines)  # a cell that is nothing must not spoil the others
    return plain


def _nothing(line: str) -> str:
    """A line of Python as it is, another one as a statement that does nothing."""
    found = _LINE_MAGIC.match(line)
    return line if found is None else f"{found[1] or found[2] or ''}pass  # {line.strip()}"


def _is_python(source: str) -> bool:
    try:
        parse(source.encode("utf-8", "replace"), quiet=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
