"""Which prompts of a run are written in another way in the program's files now.

What was written in the files then is not recorded, so this goes by what the models were told: a line of a prompt that
no string in the program's files has any more, and that is much like a line in a changed file, was changed there.  A
line with something filled in (an f-string, ``{}``, ``%s``, ``$name``, ``+``) still stands in a file where what is
around it fits.  A prompt that has nothing in common with the one before is not found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from outtake.core.excerpts import scalars
from outtake_probe.records import Json

SHORTEST = 12
"""Characters of a line that is compared: shorter ones are alike by chance."""
LONGEST = 4000
MANY = 300
"""Lines of one prompt that are looked for in the program's files."""
ALIKE = 0.6
"""Share of words in the same order from which two lines are two versions of one."""
_GAP = "\0"
_FILLED_IN = re.compile(r"\{[^{}\n]*\}|%\(\w+\)[sdrf]|%[sdrf]|\$\{?\w+\}?")


@dataclass(frozen=True, slots=True)
class FirstPrompt:
    """What a model was told in its first call, record `seq`."""

    component: str
    seq: int
    input: Json


@dataclass(frozen=True, slots=True)
class PromptChange:
    """A prompt of a component that is another one now, by its first changed line."""

    component: str
    seq: int
    """The start of the first call with the old prompt: a fork from there uses the new one."""
    file: str
    was: str
    now: str


class Written:
    """The lines of text in the strings of one file."""

    def __init__(self, module: ast.Module) -> None:
        self._plain: dict[str, None] = {}
        """Lines as they are, those with a gap with ``...`` in its place."""
        self._patterns: list[list[str]] = []
        """Of lines with gaps, what stands around these."""
        for template in _templates(module):
            for line in _lines(template):
                self._plain[line.replace(_GAP, "...")] = None
                if _GAP in line:
                    self._add_pattern(line.split(_GAP))
                elif _FILLED_IN.search(line):
                    self._add_pattern(_FILLED_IN.split(line))

    def has(self, line: str) -> bool:
        """Whether a line of a prompt stands here."""
        return line in self._plain or any(_fits(line, pieces) for pieces in self._patterns)

    def version_of(self, line: str, besides: Iterable[str]) -> str | None:
        """The line that is most like `line` and not one of `besides`; None where none is alike."""
        words, known = line.split(), set(besides)
        best, found = ALIKE, None
        for other in self._plain:
            theirs = other.split()
            if other in known or 2 * min(len(words), len(theirs)) < ALIKE * (len(words) + len(theirs)):
                continue
            matcher = SequenceMatcher(None, words, theirs, autojunk=False)
            if matcher.quick_ratio() >= best and (ratio := matcher.ratio()) >= best:
                best, found = ratio, other
        return found

    def _add_pattern(self, pieces: list[str]) -> None:
        fixed = [" ".join(piece.split()) for piece in pieces]
        if sum(map(len, fixed)) >= SHORTEST:
            self._patterns.append(fixed)


def changed_prompts(
    told: Iterable[FirstPrompt], written: Mapping[str, Written], changed: Iterable[str]
) -> Iterator[PromptChange]:
    """The prompts that are another text now, one for each component.

    `written` holds the strings of all of the program's files by path, as they are now; `changed` names those files that
    are not what the run imported.
    """
    suspects = {path: written[path] for path in changed if path in written}
    for prompt in told:
        lines = [line for scalar in scalars(prompt.input) for line in _lines(scalar)][:MANY]
        for line in dict.fromkeys(lines):
            if any(file.has(line) for file in written.values()):
                continue
            versions = ((path, file.version_of(line, lines)) for path, file in suspects.items())
            found = next(((path, version) for path, version in versions if version is not None), None)
            if found is not None:
                yield PromptChange(prompt.component, prompt.seq, found[0], line, found[1])
                break


def _fits(line: str, pieces: list[str]) -> bool:
    """Whether a line has these pieces in their order, the first at its start and the last at its end.

    No regular expression: one with many gaps takes for ever to find that a long line does not fit.
    """
    first, *inner, last = pieces
    if len(line) < len(first) + len(last) or not (line.startswith(first) and line.endswith(last)):
        return False
    at, end = len(first), len(line) - len(last)
    for piece in inner:
        found = line.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        plain = " ".join(line.split())
        if SHORTEST <= len(plain) <= LONGEST:
            yield plain


def _templates(module: ast.Module) -> Iterator[str]:
    """The texts of all outermost expressions that are texts."""
    todo: list[ast.AST] = [module]
    while todo:
        node = todo.pop()
        text = _template(node)
        if text is None:
            todo += ast.iter_child_nodes(node)
        else:
            yield text


def _template(node: ast.AST) -> str | None:
    """The text that an expression gives, with a gap for what is not written in it; None where it is no text."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_template(value) or _GAP for value in values)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            pieces = (_template(left), _template(right))
            return None if pieces == (None, None) else "".join(_GAP if piece is None else piece for piece in pieces)
        case _:
            return None
